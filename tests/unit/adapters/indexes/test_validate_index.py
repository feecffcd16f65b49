from __future__ import annotations

import math

import numpy as np
import pytest

from citewell.adapters.indexes import validate
from citewell.domain.chunk import SparseVector
from citewell.domain.errors import EmbeddingMismatchError, InvalidDocumentError, UsageError


def test_vectors_become_contiguous_float32() -> None:
    rows = validate.as_vectors(np.asfortranarray(np.eye(3)), n=3, dim=3)
    assert rows.dtype == np.float32
    assert rows.flags.c_contiguous
    np.testing.assert_array_equal(rows, np.eye(3))


def test_no_vectors_are_valid() -> None:
    assert validate.as_vectors(np.empty((0, 4)), n=0, dim=4).shape == (0, 4)


@pytest.mark.parametrize("shape", [(2, 4), (4,), (3, 4, 1)])
def test_another_number_of_vectors_is_a_mistake_of_the_caller(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected 3 vectors"):
        validate.as_vectors(np.ones(shape), n=3, dim=4)


def test_another_dimension_is_named_with_what_to_do() -> None:
    with pytest.raises(EmbeddingMismatchError, match=r"dimension 5 .* dimension 4: set EMBEDDING"):
        validate.as_vectors(np.ones((1, 5)), n=1, dim=4)


@pytest.mark.parametrize("value", [math.nan, math.inf, 0.0, 1e300, 1e30, 1e-30])
def test_vectors_that_an_engine_could_never_find_are_refused(value: float) -> None:
    vector = np.full(4, value)
    with pytest.raises(InvalidDocumentError):
        validate.as_vectors(vector.reshape(1, 4), n=1, dim=4)
    with pytest.raises(UsageError):
        validate.as_query_vector(vector, dim=4)


@pytest.mark.parametrize("key", [-1, 2**63])
def test_keys_out_of_range_are_refused(key: int) -> None:
    with pytest.raises(InvalidDocumentError):
        validate.check_keys([1, key])
    validate.check_keys([0, 2**63 - 1])


def test_terms_without_weights_are_refused() -> None:
    with pytest.raises(InvalidDocumentError, match="2 terms have 1 weights"):
        validate.check_terms(SparseVector((1, 2), (1.0,)))
