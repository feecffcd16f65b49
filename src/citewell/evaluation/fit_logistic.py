"""Fit a logistic regression to examples of enough and not enough evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from citewell.domain.errors import ConfigurationError
from citewell.retrieval.assess import INTERCEPT, LogisticModel
from citewell.retrieval.gate_features import GateFeatures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MIN_LANGUAGE_SHARE = 0.02
"""Of the examples, for a language to have additions of its own."""
REGULARIZATION = 1.0
"""Inverse strength, scikit-learn's `C`, on standardised features."""


@dataclass(frozen=True, slots=True)
class Example:
    """What a model is fitted to: features, the right answer, and what it counts.

    Attributes:
        features: Of the evidence.
        is_present: Whether the paragraph is in the corpus.
        weight: Above 0.
        is_deciding: Whether it counts where the errors of its language are made even.
    """

    features: GateFeatures
    is_present: bool
    weight: float
    is_deciding: bool


def fit_logistic(
    examples: Sequence[Example], names: Sequence[str], *, own_weights: Sequence[str] = ()
) -> LogisticModel:
    """Fit a logistic regression on standardised features, and express it in the original ones.

    What languages add is 0 on average: that is what a language gets that no example is in.

    Args:
        examples: Of both answers.
        names: Features.
        own_weights: Those of them to whose weight a language adds; all add to the intercept.

    Raises:
        ConfigurationError: scikit-learn is not installed.
    """
    import numpy as np

    table = np.array(
        [[getattr(example.features, name) or 0.0 for name in names] for example in examples]
    )
    means = table.mean(axis=0)
    spreads = table.std(axis=0)
    spreads[spreads < 1e-9] = 1.0
    table = (table - means) / spreads
    own = [names.index(name) for name in own_weights]
    languages = _common_languages(examples)
    intercept, coefficients = _regress(_with_languages(table, examples, languages, own), examples)
    weights = coefficients[: len(names)] / spreads
    added = coefficients[len(names) :].reshape(len(languages), 1 + len(own))
    added[:, 1:] /= spreads[own]
    added[:, 0] -= added[:, 1:] @ means[own]
    return _centred(
        LogisticModel(
            intercept=float(intercept - weights @ means),
            weights=dict(zip(names, weights.tolist(), strict=True)),
            languages={
                language: dict(zip((INTERCEPT, *own_weights), row, strict=True))
                for language, row in zip(languages, added.tolist(), strict=True)
            },
        )
    )


def even_errors(model: LogisticModel, examples: Sequence[Example]) -> LogisticModel:
    """Shift each language so that its two errors are even at a probability of one half.

    Only deciding examples count; a regression alone puts one half where the sum of both errors is
    small, not where they are even.
    """
    languages: dict[str, Mapping[str, float]] = {}
    for language, added in model.languages.items():
        deciding = [e for e in examples if e.is_deciding and e.features.language == language]
        shift = _even_threshold([model.log_odds(e.features) for e in deciding], deciding)
        languages[language] = {**added, INTERCEPT: added[INTERCEPT] - shift}
    return _centred(replace(model, languages=languages))


def _with_languages(
    table: NDArray[np.float64],
    examples: Sequence[Example],
    languages: Sequence[str],
    own: Sequence[int],
) -> NDArray[np.float64]:
    """Return the table with columns for each language: whether it is that, and `own` within it."""
    import numpy as np

    columns = [table]
    for language in languages:
        is_spoken = np.array([[e.features.language == language] for e in examples], dtype=float)
        columns += [is_spoken, is_spoken * table[:, own]]
    return np.hstack(columns)


def _regress(
    table: NDArray[np.float64], examples: Sequence[Example]
) -> tuple[float, NDArray[np.float64]]:
    """Return intercept and coefficients."""
    import numpy as np

    importance = np.array([example.weight for example in examples])
    model = _logistic_regression()
    model.fit(
        table,
        [example.is_present for example in examples],
        sample_weight=importance * len(importance) / importance.sum(),
    )
    return float(model.intercept_[0]), model.coef_[0]


def _even_threshold(log_odds: Sequence[float], examples: Sequence[Example]) -> float:
    """Return the log-odds below which as much weight is refused as is answered wrongly above."""
    import numpy as np

    if len(examples) < 2:
        return 0.0
    scores = np.array(log_odds)
    order = scores.argsort(kind="stable")
    refused = np.array([e.weight if e.is_present else 0.0 for e in examples])[order].cumsum()
    rejected = np.array([0.0 if e.is_present else e.weight for e in examples])[order].cumsum()
    wrong = rejected[-1] - rejected
    best = int(np.argmin(np.abs(refused[:-1] - wrong[:-1])))
    return float(scores[order[best : best + 2]].mean())


def _centred(model: LogisticModel) -> LogisticModel:
    """Return the same model with additions of languages that are 0 on average."""
    if not model.languages:
        return model
    rows = list(model.languages.values())
    average = {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}
    return LogisticModel(
        intercept=model.intercept + average[INTERCEPT],
        weights={name: value + average.get(name, 0.0) for name, value in model.weights.items()},
        languages={
            language: {name: value - average[name] for name, value in row.items()}
            for language, row in model.languages.items()
        },
    )


def _common_languages(examples: Sequence[Example]) -> list[str]:
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
