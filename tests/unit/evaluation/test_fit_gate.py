from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from citewell.domain.errors import ConfigurationError
from citewell.evaluation.fit_gate import (
    FOREIGN_ERROR_WEIGHT,
    MeasuredTrial,
    fit_gate,
    judge_held_out,
)
from citewell.evaluation.passage_pool import PoolQuestion
from citewell.evaluation.trials import Condition, Trial
from citewell.retrieval.assess import Gate
from citewell.retrieval.gate_features import CosineScale, GateFeatures

SCALE = CosineScale(0.4, 0.05)
FEATURES = GateFeatures(
    best_cosine=0.5,
    first_cosine=0.5,
    cosine_z=2.0,
    sentence_coverage=0.5,
    pooled_coverage=0.5,
    widest_coverage=0.5,
    lexical_share=0.5,
    lexical_margin=0.1,
    disagreement=0.0,
    corpus_size=3.0,
    question_length=2.0,
    other_language=False,
    language="en",
)


def _measured(
    condition: Condition, cosine: float, *, article: int = 0, foreign: bool = False
) -> MeasuredTrial:
    question = PoolQuestion("en", article, article, "question")
    trial = Trial(question, "en", 12, condition, np.ones(2, dtype=bool))
    features = replace(
        FEATURES, best_cosine=cosine, sentence_coverage=cosine, other_language=foreign
    )
    return MeasuredTrial(trial, features, by_words=replace(features, best_cosine=None))


def _some(*, foreign: bool = False) -> list[MeasuredTrial]:
    return [
        _measured(condition, cosine + 0.01 * article, article=article, foreign=foreign)
        for article in range(4)
        for condition, cosine in ((Condition.PRESENT, 0.8), (Condition.TOPIC_ABSENT, 0.3))
    ]


def _fit(measured: list[MeasuredTrial]) -> Gate:
    return fit_gate(measured, embedder_key="some/model/3", scale=SCALE)


def test_gate_separates_what_it_was_fitted_to():
    gate = _fit(_some())
    assert gate.hybrid is not None
    high, low = (replace(FEATURES, best_cosine=c, sentence_coverage=c) for c in (0.9, 0.2))
    assert gate.hybrid.probability(low) < gate.threshold < gate.hybrid.probability(high)
    assert gate.lexical.probability(low) < gate.threshold < gate.lexical.probability(high)


def test_trials_without_only_the_paragraph_do_not_count():
    near = [_measured(Condition.PARAGRAPH_ABSENT, 0.9, article=n) for n in range(4)]
    assert _fit([*_some(), *near]) == _fit(_some())


def test_many_trials_of_one_kind_count_as_much_as_few():
    more = [_measured(Condition.PRESENT, 0.8 + 0.01 * n, article=n) for n in range(4)] * 50
    for measured in (_some(), [*_some(), *more]):
        hybrid = _fit(measured).hybrid
        assert hybrid is not None
        assert hybrid.probability(FEATURES) < 0.5


def test_passages_in_another_language_have_a_variant_of_their_own():
    assert _fit(_some()).foreign is None
    foreign = _fit([*_some(), *_some(foreign=True)]).foreign
    assert foreign is not None
    assert foreign.weights.keys() == {"best_cosine", "cosine_z", "corpus_size"}


def test_answers_without_a_topic_count_more_in_another_language():
    mixed_up = [
        _measured(condition, 0.5, article=n, foreign=True)
        for n in range(8)
        for condition in (Condition.PRESENT, Condition.TOPIC_ABSENT)
    ]
    foreign = _fit([*_some(), *mixed_up]).foreign
    assert foreign is not None
    assert foreign.probability(mixed_up[0].features) == pytest.approx(
        1 / (1 + FOREIGN_ERROR_WEIGHT), abs=0.01
    )


def test_additions_of_languages_are_zero_on_average():
    turkish = [
        replace(m, features=replace(m.features, language="tr", best_cosine=0.2)) for m in _some()
    ]
    hybrid = _fit([*_some(), *turkish]).hybrid
    assert hybrid is not None
    assert hybrid.languages.keys() == {"en", "tr"}
    for name in ("intercept", "best_cosine"):
        assert sum(added[name] for added in hybrid.languages.values()) == pytest.approx(0.0)
    assert hybrid.languages["tr"]["intercept"] > 0


def _resized(measured: list[MeasuredTrial], size: int) -> list[MeasuredTrial]:
    return [replace(m, trial=replace(m.trial, size=size)) for m in measured]


def test_largest_corpus_decides_where_errors_are_even():
    low = [_measured(Condition.PRESENT, 0.30 + 0.01 * n, article=n) for n in range(4)]
    low += [_measured(Condition.TOPIC_ABSENT, 0.20 + 0.01 * n, article=n) for n in range(4)]
    large = _resized(_some(), 40)
    hybrids = [_fit(part).hybrid for part in ([*low, *large], [*large, *low])]
    for hybrid in hybrids:
        assert hybrid is not None
        present = [hybrid.probability(m.features) > 0.5 for m in large]
        assert present == [True, False] * 4
        assert not any(hybrid.probability(m.features) > 0.5 for m in low)


def test_one_answer_only_cannot_be_fitted():
    with pytest.raises(ConfigurationError, match="too small"):
        _fit([_measured(Condition.PRESENT, 0.8)])


def test_article_is_judged_by_a_fit_without_it():
    seen: list[set[int]] = []

    def fit(part: list[MeasuredTrial]) -> Gate:
        seen.append({m.trial.question.article for m in part})
        return _fit(part)

    judged = judge_held_out(_some(), lambda part: fit(list(part)))
    assert seen == [{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}]
    assert [j.trial.question.article for j in judged] == [0, 0, 1, 1, 2, 2, 3, 3]


def test_search_that_found_no_word_has_no_confidence_by_words():
    lost = replace(_measured(Condition.PRESENT, 0.8), by_words=None)
    judged = judge_held_out([*_some(), lost], _fit_sequence)
    assert [j.by_words for j in judged].count(0.0) == 1


def _fit_sequence(part: object) -> Gate:
    assert isinstance(part, list)
    return _fit(part)
