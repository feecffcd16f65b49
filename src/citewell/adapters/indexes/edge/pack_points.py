"""Check lexical points and bring them into the form in which they travel, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from citewell.adapters.indexes import validate
from citewell.adapters.indexes.edge.exact_weights import round_chunk_weights
from citewell.domain.errors import InvalidDocumentError
from citewell.ports.index import LexicalPoint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PackedPoint = tuple[int, int, bytes, bytes]
"""Chunk key, document key, `uint32[n]` terms, `float32[n]` weights."""


def pack_points(points: Sequence[LexicalPoint]) -> list[PackedPoint]:
    """Return at least one point, its weights rounded.

    Raises:
        InvalidDocumentError: A key, term or weight is not valid; the message says what is wrong.
    """
    import numpy as np

    validate.check_keys([point.chunk_key for point in points])
    validate.check_keys([point.document_key for point in points])
    try:
        indices = np.concatenate([np.asarray(p.terms.indices, np.int64) for p in points])
        values = np.concatenate([np.asarray(p.terms.values, np.float64) for p in points])
    except OverflowError as error:
        raise InvalidDocumentError("hashed terms must be unsigned 32-bit integers") from error
    lengths = [len(point.terms.indices) for point in points]
    borders = [0, *accumulate(lengths)]
    as_many = lengths == [len(point.terms.values) for point in points]
    if not as_many or not _are_valid(indices, values, borders):
        for point in points:
            validate.check_terms(point.terms)
    terms, weights = indices.astype(np.uint32), round_chunk_weights(values)
    return [
        (p.chunk_key, p.document_key, terms[start:end].tobytes(), weights[start:end].tobytes())
        for p, (start, end) in zip(points, pairwise(borders), strict=True)
    ]


def _are_valid(
    indices: NDArray[np.int64], values: NDArray[np.float64], borders: Sequence[int]
) -> bool:
    """Return whether each point keeps what `SparseVector` promises."""
    import numpy as np

    if not len(indices):
        return True
    rises = np.ones(len(indices) + 1, dtype=bool)
    rises[1:-1] = indices[1:] > indices[:-1]
    rises[np.asarray(borders)] = True  # the first term of a point comes after nothing
    in_range = indices.min() >= 0 and indices.max() < 2**32
    return bool(in_range and rises.all() and np.isfinite(values).all() and values.min() > 0)
