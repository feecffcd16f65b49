"""Take the language out of the default embedder's vectors, so that languages share one ranking.

Vectors of multilingual-e5-small say in which language a text is, on both sides: among passages of
several languages those in the question's own come first, whatever they say. In a few directions lie
the differences between languages; the map removes them, and part of what all vectors share. The
figures were fitted by `benchmarks/fit_neutral_map.py` on parallel texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from citewell.domain.errors import EmbeddingMismatchError

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEUTRAL_REVISION = "neutral-1"
"""Part of the model's key; another file of figures needs another name."""

_FILE = Path(__file__).with_name("neutral_map.npz")


@dataclass(frozen=True, slots=True, eq=False)
class NeutralMap:
    """Subtract a side's shift, remove the directions of language, make the length one.

    Attributes:
        directions: `float32[n_directions, dim]`, orthonormal rows.
        passage_shift: `float32[dim]`, a share of the mean passage.
        query_shift: `float32[dim]`, a share of the mean question.
    """

    directions: NDArray[np.float32]
    passage_shift: NDArray[np.float32]
    query_shift: NDArray[np.float32]

    def map_passages(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return `float32[n_passages, dim]` of unit length; zero rows stay zero.

        Args:
            vectors: `float32[n_passages, dim]` of unit length, or zero for blank text.

        Raises:
            EmbeddingMismatchError: The vectors are of another dimension than the map.
        """
        return self._map(vectors, self.passage_shift)

    def map_query(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return `float32[dim]` of unit length; zero stays zero.

        Args:
            vector: `float32[dim]` of unit length, or zero for blank text.

        Raises:
            EmbeddingMismatchError: The vector is of another dimension than the map.
        """
        return self._map(vector[np.newaxis], self.query_shift)[0]

    def _map(self, vectors: NDArray[np.float32], shift: NDArray[np.float32]) -> NDArray[np.float32]:
        dim = self.directions.shape[1]
        if vectors.ndim != 2 or vectors.shape[1] != dim:
            raise EmbeddingMismatchError(
                f"vectors of shape {vectors.shape} do not fit a map of dimension {dim}"
            )
        is_blank = ~vectors.any(axis=1, keepdims=True)
        shifted = np.where(is_blank, 0, vectors - shift)
        neutral = shifted - (shifted @ self.directions.T) @ self.directions
        lengths = np.linalg.norm(neutral, axis=1, keepdims=True)
        return (neutral / np.where(lengths > 0, lengths, 1)).astype(np.float32)


@cache
def load_neutral_map() -> NeutralMap:
    """Return the map of multilingual-e5-small, of dimension 384, from the installed package."""
    with np.load(_FILE, allow_pickle=False) as figures:
        return NeutralMap(
            directions=figures["directions"].astype(np.float32),
            passage_shift=figures["passage_shift"].astype(np.float32),
            query_shift=figures["query_shift"].astype(np.float32),
        )
