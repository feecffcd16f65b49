from __future__ import annotations

import math
from array import array

import pytest

from citewell.adapters.indexes.edge.pack_points import pack_points
from citewell.domain.chunk import SparseVector
from citewell.domain.errors import InvalidDocumentError
from citewell.ports.index import LexicalPoint

GOOD = LexicalPoint(1, 10, SparseVector((3, 2**32 - 1), (0.5, 1.0)))
EMPTY = LexicalPoint(2, 10, SparseVector((), ()))


def floats(*values: float) -> bytes:
    return array("f", values).tobytes()


def test_points_of_tuples_and_of_arrays_are_packed_alike() -> None:
    arrays = LexicalPoint(1, 10, SparseVector(array("I", (3, 2**32 - 1)), array("f", (0.5, 1.0))))
    terms = array("I", (3, 2**32 - 1)).tobytes()
    assert pack_points([GOOD, EMPTY, arrays]) == [
        (1, 10, terms, floats(0.5, 1.0)),
        (2, 10, b"", b""),
        (1, 10, terms, floats(0.5, 1.0)),
    ]


def test_terms_may_fall_from_one_point_to_the_next() -> None:
    packed = pack_points([GOOD, LexicalPoint(2, 10, SparseVector((1,), (1.0,)))])
    assert [point[2] for point in packed] == [
        array("I", (3, 2**32 - 1)).tobytes(),
        array("I", (1,)).tobytes(),
    ]


@pytest.mark.parametrize(
    ("terms", "problem"),
    [
        ([SparseVector((2, 1), (1.0, 1.0))], "ascending"),
        ([SparseVector((1, 1), (1.0, 1.0))], "ascending"),
        ([SparseVector((1,), (math.nan,))], "finite"),
        ([SparseVector((1,), (0.0,))], "above 0"),
        ([SparseVector((-1,), (1.0,))], "32-bit"),
        ([SparseVector((2**32,), (1.0,))], "32-bit"),
        ([SparseVector((2**64,), (1.0,))], "32-bit"),
        ([SparseVector((1, 2), (1.0,)), SparseVector((1,), (1.0, 2.0))], "2 terms have 1 weights"),
    ],
)
def test_terms_that_are_not_valid_are_refused(terms: list[SparseVector], problem: str) -> None:
    points = [LexicalPoint(key, 10, vector) for key, vector in enumerate(terms)]
    with pytest.raises(InvalidDocumentError, match=problem):
        pack_points([GOOD, *points, EMPTY])


@pytest.mark.parametrize("keys", [(-1, 1), (1, -1), (2**63, 1)])
def test_keys_that_are_not_valid_are_refused(keys: tuple[int, int]) -> None:
    with pytest.raises(InvalidDocumentError, match="keys"):
        pack_points([LexicalPoint(*keys, GOOD.terms)])
