"""Fit the gate to trials, and measure it on articles that the fit has not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citewell.domain.errors import ConfigurationError
from citewell.evaluation.trials import Condition, Trial
from citewell.retrieval.assess import Gate, LogisticModel, assess_evidence
from citewell.retrieval.gate_features import CosineScale, GateFeatures

HYBRID_FEATURES = (
    "best_cosine",
    "cosine_z",
    "sentence_coverage",
    "passage_coverage",
    "pooled_coverage",
    "lexical_margin",
    "corpus_size",
)
FOREIGN_FEATURES = ("best_cosine", "cosine_z", "corpus_size")
LEXICAL_FEATURES = (
    "sentence_coverage",
    "lexical_share",
    "lexical_margin",
    "corpus_size",
    "question_length",
)
MIN_LANGUAGE_SHARE = 0.02
"""Of the examples, for a language to have an intercept of its own."""
FOREIGN_ERROR_WEIGHT = 2.0
"""Of an answer without a topic next to a refusal, for passages in another language: no word shows
what is wrong there, and in a corpus of many languages most of what is found is such."""
OTHER_CORPUS_WEIGHT = 0.2
"""Of a corpus in several or other languages, next to one in the question's own."""
N_FOLDS = 2
REGULARIZATION = 1.0
"""Inverse strength, scikit-learn's `C`, on standardised features."""


@dataclass(frozen=True, slots=True)
class MeasuredTrial:
    """A trial and what the gate would look at.

    Attributes:
        trial: The trial.
        features: After a search of both legs.
        by_words: After a search of the lexical leg alone; None if it found nothing.
    """

    trial: Trial
    features: GateFeatures
    by_words: GateFeatures | None


@dataclass(frozen=True, slots=True)
class HeldOutTrial:
    """A trial judged by a gate that was fitted without its article.

    Attributes:
        trial: The trial.
        with_cosines: Confidence of the hybrid variant.
        by_words: Confidence of the lexical variant.
    """

    trial: Trial
    with_cosines: float
    by_words: float


@dataclass(frozen=True, slots=True)
class _Example:
    """What a model is fitted to: features, the right answer, and what it counts."""

    features: GateFeatures
    is_present: bool
    weight: float


def fit_gate(measured: Sequence[MeasuredTrial], *, embedder_key: str, scale: CosineScale) -> Gate:
    """Return the gate that best tells present paragraphs from absent topics.

    Every kind of corpus counts the same, however many trials it has, and so do both answers, so
    that a confidence of one half is where the two errors are in balance; for passages in another
    language answers without a topic count more. Trials of which only the paragraph is absent are
    left out: whether the rest of the article answers is not known.

    Raises:
        ConfigurationError: scikit-learn is not installed, or there is nothing to fit to.
    """
    usable = [m for m in measured if m.trial.condition is not Condition.PARAGRAPH_ABSENT]
    weights = _balance([m.trial for m in usable])
    examples = [
        _Example(m.features, m.trial.condition is Condition.PRESENT, weight)
        for m, weight in zip(usable, weights, strict=True)
    ]
    by_words = [
        _Example(m.by_words, m.trial.condition is Condition.PRESENT, weight)
        for m, weight in zip(usable, weights, strict=True)
        if m.by_words is not None and not m.by_words.other_language
    ]
    own = [example for example in examples if not example.features.other_language]
    foreign = [
        example
        if example.is_present
        else replace(example, weight=FOREIGN_ERROR_WEIGHT * example.weight)
        for example in examples
        if example.features.other_language
    ]
    if not (_has_both(own) and _has_both(by_words)):
        raise ConfigurationError(
            "the question sets are too small to calibrate: they need several articles, each with "
            "paragraphs and questions"
        )
    return Gate(
        embedder=embedder_key,
        scale=scale,
        hybrid=_fit_model(own, HYBRID_FEATURES),
        foreign=_fit_model(foreign, FOREIGN_FEATURES) if _has_both(foreign) else None,
        lexical=_fit_model(by_words, LEXICAL_FEATURES),
        threshold=0.5,
    )


def judge_held_out(
    measured: Sequence[MeasuredTrial], fit: Callable[[Sequence[MeasuredTrial]], Gate]
) -> list[HeldOutTrial]:
    """Judge every trial by a gate fitted to the other fold; an article is in one fold only.

    Translations of an article have the same number and fall into the same fold.
    """
    judged: list[HeldOutTrial] = []
    for fold in range(N_FOLDS):
        inside = [m for m in measured if m.trial.question.article % N_FOLDS != fold]
        outside = [m for m in measured if m.trial.question.article % N_FOLDS == fold]
        gate = fit(inside)
        judged += [
            HeldOutTrial(
                m.trial,
                with_cosines=assess_evidence(m.features, gate),
                by_words=gate.lexical.probability(m.by_words) if m.by_words else 0.0,
            )
            for m in outside
        ]
    return judged


def _balance(trials: Sequence[Trial]) -> list[float]:
    """Return a weight per trial, so that each kind of corpus and each answer counts the same."""
    cells = [(t.question.set_name, t.corpus, t.size, t.condition) for t in trials]
    counts = Counter(cells)
    return [
        (1.0 if set_name == corpus else OTHER_CORPUS_WEIGHT)
        / counts[set_name, corpus, size, condition]
        for set_name, corpus, size, condition in cells
    ]


def _has_both(examples: Sequence[_Example]) -> bool:
    return {example.is_present for example in examples} == {True, False}


def _fit_model(examples: Sequence[_Example], names: Sequence[str]) -> LogisticModel:
    """Fit a logistic regression on standardised features, and express it in the original ones.

    The intercepts of languages are 0 on average: that is what a language gets that no set is in.
    """
    import numpy as np

    table = np.array(
        [[getattr(example.features, name) or 0.0 for name in names] for example in examples]
    )
    means = table.mean(axis=0)
    spreads = table.std(axis=0)
    spreads[spreads < 1e-9] = 1.0
    languages = _common_languages(examples)
    spoken = np.array(
        [[example.features.language == language for language in languages] for example in examples],
        dtype=float,
    ).reshape(len(examples), len(languages))
    importance = np.array([example.weight for example in examples])
    model = _logistic_regression()
    model.fit(
        np.hstack([(table - means) / spreads, spoken]),
        [example.is_present for example in examples],
        sample_weight=importance * len(importance) / importance.sum(),
    )
    weights = model.coef_[0][: len(names)] / spreads
    added = model.coef_[0][len(names) :]
    average = float(added.mean()) if languages else 0.0
    return LogisticModel(
        intercept=float(model.intercept_[0] - weights @ means) + average,
        weights={name: float(weight) for name, weight in zip(names, weights, strict=True)},
        languages={
            name: float(value) - average for name, value in zip(languages, added, strict=True)
        },
    )


def _common_languages(examples: Sequence[_Example]) -> list[str]:
    counts = Counter(example.features.language for example in examples)
    return sorted(
        language
        for language, count in counts.items()
        if language is not None and count >= MIN_LANGUAGE_SHARE * len(examples)
    )


def _logistic_regression() -> Any:
    """Return an unfitted model; the library's types are not complete."""
    try:
        from sklearn.linear_model import (  # pyright: ignore[reportMissingTypeStubs] - it has none
            LogisticRegression,
        )
    except ImportError as error:
        raise ConfigurationError(
            "calibration needs scikit-learn: install it with `pip install 'citewell[eval]'`"
        ) from error
    return LogisticRegression(C=REGULARIZATION, max_iter=5_000)
