from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.domain.chunk import SparseVector
from citewell.lexical.analyze import hash_term
from citewell.lexical.cover import read_passage
from citewell.ports.index import Candidate
from citewell.retrieval.background import Background
from citewell.retrieval.gate_features import (
    PRIOR_COSINES,
    PRIOR_MEANS,
    CosineScale,
    GateFeatures,
    SearchEvidence,
    measure_features,
)

SCALE = CosineScale(mean=0.4, spread=0.05)


def _query(**weights: float) -> SparseVector:
    terms = sorted((hash_term(word), weight) for word, weight in weights.items())
    return SparseVector(tuple(i for i, _ in terms), tuple(w for _, w in terms))


EVIDENCE = SearchEvidence(
    question="cat dog?",
    query=_query(cat=3.0, dog=1.0),
    n_chunks=1000,
    lexical=[Candidate(1, 4.0), Candidate(2, 1.0)],
    cosines={1: 0.7, 2: 0.6},
    background=Background(mean=0.5, spread=0.1, n_sampled=256),
    passages=[read_passage("A cat. The dog."), read_passage("cat dog")],
    first_keys={1},
)


def test_features_of_a_large_corpus():
    spread = math.sqrt((256 * 0.1**2 + PRIOR_COSINES * 0.05**2) / (256 + PRIOR_COSINES))
    mean = (256 * 0.5 + PRIOR_MEANS * 0.4) / (256 + PRIOR_MEANS)
    assert measure_features(EVIDENCE, scale=SCALE) == GateFeatures(
        best_cosine=0.7,
        first_cosine=0.7,
        cosine_z=pytest.approx((0.7 - mean) / spread),
        sentence_coverage=0.75,
        pooled_coverage=1.0,
        widest_coverage=1.0,
        lexical_share=1.0,
        lexical_margin=0.75,
        disagreement=0.0,
        corpus_size=math.sqrt(2 * math.log(1000)),
        question_length=math.log1p(2),
        other_language=False,
        language="latin",
    )


def test_best_chunk_is_left_out_of_the_background_of_a_small_corpus():
    cosines = [0.9, 0.5, 0.3]
    mean = sum(cosines) / 3
    spread = math.sqrt(sum((c - mean) ** 2 for c in cosines) / 3)
    evidence = replace(
        EVIDENCE,
        n_chunks=3,
        cosines=dict(enumerate(cosines)),
        background=Background(mean, spread, 3),
    )
    rest = math.sqrt((2 * 0.1**2 + PRIOR_COSINES * 0.05**2) / (2 + PRIOR_COSINES))
    usual = (2 * 0.4 + PRIOR_MEANS * 0.4) / (2 + PRIOR_MEANS)
    features = measure_features(evidence, scale=SCALE)
    assert features.cosine_z == pytest.approx((0.9 - usual) / rest)


@pytest.mark.parametrize(
    "change", [{"cosines": {}}, {"cosines": {2: 0.6}}, {"background": None}], ids=str
)
def test_without_a_vector_of_the_best_passage_there_is_no_cosine(change: dict[str, object]):
    features = measure_features(replace(EVIDENCE, **change), scale=SCALE)
    assert (features.best_cosine, features.first_cosine, features.cosine_z) == (None, None, 0.0)


def test_best_passage_need_not_be_the_most_similar():
    features = measure_features(replace(EVIDENCE, first_keys={2}), scale=SCALE)
    assert (features.best_cosine, features.first_cosine) == (0.7, 0.6)


def test_legs_disagree_by_how_many_are_more_similar_than_the_best_by_words():
    lexical = [Candidate(2, 4.0)]
    cosines = {1: 0.7, 2: 0.6, 3: 0.65, 4: 0.1}
    disagreeing = replace(EVIDENCE, lexical=lexical, cosines=cosines)
    assert measure_features(disagreeing, scale=SCALE).disagreement == math.log1p(2)
    unknown = replace(EVIDENCE, lexical=[Candidate(9, 4.0)], cosines=cosines)
    assert measure_features(unknown, scale=SCALE).disagreement == math.log1p(4)
    for nothing in (replace(EVIDENCE, lexical=[]), replace(EVIDENCE, cosines={})):
        assert measure_features(nothing, scale=SCALE).disagreement == 0.0


def test_widest_coverage_is_of_any_of_the_first_passages():
    passages = [read_passage("The dog."), read_passage("A cat. Then the dog.")]
    features = measure_features(replace(EVIDENCE, passages=passages), scale=SCALE)
    assert (features.sentence_coverage, features.pooled_coverage, features.widest_coverage) == (
        0.25,
        0.75,
        1.0,
    )


def test_neighbours_in_the_best_passage_do_not_take_its_lead():
    lexical = [Candidate(1, 4.0), Candidate(2, 3.0), Candidate(3, 2.0)]
    apart = measure_features(replace(EVIDENCE, lexical=lexical), scale=SCALE)
    merged = measure_features(replace(EVIDENCE, lexical=lexical, first_keys={1, 2}), scale=SCALE)
    alone = measure_features(replace(EVIDENCE, lexical=lexical[:1]), scale=SCALE)
    assert [f.lexical_margin for f in (apart, merged, alone)] == [0.25, 0.5, 1.0]


def test_question_in_another_language_than_the_passage_is_marked():
    evidence = replace(EVIDENCE, question="猫狗？", query=SparseVector((1,), (1.0,)), lexical=[])
    features = measure_features(evidence, scale=SCALE)
    assert features.other_language
    assert (features.sentence_coverage, features.lexical_share, features.lexical_margin) == (
        0,
        0,
        0,
    )


@given(
    st.dictionaries(st.integers(0, 9), st.floats(-1, 1), max_size=8),
    st.integers(1, 400),
    st.floats(-1, 1),
    st.floats(1e-3, 1),
)
def test_features_are_always_finite(
    cosines: dict[int, float], n_chunks: int, mean: float, spread: float
):
    background = Background(mean, spread, min(n_chunks, 256))
    evidence = replace(EVIDENCE, cosines=cosines, n_chunks=n_chunks, background=background)
    features = measure_features(evidence, scale=SCALE)
    values = [getattr(features, name) or 0.0 for name in GateFeatures.__slots__[:-1]]
    assert [value for value in values if not math.isfinite(value)] == []
