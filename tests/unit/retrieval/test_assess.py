from __future__ import annotations

import math
from dataclasses import replace

import pytest

from citewell.domain.chunk import SparseVector
from citewell.domain.errors import ConfigurationError
from citewell.domain.passage import Passage, VisibleChunk
from citewell.lexical.weigh import weigh_query
from citewell.ports.index import Candidate
from citewell.retrieval.assess import (
    CalibratedJudge,
    Gate,
    LogisticModel,
    assess_evidence,
    gate_as_json,
    load_gate,
    parse_gate,
)
from citewell.retrieval.background import Background
from citewell.retrieval.gate_features import CosineScale, GateFeatures
from citewell.retrieval.judge_evidence import Evidence, EvidenceVerdict

FEATURES = GateFeatures(
    best_cosine=0.8,
    first_cosine=0.75,
    cosine_z=4.0,
    sentence_coverage=0.5,
    pooled_coverage=0.5,
    widest_coverage=0.6,
    lexical_share=0.7,
    lexical_margin=0.2,
    disagreement=0.0,
    corpus_size=3.0,
    question_length=1.5,
    other_language=False,
    language="en",
)
GATE = Gate(
    embedder="some/model/3",
    scale=CosineScale(0.4, 0.05),
    hybrid=LogisticModel(-1.0, {"cosine_z": 0.5}, {"tr": {"intercept": 0.25, "cosine_z": 0.125}}),
    foreign=LogisticModel(-1.0, {"cosine_z": 0.75}),
    lexical=LogisticModel(-2.0, {"sentence_coverage": 3.0}),
    threshold=0.6,
)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _model_json(
    weights: dict[str, float], languages: dict[str, object] | None = None
) -> dict[str, object]:
    return {"intercept": 1.0, "weights": weights, "languages": languages or {}}


def _passage(content: str, *, title: str = "") -> Passage:
    chunk = VisibleChunk(
        chunk_key=1,
        chunk_id="c",
        document_key=1,
        document_id="d",
        ordinal=0,
        content=content,
        span=(0, len(content)),
        header_span=None,
        heading_path=(),
        title=title,
        n_tokens=3,
        page_start=None,
        page_end=None,
        paragraph_start=None,
        paragraph_end=None,
        page_breaks=(),
        tier="employee",
        source_name="s",
        source_type="folder",
        relative_path="a.md",
        tags=(),
        modified_at="2026-01-01T00:00:00Z",
    )
    return Passage(1, chunk, content, chunk.span, 0.9, None, None, (chunk,))


def _evidence(content: str, *, cosine: float | None = None, title: str = "") -> Evidence:
    query = weigh_query("export limits", {}, 20)
    return Evidence(
        question="export limits",
        query=query,
        n_chunks=20,
        lexical=(Candidate(1, 2.0),),
        cosines={} if cosine is None else {1: cosine},
        background=None if cosine is None else Background(0.4, 0.05, 20),
        passages=(_passage(content, title=title),),
        vector_share=0.0 if cosine is None else 1.0,
    )


def test_cosines_decide_where_there_are_any():
    assert assess_evidence(FEATURES, GATE) == pytest.approx(_sigmoid(1.0))


def test_words_decide_without_a_cosine_or_a_gate_for_it():
    without_cosine = replace(FEATURES, best_cosine=None)
    assert assess_evidence(without_cosine, GATE) == pytest.approx(_sigmoid(-0.5))
    assert assess_evidence(FEATURES, replace(GATE, hybrid=None)) == pytest.approx(_sigmoid(-0.5))


def test_passage_in_another_language_is_judged_without_its_words():
    foreign = replace(FEATURES, other_language=True)
    assert assess_evidence(foreign, GATE) == pytest.approx(_sigmoid(2.0))
    assert assess_evidence(foreign, replace(GATE, foreign=None)) == pytest.approx(_sigmoid(1.0))


