from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.indexes.edge.exact_weights import round_chunk_weights, round_query_weights

CHUNK_WEIGHT = st.floats(0.001, 7.9)
QUERY_WEIGHT = st.floats(1e-6, 1e6)


def float32_sum(products: list[np.float32]) -> np.float32:
    total = np.float32(0)
    for product in products:
        total += product
    return total


@given(st.lists(st.tuples(CHUNK_WEIGHT, QUERY_WEIGHT), min_size=1, max_size=96), st.randoms())
def test_sum_of_products_is_the_same_in_any_order(pairs, random) -> None:
    chunk = round_chunk_weights(np.array([weight for weight, _ in pairs])).tolist()
    query = round_query_weights([weight for _, weight in pairs])
    products = [np.float32(a) * np.float32(b) for a, b in zip(chunk, query, strict=True)]
    exact = math.fsum(a * b for a, b in zip(chunk, query, strict=True))
    for _ in range(5):
        random.shuffle(products)
        assert float(float32_sum(products)) == exact


@given(st.lists(st.floats(0.1, 2.2), max_size=50))
def test_chunk_weights_move_by_half_a_step_at_most(values: list[float]) -> None:
    for value, rounded in zip(values, round_chunk_weights(np.array(values)), strict=True):
        assert abs(value - rounded) <= 1 / 512


@given(st.lists(st.floats(1.0, 14.0), min_size=1, max_size=30))
def test_query_weights_move_by_little(values: list[float]) -> None:
    for value, rounded in zip(values, round_query_weights(values), strict=True):
        assert abs(value - rounded) <= 0.5 * 2 * sum(values) / 2**13


@given(st.lists(QUERY_WEIGHT, min_size=1, max_size=50))
def test_order_of_weights_is_kept_and_none_vanishes(values: list[float]) -> None:
    rounded = round_query_weights(sorted(values))
    assert all(left <= right for left, right in pairwise(rounded))
    assert rounded[0] > 0


def test_a_tiny_chunk_weight_stays_a_match() -> None:
    assert round_chunk_weights(np.array([1e-9])).tolist() == [1 / 256]


def test_no_weights_give_no_weights() -> None:
    assert round_chunk_weights(np.array([])).tolist() == []
    assert round_query_weights([]) == []
