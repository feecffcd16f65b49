"""Fit the gate to trials, and measure it on articles that the fit has not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citewell.domain.errors import ConfigurationError
from citewell.evaluation.trials import Condition, Trial
from citewell.retrieval.assess import Gate, LogisticModel, assess_evidence
from citewell.retrieval.gate_features import CosineScale, GateFeatures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HYBRID_FEATURES = (
    "best_cosine",
    "cosine_z",
    "cosine_margin",
    "sentence_coverage",
    "passage_coverage",
    "pooled_coverage",
    "lexical_share",
    "lexical_margin",
    "legs_agree",
    "corpus_size",
    "question_length",
)
FOREIGN_FEATURES = (
    "best_cosine",
    "cosine_z",
    "cosine_margin",
    "legs_agree",
    "corpus_size",
    "question_length",
)
LEXICAL_FEATURES = (
    "sentence_coverage",
    "passage_coverage",
    "pooled_coverage",
    "lexical_share",
    "lexical_margin",
    "corpus_size",
    "question_length",
)
_Row = tuple[Trial, GateFeatures]

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


def fit_gate(measured: Sequence[MeasuredTrial], *, embedder_key: str, scale: CosineScale) -> Gate:
    """Return the gate that best tells present paragraphs from absent topics.

    Every kind of corpus weighs the same, however many trials it has, and so do both answers, so
    that a confidence of one half is where the two errors are in balance. Trials of which only the
    paragraph is absent are left out: whether the rest of the article answers is not known.

    Raises:
        ConfigurationError: scikit-learn is not installed, or there is nothing to fit to.
    """
    usable = [m for m in measured if m.trial.condition is not Condition.PARAGRAPH_ABSENT]
    if not _has_both([(m.trial, m.features) for m in usable]):
        raise ConfigurationError(
            "the question sets are too small to calibrate: they need several articles, each with "
            "paragraphs and questions"
        )
    rows = [(m.trial, m.features) for m in usable]
    foreign = [row for row in rows if row[1].other_language]
    return Gate(
        embedder=embedder_key,
        scale=scale,
        hybrid=_fit_model([row for row in rows if not row[1].other_language], HYBRID_FEATURES),
        foreign=_fit_model(foreign, FOREIGN_FEATURES) if _has_both(foreign) else None,
        lexical=_fit_model(
            [(m.trial, m.by_words) for m in usable if m.by_words is not None], LEXICAL_FEATURES
        ),
        threshold=0.5,
    )


def _has_both(rows: Sequence[_Row]) -> bool:
    return len({trial.condition for trial, _ in rows}) == 2


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


def _fit_model(measured: Sequence[_Row], names: Sequence[str]) -> LogisticModel:
    table = _table(measured, names)
    means = table.mean(axis=0)
    spreads = table.std(axis=0)
    spreads[spreads < 1e-9] = 1.0
    is_present = [trial.condition is Condition.PRESENT for trial, _ in measured]
    model = _logistic_regression()
    model.fit((table - means) / spreads, is_present, sample_weight=_balance(measured))
    weights = model.coef_[0] / spreads
    return LogisticModel(
        intercept=float(model.intercept_[0] - weights @ means),
        weights={name: float(weight) for name, weight in zip(names, weights, strict=True)},
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


def _table(measured: Sequence[_Row], names: Sequence[str]) -> NDArray[np.float64]:
    """Return `float64[n_trials, n_features]`; a missing cosine is 0."""
    import numpy as np

    return np.array([[getattr(row, name) or 0.0 for name in names] for _, row in measured])


def _balance(measured: Sequence[_Row]) -> NDArray[np.float64]:
    """Return a weight per trial, so that each kind of corpus and each answer weighs the same."""
    import numpy as np

    cells = [
        (trial.question.set_name, trial.corpus, trial.size, trial.condition)
        for trial, _ in measured
    ]
    counts = Counter(cells)
    weights = np.array([1.0 / counts[cell] for cell in cells])
    return weights * len(weights) / weights.sum()
