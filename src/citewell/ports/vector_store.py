"""The port through which the vectors of live chunks are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from citewell.ports.embedder import EmbeddingModel


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """What a store holds of the chunks that were asked for.

    Attributes:
        chunk_keys: Those found, in the order asked for.
        vectors: `float32[n_found, dim]`, unit length, in the order of `chunk_keys`.
        missing: The others, in the order asked for.
    """

    chunk_keys: list[int]
    vectors: NDArray[np.float32]
    missing: list[int]


class VectorStore(Protocol):
    """Keeps one vector per chunk, so that an index can be rebuilt without the embedder.

    Vectors may be rounded: a cosine then differs by at most 0.003. Thread-safe, and safe to share
    between processes. Every call raises `UnavailableError` when the store cannot be read or
    written.
    """

    @property
    def model(self) -> EmbeddingModel:
        """The model whose vectors are kept; those of another are never taken."""
        ...

    def put(self, chunk_keys: Sequence[int], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Keep one vector per chunk, in one transaction; a chunk that has one gets the new one.

        Args:
            chunk_keys: Each once.
            vectors: `float32[n, dim]`, finite, unit length.

        Returns:
            `float32[n, dim]`, unit length: the vectors as `get` gives them back. Index these, not
            the originals, and an index that is rebuilt gives the same scores.

        Raises:
            EmbeddingMismatchError: The vectors are of another dimension than the model's.
            InvalidDocumentError: A vector is not finite or is zero; nothing is kept.
            ValueError: The numbers of keys and vectors differ.
        """
        ...

    def get(self, chunk_keys: Sequence[int]) -> StoredVectors:
        """Return the vectors of these chunks, and which have none."""
        ...

    def delete(self, chunk_keys: Sequence[int]) -> None:
        """Remove vectors; unknown keys are ignored."""
        ...

    def erase_deleted(self) -> bool:
        """Empty the write-ahead log, which still holds deleted and replaced vectors.

        Returns:
            True when it is empty; False when something else still reads: call again later.
        """
        ...

    def compact(self) -> bool:
        """Rewrite the file, leaving out what lies between live rows; else as `erase_deleted`."""
        ...

    def keys(self) -> list[int]:
        """Return the keys of all chunks that have a vector, ascending."""
        ...

    def count(self) -> int:
        """Return how many chunks have a vector."""
        ...

    def sample(
        self, n: int, *, seed: int = 0, chunk_keys: Sequence[int] | None = None
    ) -> NDArray[np.float32]:
        """Return vectors drawn without repetition, `float32[at most n, dim]`, unit length.

        What is drawn depends on `seed` and on the places of the keys in their order, not on the
        keys themselves: the same documents give the same sample, whatever else the store holds.

        Args:
            n: At least 0.
            seed: The same seed draws the same.
            chunk_keys: Draw from these only (those a reader may see); None for all.
        """
        ...

    def close(self) -> None:
        """Release the file; nothing may be called afterwards."""
        ...
