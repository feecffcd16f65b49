"""The two legs of a search: candidates that this request may read, best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance
from citewell.domain.passage import VisibleChunk
from citewell.ports.index import Candidate, Index
from citewell.ports.passage_reader import PassageReader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_CANDIDATES = 10_000


@dataclass(frozen=True, slots=True)
class VisibleRanking:
    """What a leg found.

    Attributes:
        candidates: Visible ones only, best first.
        chunks: Their text, by chunk key.
        n_hidden: Proposals of the index that the catalog did not let through (stale points).
    """

    candidates: tuple[Candidate, ...]
    chunks: dict[int, VisibleChunk]
    n_hidden: int

    @staticmethod
    def nothing() -> VisibleRanking:
        """Return the ranking of a leg that cannot search."""
        return VisibleRanking((), {}, 0)


@dataclass(frozen=True, slots=True)
class SearchLegs:
    """Searches one index for one request at a time.

    Attributes:
        reader: Decides what is visible.
        index: Proposes candidates.
        exact: Compare with every vector instead of walking the graph.
    """

    reader: PassageReader
    index: Index
    exact: bool = False

    def search_lexical(
        self,
        clearance: Clearance,
        query: SparseVector,
        *,
        wanted: int,
        document_keys: Sequence[int] | None,
    ) -> VisibleRanking:
        """Return up to `wanted` visible chunks by BM25; nothing for a question without terms."""
        if not query.indices:
            return VisibleRanking.nothing()
        return self._visible(
            clearance,
            wanted,
            lambda limit: self.index.search_lexical(
                clearance, query, limit=limit, document_keys=document_keys
            ),
        )

    def search_dense(
        self,
        clearance: Clearance,
        vector: NDArray[np.float32] | None,
        *,
        wanted: int,
        document_keys: Sequence[int] | None,
    ) -> VisibleRanking:
        """Return up to `wanted` visible chunks by cosine; nothing without a question vector."""
        if vector is None or not vector.any():
            return VisibleRanking.nothing()
        return self._visible(
            clearance,
            wanted,
            lambda limit: self.index.search_dense(
                clearance, vector, limit=limit, document_keys=document_keys, exact=self.exact
            ),
        )

    def _visible(
        self, clearance: Clearance, wanted: int, propose: Callable[[int], list[Candidate]]
    ) -> VisibleRanking:
        """Ask for more candidates until enough of them are visible or there are no more."""
        limit = min(wanted, MAX_CANDIDATES)
        while True:
            proposed = propose(limit)
            chunks = self.reader.visible_chunks(clearance, [c.chunk_key for c in proposed])
            visible = [c for c in proposed if c.chunk_key in chunks]
            if len(visible) >= wanted or len(proposed) < limit or limit >= MAX_CANDIDATES:
                break
            limit = min(2 * limit, MAX_CANDIDATES)
        kept = tuple(visible[:wanted])
        return VisibleRanking(
            kept,
            {c.chunk_key: chunks[c.chunk_key] for c in kept},
            len(proposed) - len(visible),
        )
