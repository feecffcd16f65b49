from __future__ import annotations

from dataclasses import replace

import pytest

from citewell.evaluation.fit_logistic import Example, even_errors, fit_logistic
from citewell.retrieval.assess import LogisticModel
from citewell.retrieval.gate_features import GateFeatures

FEATURES = GateFeatures(
    best_cosine=0.0,
    first_cosine=0.0,
    cosine_z=0.0,
    sentence_coverage=0.0,
    pooled_coverage=0.0,
    widest_coverage=0.0,
    lexical_share=0.0,
    lexical_margin=0.0,
    disagreement=0.0,
    corpus_size=3.0,
    question_length=2.0,
    other_language=False,
    language="en",
)


def _example(
    cosine: float,
    *,
    is_present: bool,
    language: str = "en",
    weight: float = 1.0,
    is_deciding: bool = True,
) -> Example:
    features = replace(FEATURES, best_cosine=cosine, language=language)
    return Example(features, is_present=is_present, weight=weight, is_deciding=is_deciding)


def _examples(*, language: str, border: float, step: float) -> list[Example]:
    """Return absent examples below the border and present ones above it, with some overlap."""
    return [
        _example(border + sign * step * n, is_present=sign > 0, language=language)
        for sign in (-1, 1)
        for n in range(-2, 12)
    ]


def test_weight_of_a_language_is_its_own_where_that_is_asked():
    examples = [
        *_examples(language="en", border=0.5, step=0.01),
        *_examples(language="tr", border=0.3, step=0.04),
    ]
    own = fit_logistic(examples, ["best_cosine"], own_weights=["best_cosine"])
    assert own.languages["en"]["best_cosine"] > 0 > own.languages["tr"]["best_cosine"]
    shared = fit_logistic(examples, ["best_cosine"])
    assert shared.languages["tr"].keys() == {"intercept"}
    assert shared.languages["tr"]["intercept"] > 0 > shared.languages["en"]["intercept"]


def test_unlisted_language_gets_the_average():
    examples = [
        *_examples(language="en", border=0.5, step=0.01),
        *_examples(language="tr", border=0.3, step=0.04),
    ]
    model = fit_logistic(examples, ["best_cosine"], own_weights=["best_cosine"])
    odds = {
        language: model.log_odds(replace(FEATURES, best_cosine=0.4, language=language))
        for language in ("en", "tr", "fi")
    }
    assert odds["fi"] == pytest.approx((odds["en"] + odds["tr"]) / 2)


def _errors(model: LogisticModel, examples: list[Example], language: str) -> tuple[float, float]:
    """Return the weights of what is answered wrongly and of what is refused."""
    wrong = refused = 0.0
    for example in examples:
        if example.features.language == language and example.is_deciding:
            is_answered = model.probability(example.features) >= 0.5
            wrong += example.weight * (is_answered and not example.is_present)
            refused += example.weight * (not is_answered and example.is_present)
    return wrong, refused


def test_errors_of_each_language_are_even_at_one_half():
    examples = [
        _example(cosine / 100, is_present=is_present, language=language)
        for language, first in (("en", 40), ("tr", 20))
        for is_present, start, n in ((True, first, 50), (False, first - 40, 50))
        for cosine in range(start, start + n)
    ]
    languages = {name: {"intercept": 0.0} for name in ("en", "tr")}
    model = LogisticModel(0.0, {"best_cosine": 10.0}, languages)
    even = even_errors(model, examples)
    assert _errors(model, examples, "en") != (5.0, 5.0)
    assert [_errors(even, examples, name) for name in ("en", "tr")] == [(5.0, 5.0), (5.0, 5.0)]
    assert sum(added["intercept"] for added in even.languages.values()) == pytest.approx(0.0)


def test_only_deciding_examples_count_where_errors_are_made_even():
    deciding = _examples(language="en", border=0.5, step=0.01)
    other = [_example(0.9, is_present=False, is_deciding=False, weight=100.0)]
    model = LogisticModel(-1.0, {"best_cosine": 10.0}, {"en": {"intercept": 0.0}})
    assert even_errors(model, [*deciding, *other]) == even_errors(model, deciding)


def test_language_without_deciding_examples_is_not_shifted():
    model = LogisticModel(-1.0, {"best_cosine": 10.0}, {"en": {"intercept": 0.5}})
    even = even_errors(model, [_example(0.9, is_present=True, language="tr")])
    assert even.log_odds(FEATURES) == pytest.approx(model.log_odds(FEATURES))
