"""The port through which candidates are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Leg = Literal["lexical", "dense"]


@dataclass(frozen=True, slots=True)
class LexicalPoint:
    """A chunk for the lexical leg."""

    chunk_key: int
    document_key: int
    terms: SparseVector


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that a leg proposes; visibility is not yet decided.

    Attributes:
        chunk_key: The catalog's key of the chunk.
        score: Higher is better, comparable within one ranking only.
    """

    chunk_key: int
    score: float


class Index(Protocol):
    """One physical index per tier and leg; holds no text and no statistics.

    Writes take effect for searches at once; they survive a kill once `flush` has returned. Writing
    a point again replaces it. Thread-safe.
    """

    def upsert_lexical(self, tier: str, points: Sequence[LexicalPoint]) -> None:
        """Write points of the lexical leg."""
        ...

    def upsert_dense(
        self,
        tier: str,
        *,
        chunk_keys: Sequence[int],
        document_keys: Sequence[int],
        vectors: NDArray[np.float32],
    ) -> None:
        """Write points of the dense leg; `vectors` is `float32[n, dim]`, finite, unit length.

        Raises:
            EmbeddingMismatchError: The dimension is not that of the index.
        """
        ...

    def delete(self, tier: str, chunk_keys: Sequence[int]) -> None:
        """Remove points from both legs; unknown keys are ignored."""
        ...

    def search_lexical(
        self,
        clearance: Clearance,
        query: SparseVector,
        *,
        limit: int,
        document_keys: Sequence[int] | None = None,
    ) -> list[Candidate]:
        """Return the best candidates of the clearance's tiers by dot product, best first.

        Opens the indexes of those tiers and no others. Ties by chunk key. Never more than `limit`;
        chunks that share no term with the query are not returned.

        Args:
            clearance: Whose tiers are searched.
            query: Weight per hashed term (inverse document frequency).
            limit: In [1, 10_000].
            document_keys: Only chunks of these documents; None for all; empty gives nothing.
        """
        ...

    def search_dense(
        self,
        clearance: Clearance,
        vector: NDArray[np.float32],
        *,
        limit: int,
        document_keys: Sequence[int] | None = None,
        exact: bool = False,
    ) -> list[Candidate]:
        """Return the best candidates by cosine similarity, best first; otherwise as above.

        Args:
            clearance: Whose tiers are searched.
            vector: `float32[dim]`, unit length.
            limit: In [1, 10_000].
            document_keys: Only chunks of these documents; None for all; empty gives nothing.
            exact: Compare with every vector instead of walking the graph.
        """
        ...

    def chunk_keys(self, tier: str, leg: Leg) -> list[int]:
        """Return the keys of all points, ascending."""
        ...

    def flush(self) -> None:
        """Make all writes so far durable."""
        ...

    def optimize(self) -> None:
        """Build what makes searches fast (graphs, merged segments), where it is worth it."""
        ...

    def vacuum(self, tier: str) -> None:
        """Flush, and rewrite the indexes of a tier without what was deleted from them."""
        ...

    def close(self) -> None:
        """Flush and release everything; further calls raise `IndexUnavailableError`."""
        ...
