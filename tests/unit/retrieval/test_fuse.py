from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.domain.chunk import SparseVector
from citewell.ports.index import Candidate
from citewell.retrieval.fuse import (
    FOREIGN_FACTOR,
    LEXICAL_STRENGTH,
    LegWeights,
    fuse_legs,
    fuse_rankings,
    leg_weights,
)

QUERY = SparseVector((1, 2), (3.0, 1.0))

keys = st.lists(st.integers(0, 30), unique=True, max_size=12)


def _ranking(*scored: tuple[int, float]) -> list[Candidate]:
    return [Candidate(key, score) for key, score in scored]


def _keys(ranking: list[Candidate]) -> list[int]:
    return [candidate.chunk_key for candidate in ranking]


def test_reciprocal_ranks_are_weighted_and_added():
    fused = fuse_rankings([_ranking((7, 9.0), (8, 1.0)), _ranking((8, 0.5))], weights=[1.0, 2.0])
    assert fused == [Candidate(8, 1 / 62 + 2 / 61), Candidate(7, 1 / 61)]


def test_ties_are_ordered_by_chunk_key():
    assert _keys(fuse_rankings([_ranking((9, 1.0)), _ranking((4, 1.0))], weights=[1, 1])) == [4, 9]


@pytest.mark.parametrize("weights", [[1.0], [1.0, -0.1]])
def test_wrong_weights_are_refused(weights: list[float]):
    with pytest.raises(ValueError, match="one weight"):
        fuse_rankings([[], []], weights=weights)


@given(st.lists(keys, max_size=4))
def test_every_chunk_comes_out_once(rankings: list[list[int]]):
    given_rankings = [_ranking(*((key, 1.0) for key in ranking)) for ranking in rankings]
    fused = _keys(fuse_rankings(given_rankings, weights=[1.0] * len(rankings)))
    assert sorted(fused) == sorted({key for ranking in rankings for key in ranking})


def test_lexical_weight_grows_with_the_share_of_the_question_found():
    weights = leg_weights(QUERY, _ranking((1, 2.0)), cosine_spread=0.02)
    assert weights == LegWeights(lexical=LEXICAL_STRENGTH * 0.5 / 4.0, dense=50.0)


def test_words_of_another_language_count_less():
    lexical = _ranking((1, 2.0))
    own = leg_weights(QUERY, lexical, cosine_spread=0.02)
    foreign = leg_weights(QUERY, lexical, cosine_spread=0.02, is_foreign=True)
    assert foreign == LegWeights(lexical=FOREIGN_FACTOR * own.lexical, dense=own.dense)


@pytest.mark.parametrize(
    ("query", "lexical"),
    [(QUERY, []), (SparseVector((), ()), []), (SparseVector((), ()), _ranking((1, 2.0)))],
)
def test_lexical_leg_without_evidence_counts_nothing(query: SparseVector, lexical: list[Candidate]):
    assert leg_weights(query, lexical, cosine_spread=0.5) == LegWeights(lexical=0.0, dense=2.0)


@pytest.mark.parametrize(
    ("spread", "share"), [(0.0, 1.0), (-1.0, 1.0), (float("nan"), 1.0), (1.0, 1.5)]
)
def test_impossible_evidence_is_refused(spread: float, share: float):
    with pytest.raises(ValueError, match="cosine_spread"):
        leg_weights(QUERY, [], cosine_spread=spread, vector_share=share)


def test_legs_add_up_by_weighted_score():
    fused = fuse_legs(
        _ranking((1, 4.0), (2, 1.0)),
        _ranking((3, 0.9), (2, 0.8)),
        weights=LegWeights(lexical=0.5, dense=10.0),
    )
    assert fused == [Candidate(1, 2.0 + 8.0), Candidate(3, 9.0), Candidate(2, 0.5 + 8.0)]


def test_weak_lexical_evidence_leaves_the_order_to_the_dense_leg():
    lexical = _ranking((5, 0.2), (6, 0.1))
    dense = _ranking((6, 0.90), (7, 0.86), (5, 0.85))
    weights = leg_weights(QUERY, lexical, cosine_spread=0.02)
    assert _keys(fuse_legs(lexical, dense, weights=weights)) == [6, 7, 5]


def test_identifier_that_the_dense_leg_ignores_comes_first():
    lexical = _ranking((5, 3.8))
    dense = _ranking((6, 0.85), (7, 0.84), (8, 0.80))
    weights = leg_weights(QUERY, lexical, cosine_spread=0.02)
    assert _keys(fuse_legs(lexical, dense, weights=weights)) == [5, 6, 7, 8]


def test_chunk_without_vector_is_not_held_back_while_vectors_lag():
    lexical = _ranking((5, 1.5))
    dense = _ranking((6, 0.90), (7, 0.80))
    complete = leg_weights(QUERY, lexical, cosine_spread=0.02)
    lagging = leg_weights(QUERY, lexical, cosine_spread=0.02, vector_share=0.1)
    assert _keys(fuse_legs(lexical, dense, weights=complete)) == [6, 5, 7]
    assert _keys(fuse_legs(lexical, dense, weights=lagging)) == [5, 6, 7]


@given(keys, st.floats(0, 10), st.floats(0.1, 100))
def test_one_leg_alone_keeps_its_order(ranking: list[int], lexical: float, dense: float):
    leg = _ranking(*((key, 1.0 - i / 100) for i, key in enumerate(ranking)))
    weights = LegWeights(lexical=lexical + 0.1, dense=dense)
    assert _keys(fuse_legs(leg, [], weights=weights)) == ranking
    assert _keys(fuse_legs([], leg, weights=weights)) == ranking


@given(keys, keys)
def test_fused_legs_hold_every_chunk_once(first: list[int], second: list[int]):
    fused = fuse_legs(
        _ranking(*((key, 1.0) for key in first)),
        _ranking(*((key, 0.5) for key in second)),
        weights=LegWeights(lexical=1.0, dense=1.0),
    )
    assert sorted(_keys(fused)) == sorted({*first, *second})
