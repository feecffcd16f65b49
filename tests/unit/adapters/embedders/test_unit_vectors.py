from __future__ import annotations

import numpy as np
import pytest

from citewell.adapters.embedders.unit_vectors import unit_vectors
from citewell.domain.errors import EmbedderError, EmbeddingMismatchError


def test_rows_are_brought_to_unit_length() -> None:
    vectors = unit_vectors([[3.0, 4.0], [0, 2]], n_texts=2, dim=2)
    np.testing.assert_array_equal(vectors, np.array([[0.6, 0.8], [0, 1]], dtype=np.float32))
    assert vectors.dtype == np.float32


@pytest.mark.parametrize("number", [1e200, 1e-200])
def test_numbers_whose_squares_leave_the_range_are_brought_to_unit_length(number: float) -> None:
    vectors = unit_vectors([[number, number]], n_texts=1, dim=2)
    np.testing.assert_allclose(vectors, [[0.5**0.5, 0.5**0.5]], rtol=1e-6)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0, 0.0]], "1 vectors for 2 texts"),
        ([[1.0, 0.0]] * 3, "3 vectors for 2 texts"),
        ([[1.0, 0.0], [1.0]], "not rows of numbers"),
        ([[1.0, 0.0], None], "not rows of numbers"),
        ([[], []], "not rows of numbers"),
        ([1.0, 0.0], "not rows of numbers"),
        ([["a", "b"], ["c", "d"]], "not rows of numbers"),
        ([[1.0, float("nan")], [1.0, 0.0]], "not finite"),
        ([[1.0, float("inf")], [1.0, 0.0]], "not finite"),
        ([[1.0, 0.0], [0.0, 0.0]], "zero vector"),
        ("ab", "no list of vectors"),
        ({"a": 1, "b": 2}, "no list of vectors"),
        (None, "no list of vectors"),
    ],
)
def test_an_unusable_answer_is_refused(rows: object, message: str) -> None:
    with pytest.raises(EmbedderError, match=message):
        unit_vectors(rows, n_texts=2, dim=2)


def test_another_dimension_is_a_mismatch_that_names_both() -> None:
    with pytest.raises(EmbeddingMismatchError, match="dimension 3, not 2"):
        unit_vectors([[1.0, 0.0, 0.0]], n_texts=1, dim=2)


def test_any_dimension_is_accepted_when_none_is_known() -> None:
    assert unit_vectors([[1.0, 0.0, 0.0]], n_texts=1, dim=None).shape == (1, 3)
