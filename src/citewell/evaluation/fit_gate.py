"""Fit the gate to trials, and measure it on articles that the fit has not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from citewell.domain.errors import ConfigurationError
from citewell.evaluation.fit_logistic import Example, even_errors, fit_logistic
from citewell.evaluation.trials import Condition, Trial
from citewell.retrieval.assess import Gate, assess_evidence
from citewell.retrieval.gate_features import CosineScale, GateFeatures

HYBRID_FEATURES = (
    "best_cosine",
    "first_cosine",
    "sentence_coverage",
    "pooled_coverage",
    "widest_coverage",
    "lexical_margin",
    "disagreement",
    "corpus_size",
)
OWN_WEIGHTS = ("best_cosine",)
"""Features that weigh differently from language to language: an embedder reads some worse."""
FOREIGN_FEATURES = ("best_cosine", "cosine_z", "corpus_size")
LEXICAL_FEATURES = (
    "sentence_coverage",
    "lexical_share",
    "lexical_margin",
    "corpus_size",
    "question_length",
)
FOREIGN_ERROR_WEIGHT = 2.0
"""Of an answer without a topic next to a refusal, for passages in another language: no word shows
what is wrong there, and in a corpus of many languages most of what is found is such."""
OTHER_CORPUS_WEIGHT = 0.2
"""Of a corpus in several or other languages, next to one in the question's own."""
N_FOLDS = 4
"""Parts of the articles; each is judged by a fit to the others, to three quarters of all."""


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


def fit_gate(measured: Sequence[MeasuredTrial], *, embedder_key: str, scale: CosineScale) -> Gate:
    """Return the gate that best tells present paragraphs from absent topics.

    Every kind of corpus counts the same, however many trials it has, and so do both answers. In
    each language a confidence of one half is where the two errors are even, for questions to the
    largest corpus in their language; for passages in another language answers without a topic count
    more.
    Trials of which only the paragraph is absent are left out: whether the rest of the article
    answers is not known.

    Raises:
        ConfigurationError: scikit-learn is not installed, or there is nothing to fit to.
    """
    usable = [m for m in measured if m.trial.condition is not Condition.PARAGRAPH_ABSENT]
    weights = _balance([m.trial for m in usable])
    largest = _largest_sizes([m.trial for m in usable])
    examples = [
        _example(m, m.features, weight, largest) for m, weight in zip(usable, weights, strict=True)
    ]
    by_words = [
        _example(m, m.by_words, weight, largest)
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
        hybrid=even_errors(fit_logistic(own, HYBRID_FEATURES, own_weights=OWN_WEIGHTS), own),
        foreign=fit_logistic(foreign, FOREIGN_FEATURES) if _has_both(foreign) else None,
        lexical=even_errors(fit_logistic(by_words, LEXICAL_FEATURES), by_words),
        threshold=0.5,
    )


def judge_held_out(
    measured: Sequence[MeasuredTrial], fit: Callable[[Sequence[MeasuredTrial]], Gate]
) -> list[HeldOutTrial]:
    """Judge every trial by a gate fitted to the other folds; an article is in one fold only.

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


def _largest_sizes(trials: Sequence[Trial]) -> dict[str, int]:
    """Return the size of the largest corpus of each set, where an answer is hardest to judge."""
    largest: dict[str, int] = {}
    for trial in trials:
        if trial.corpus == trial.question.set_name:
            largest[trial.corpus] = max(trial.size, largest.get(trial.corpus, 0))
    return largest


def _example(
    measured: MeasuredTrial, features: GateFeatures, weight: float, largest: Mapping[str, int]
) -> Example:
    trial = measured.trial
    set_name = trial.question.set_name
    return Example(
        features,
        is_present=trial.condition is Condition.PRESENT,
        weight=weight,
        is_deciding=set_name == trial.corpus and trial.size == largest[set_name],
    )


def _has_both(examples: Sequence[Example]) -> bool:
    return {example.is_present for example in examples} == {True, False}
