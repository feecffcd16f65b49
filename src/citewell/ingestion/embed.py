"""Turn passages into vectors that can be indexed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from citewell.domain.errors import EmbedderError, EmbeddingMismatchError, InvalidDocumentError
from citewell.ports.embedder import Embedder, PassageText

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Unit length up to the rounding of float32 over some thousand numbers.
_LENGTH_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class EmbeddedPassages:
    """The vectors of some passages.

    Attributes:
        rows: Places, in the list that was given, of the passages that have a vector; ascending.
        vectors: `float32[n_rows, dim]`, finite, unit length, in the order of `rows`.
        refused: Reason by place, for passages that the embedder cannot take. A place in neither
            has a text without anything to embed: it is not searchable by vector, which is no error.
    """

    rows: list[int]
    vectors: NDArray[np.float32]
    refused: Mapping[int, str]


def embed_passages(
    embedder: Embedder, passages: Sequence[PassageText], *, batch_size: int = 32
) -> EmbeddedPassages:
    """Return the vectors of passages, each checked.

    A passage that the embedder refuses is found by halving its batch, so that it keeps nobody else
    from a vector.

    Args:
        embedder: Makes the vectors.
        passages: In any order; it is kept.
        batch_size: Passages of one call, at least 1.

    Raises:
        EmbedderError: The embedder cannot be reached, or its answer is not one unit vector or zero
            vector per passage.
        EmbeddingMismatchError: Its vectors are of another dimension than it says.
        ConfigurationError: An operator must change something.
    """
    dim = embedder.model.dim
    vectors = np.zeros((len(passages), dim), dtype=np.float32)
    refused: dict[int, str] = {}
    todo = [
        range(start, min(start + batch_size, len(passages)))
        for start in range(0, len(passages), batch_size)
    ]
    while todo:
        places = todo.pop(0)
        try:
            made = embedder.embed_passages([passages[place] for place in places])
        except InvalidDocumentError as error:
            if len(places) == 1:
                refused[places[0]] = str(error)
            else:
                half = len(places) // 2
                todo[:0] = [places[:half], places[half:]]
        else:
            vectors[places] = _checked(made, n_passages=len(places), dim=dim)
    rows = [int(row) for row in np.flatnonzero(vectors.any(axis=1))]
    return EmbeddedPassages(rows, vectors[rows], refused)


def _checked(vectors: NDArray[np.float32], *, n_passages: int, dim: int) -> NDArray[np.float32]:
    if vectors.ndim != 2 or len(vectors) != n_passages:
        raise EmbedderError(
            f"the embedder answered {n_passages} passages with vectors of shape {vectors.shape}"
        )
    if vectors.shape[1] != dim:
        raise EmbeddingMismatchError(
            f"the embedder gave vectors of dimension {vectors.shape[1]}, not {dim}"
        )
    if not np.isfinite(vectors).all():
        raise EmbedderError("the embedder gave a vector that is not finite")
    lengths = np.linalg.norm(vectors, axis=1)
    if not ((lengths == 0) | (np.abs(lengths - 1) <= _LENGTH_TOLERANCE)).all():
        raise EmbedderError("the embedder gave a vector that is not of unit length")
    return vectors
