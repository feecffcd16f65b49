"""Turn the answer of an embedding engine or server into vectors, or refuse it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from citewell.domain.errors import EmbedderError, EmbeddingMismatchError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def unit_vectors(rows: object, *, n_texts: int, dim: int | None) -> NDArray[np.float32]:
    """Return `float32[n_texts, dim]` with rows of unit length, in the order of `rows`.

    Args:
        rows: What was answered: a sequence of `n_texts` sequences of `dim` numbers.
        n_texts: How many texts were sent, at least 1.
        dim: Length that every vector must have, or None to accept any, the same for all.

    Raises:
        EmbedderError: The answer is partial, not made of numbers, or holds a vector that is not
            finite or zero (it could never be found).
        EmbeddingMismatchError: The vectors are of another dimension.
    """
    if not isinstance(rows, Sequence | np.ndarray) or isinstance(rows, str | bytes | Mapping):
        raise EmbedderError("the embedder gave no list of vectors")
    n_rows = len(cast("Sequence[object]", rows))
    if n_rows != n_texts:
        raise EmbedderError(f"the embedder gave {n_rows} vectors for {n_texts} texts")
    try:
        matrix = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise EmbedderError("the embedder gave vectors that are not rows of numbers") from error
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise EmbedderError("the embedder gave vectors that are not rows of numbers")
    if dim is not None and matrix.shape[1] != dim:
        raise EmbeddingMismatchError(
            f"the embedder gave vectors of dimension {matrix.shape[1]}, not {dim}: "
            "correct EMBEDDING_DIM, or choose the model that the index was built with"
        )
    return _normalized(matrix)


def _normalized(matrix: NDArray[np.float64]) -> NDArray[np.float32]:
    if not np.isfinite(matrix).all():
        raise EmbedderError("the embedder gave a vector that is not finite")
    # Scaled first: the squares of very large or very small numbers leave the range of floats.
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    if not (largest > 0).all():
        raise EmbedderError("the embedder gave a zero vector for a text that is not empty")
    scaled = matrix / largest
    return (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
