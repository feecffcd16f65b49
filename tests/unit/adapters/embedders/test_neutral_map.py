from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from citewell.adapters.embedders.neutral_map import NeutralMap, load_neutral_map
from citewell.domain.errors import EmbeddingMismatchError

SMALL = NeutralMap(
    directions=np.array([[0.0, 0.0, 1.0]], dtype=np.float32),
    passage_shift=np.array([0.2, 0.0, 0.0], dtype=np.float32),
    query_shift=np.array([0.0, 0.2, 0.0], dtype=np.float32),
)
small_rows = arrays(np.float32, (4, 3), elements=st.floats(-1, 1, width=32, allow_subnormal=False))


def random_units(n_rows: int) -> np.ndarray:
    matrix = np.random.default_rng(7).normal(size=(n_rows, 384)).astype(np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def test_each_side_has_its_own_shift() -> None:
    vector = np.array([0.8, 0.6, 0.0], dtype=np.float32)
    expected_passage = np.array([0.6, 0.6, 0.0]) / np.sqrt(0.72)
    expected_query = np.array([0.8, 0.4, 0.0]) / np.sqrt(0.8)
    np.testing.assert_allclose(SMALL.map_passages(vector[np.newaxis])[0], expected_passage, 1e-6)
    np.testing.assert_allclose(SMALL.map_query(vector), expected_query, 1e-6)


def test_texts_that_differ_in_a_direction_of_language_alone_become_equal() -> None:
    one = np.array([0.6, 0.0, 0.8], dtype=np.float32)
    other = np.array([0.6, 0.0, -0.8], dtype=np.float32)
    mapped = SMALL.map_passages(np.stack([one, other]))
    np.testing.assert_array_equal(mapped[0], mapped[1])
    np.testing.assert_allclose(mapped[0], [1.0, 0.0, 0.0], atol=1e-6)


def test_blank_stays_zero_among_others() -> None:
    vectors = random_units(3)
    vectors[1] = 0.0
    lengths = np.linalg.norm(load_neutral_map().map_passages(vectors), axis=1)
    np.testing.assert_allclose(lengths, [1.0, 0.0, 1.0], atol=1e-6)
    blank = np.zeros(384, dtype=np.float32)
    np.testing.assert_array_equal(load_neutral_map().map_query(blank), blank)


def test_a_vector_that_is_language_alone_becomes_zero() -> None:
    vector = np.array([0.0, 0.2, 0.0], dtype=np.float32)
    np.testing.assert_array_equal(SMALL.map_query(vector), np.zeros(3, dtype=np.float32))


def test_no_passages_give_no_vectors() -> None:
    mapped = load_neutral_map().map_passages(np.zeros((0, 384), dtype=np.float32))
    assert mapped.shape == (0, 384)


@given(small_rows)
def test_vectors_come_out_of_unit_length_or_zero(vectors: np.ndarray) -> None:
    mapped = SMALL.map_passages(vectors)
    lengths = np.linalg.norm(mapped, axis=1)
    assert mapped.dtype == np.float32
    np.testing.assert_allclose(lengths, np.where(mapped.any(axis=1), 1.0, 0.0), atol=1e-5)
    np.testing.assert_array_equal(lengths[~vectors.any(axis=1)], 0.0)


def test_no_vector_of_text_is_lost_in_the_shipped_map() -> None:
    mapped = load_neutral_map().map_passages(random_units(50))
    np.testing.assert_allclose(np.linalg.norm(mapped, axis=1), np.ones(50), atol=1e-5)


def test_nothing_of_the_directions_is_left_so_that_projecting_again_changes_nothing() -> None:
    neutral = load_neutral_map()
    mapped = neutral.map_passages(random_units(20))
    left = mapped @ neutral.directions.T
    np.testing.assert_allclose(left, np.zeros_like(left), atol=1e-5)
    no_shift = np.zeros(384, dtype=np.float32)
    projection = NeutralMap(neutral.directions, no_shift, no_shift)
    np.testing.assert_allclose(projection.map_passages(mapped), mapped, atol=1e-5)


def test_a_query_is_mapped_alone_as_a_passage_is_among_others() -> None:
    neutral = load_neutral_map()
    both = NeutralMap(neutral.directions, neutral.query_shift, neutral.query_shift)
    vectors = random_units(5)
    np.testing.assert_allclose(both.map_passages(vectors)[3], both.map_query(vectors[3]), atol=1e-6)


@pytest.mark.parametrize("dim", [383, 385, 1024])
def test_vectors_of_another_dimension_are_refused(dim: int) -> None:
    neutral = load_neutral_map()
    with pytest.raises(EmbeddingMismatchError, match="dimension 384"):
        neutral.map_passages(np.ones((2, dim), dtype=np.float32))
    with pytest.raises(EmbeddingMismatchError, match="dimension 384"):
        neutral.map_query(np.ones(dim, dtype=np.float32))


def test_the_shipped_directions_are_orthonormal() -> None:
    directions = load_neutral_map().directions
    np.testing.assert_allclose(directions @ directions.T, np.eye(len(directions)), atol=1e-5)


def test_the_input_is_left_as_it_was() -> None:
    vectors = random_units(2)
    before = vectors.copy()
    load_neutral_map().map_passages(vectors)
    np.testing.assert_array_equal(vectors, before)