def test_language_of_the_passage_adds_what_was_fitted_for_it():
    assert assess_evidence(replace(FEATURES, language="tr"), GATE) == pytest.approx(_sigmoid(1.75))
    assert assess_evidence(replace(FEATURES, language=None), GATE) == pytest.approx(_sigmoid(1.0))


def test_huge_odds_stay_probabilities():
    sure = replace(GATE, hybrid=LogisticModel(1e6, {}))
    assert assess_evidence(FEATURES, sure) == pytest.approx(1.0)


def test_gate_survives_its_file():
    assert parse_gate(gate_as_json(GATE)) == GATE
    words = replace(GATE, hybrid=None, foreign=None)
    assert parse_gate(gate_as_json(words)) == words


@pytest.mark.parametrize(
    "broken",
    [
        {},
        [],
        None,
        {**gate_as_json(GATE), "format": 0},
        {**gate_as_json(GATE), "lexical": {"intercept": 1.0}},
        {**gate_as_json(GATE), "lexical": _model_json({"moon_phase": 1.0})},
        {**gate_as_json(GATE), "lexical": _model_json({}, {"en": {"cosine_z": 1.0}})},
        {**gate_as_json(GATE), "lexical": _model_json({}, {"en": 1.0})},
        {**gate_as_json(GATE), "threshold": "high"},
    ],
)
def test_broken_gate_is_refused_with_what_to_do(broken: object):
    with pytest.raises(ConfigurationError, match=r"calibrate again|do not exist"):
        parse_gate(broken)


def test_unknown_embedder_is_judged_by_words():
    assert load_gate("no/such/embedder").embedder == "words-only"
    assert load_gate(None).hybrid is None


@pytest.mark.parametrize("cosine", [0.1, 0.199, 0.201, 0.9])
def test_fake_embedder_answers_from_a_cosine_of_one_fifth(cosine: float):
    judge = CalibratedJudge(load_gate("fake/fake-lexical-v1/1024"))
    assert judge.judge_evidence(_evidence("x", cosine=cosine)).is_sufficient == (cosine > 0.2)


def test_nothing_found_is_not_enough():
    evidence = replace(_evidence("x"), passages=())
    assert CalibratedJudge(GATE).judge_evidence(evidence) == EvidenceVerdict(
        0.0, is_sufficient=False, rule="nothing found"
    )


def test_threshold_of_the_gate_can_be_moved():
    evidence = _evidence("export limits are 5")
    verdict = CalibratedJudge(GATE).judge_evidence(evidence)
    assert (verdict.confidence, verdict.is_sufficient) == (pytest.approx(_sigmoid(1.0)), True)
    assert verdict.rule == "gate by words"
    assert not CalibratedJudge(GATE, min_confidence=0.9).judge_evidence(evidence).is_sufficient


def test_minimum_similarity_replaces_the_gate():
    judge = CalibratedJudge(GATE, min_similarity=0.35)
    enough = judge.judge_evidence(_evidence("x", cosine=0.36))
    assert (enough.is_sufficient, enough.rule) == (True, "minimum similarity")
    assert not judge.judge_evidence(_evidence("export limits", cosine=0.34)).is_sufficient


def test_title_counts_as_context_of_the_passage():
    lexical = LogisticModel(0.0, {"sentence_coverage": 1.0})
    judge = CalibratedJudge(replace(GATE, lexical=lexical))
    without = judge.judge_evidence(_evidence("the limits are 5"))
    titled = judge.judge_evidence(_evidence("the limits are 5", title="Export"))
    assert without.features["sentence_coverage"] < 1.0
    assert titled.features["sentence_coverage"] == pytest.approx(1.0)


def test_question_without_terms_has_a_verdict():
    evidence = replace(_evidence("x"), query=SparseVector((), ()), lexical=())
    assert not CalibratedJudge(GATE).judge_evidence(evidence).is_sufficient
