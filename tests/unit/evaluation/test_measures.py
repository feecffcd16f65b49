from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.evaluation.measures import ndcg_at, precision_at, recall_at, reciprocal_rank

RANKING = ["a", "b", "c", "d"]
rankings = st.lists(st.integers(0, 9), unique=True)


def test_recall_is_the_share_of_the_relevant_found():
    assert recall_at(RANKING, {"b", "d", "x"}, k=3) == pytest.approx(1 / 3)
    assert recall_at(RANKING, set(), k=3) == 0.0


def test_precision_counts_missing_ranks_as_irrelevant():
    assert precision_at(RANKING, {"a", "d"}, k=3) == pytest.approx(1 / 3)
    assert precision_at(["a"], {"a"}, k=5) == pytest.approx(0.2)


def test_reciprocal_rank_is_that_of_the_first_relevant():
    assert reciprocal_rank(RANKING, {"c", "d"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(RANKING, {"x"}) == 0.0


def test_ndcg_is_gain_over_the_best_possible_gain():
    found = 1 / math.log2(3) + 2 / math.log2(4)
    best = 2 / math.log2(2) + 1 / math.log2(3)
    assert ndcg_at(RANKING, {"b": 1, "c": 2}, k=10) == pytest.approx(found / best)
    assert ndcg_at(RANKING, {"d": 1}, k=3) == 0.0
    assert ndcg_at(RANKING, {}, k=3) == 0.0


@given(rankings, st.dictionaries(st.integers(0, 9), st.integers(1, 3)), st.integers(1, 12))
def test_measures_lie_between_zero_and_one(ranking: list[int], grades: dict[int, int], k: int):
    values = (
        recall_at(ranking, grades, k=k),
        precision_at(ranking, grades, k=k),
        reciprocal_rank(ranking, grades),
        ndcg_at(ranking, grades, k=k),
    )
    assert [v for v in values if not 0 <= v <= 1 + 1e-9] == []


@given(st.dictionaries(st.integers(0, 9), st.integers(1, 3), min_size=1), st.integers(1, 12))
def test_best_order_has_an_ndcg_of_one(grades: dict[int, int], k: int):
    best = sorted(grades, key=lambda found: -grades[found])
    assert ndcg_at(best, grades, k=k) == pytest.approx(1.0)
