"""Checks that every index makes before anything reaches its engine.

Engines accept vectors that can never be found (NaN, infinite, zero) and limits that exhaust memory,
so both are refused here.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from citewell.domain.chunk import SparseVector
from citewell.domain.errors import EmbeddingMismatchError, InvalidDocumentError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_LIMIT = 10_000
MAX_KEY = 2**63 - 1
_SHORTEST, _LONGEST = 1e-6, 1e6  # engines that scale to unit length lose what lies outside


def check_limit(limit: int) -> None:
    """Refuse a limit outside [1, 10_000].

    Raises:
        UsageError: It is outside.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise UsageError(f"limit must be between 1 and {MAX_LIMIT}, not {limit}")


def check_keys(keys: Sequence[int]) -> None:
    """Refuse keys outside [0, 2**63 - 1].

    Raises:
        InvalidDocumentError: One is outside.
    """
    for key in keys:
        if not 0 <= key <= MAX_KEY:
            raise InvalidDocumentError(f"keys must be between 0 and 2**63 - 1, not {key}")


def check_terms(terms: SparseVector) -> None:
    """Refuse term weights that break what `SparseVector` promises; an empty vector is valid.

    Raises:
        InvalidDocumentError: The message says what is wrong.
    """
    indices, values = terms.indices, terms.values
    if len(indices) != len(values):
        raise InvalidDocumentError(f"{len(indices)} terms have {len(values)} weights")
    if not indices:
        return
    if not math.isfinite(sum(values)) or not min(values) > 0:
        raise InvalidDocumentError("a term's weight must be finite and above 0")
    if any(map(operator.ge, indices, indices[1:])):
        raise InvalidDocumentError("hashed terms must be ascending, each once")
    if not 0 <= indices[0] <= indices[-1] < 2**32:
        raise InvalidDocumentError("hashed terms must be unsigned 32-bit integers")


def check_query_terms(terms: SparseVector) -> None:
    """Refuse a query's weights as `check_terms` does.

    Raises:
        UsageError: The message says what is wrong.
    """
    try:
        check_terms(terms)
    except InvalidDocumentError as error:
        raise UsageError(f"the query is not valid: {error}") from error


def as_vectors(vectors: NDArray[Any], *, n: int, dim: int) -> NDArray[np.float32]:
    """Return the vectors as a contiguous `float32[n, dim]`, all finite and not zero.

    Raises:
        ValueError: It is not a matrix with `n` rows.
        EmbeddingMismatchError: The rows have another length.
        InvalidDocumentError: A row is zero or not finite.
    """
    import numpy as np

    if vectors.ndim != 2 or vectors.shape[0] != n:
        raise ValueError(f"expected {n} vectors, got an array of shape {vectors.shape}")
    if vectors.shape[1] != dim:
        raise EmbeddingMismatchError(
            f"vectors of dimension {vectors.shape[1]} do not fit this index of dimension {dim}:"
            " set EMBEDDING_MODEL and EMBEDDING_DIM to what it was built with, or build it anew"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        rows = np.ascontiguousarray(vectors, dtype=np.float32)
        lengths = np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1))
    if not (np.isfinite(lengths) & (lengths < _LONGEST)).all():
        raise InvalidDocumentError("a vector holds NaN, infinite or absurd values")
    if n and lengths.min() < _SHORTEST:
        raise InvalidDocumentError("a vector is zero")
    return rows


def as_query_vector(vector: NDArray[Any], *, dim: int) -> NDArray[np.float32]:
    """Return the vector as a contiguous `float32[dim]`, finite and not zero.

    Raises:
        EmbeddingMismatchError: It has another length.
        UsageError: It is zero or not finite.
    """
    try:
        return as_vectors(vector.reshape(1, -1), n=1, dim=dim)[0]
    except InvalidDocumentError as error:
        raise UsageError(f"the query is not valid: {error}") from error
