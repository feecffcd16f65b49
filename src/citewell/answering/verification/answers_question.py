"""Whether words that support a sentence are about what was asked.

A passage near a question often answers another one: about another person, another year, the
opposite. What is supported is then true, and no answer. A logistic model of few features tells the
clear cases; `script/bench fit_answering` fits it, and its report tells what it misses.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any, cast

from citewell.answering.quoting.quote import Quote
from citewell.answering.verification.answer_features import AnswerFeatures, measure_answer
from citewell.answering.verification.evidence import EvidenceUnit, evidence_units
from citewell.domain.passage import Passage
from citewell.lexical.languages import is_in_other_language

MODEL_FILE = "answering_model.json"


@dataclass(frozen=True, slots=True)
class AnsweringModel:
    """A fitted model.

    Attributes:
        intercept: Log-odds when every feature is 0.
        weights: By name of the feature.
        threshold: Probability from which on words are taken for an answer, in [0, 1].
    """

    intercept: float
    weights: Mapping[str, float]
    threshold: float

    def probability(self, features: AnswerFeatures) -> float:
        """Return the probability in [0, 1] that words with these features answer."""
        values = asdict(features)
        odds = self.intercept + sum(w * values[name] for name, w in self.weights.items())
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, odds))))


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """Whether words answer a question.

    Attributes:
        is_answering: Whether they are taken for an answer.
        probability: In [0, 1]; of the questions that it was fitted to half had no answer.
        reasons: What speaks against it, such as `unknown_names 1`, the heaviest first.
    """

    is_answering: bool
    probability: float
    reasons: tuple[str, ...]


def answers_question(
    question: str, quotes: Sequence[Quote], passages: Sequence[Passage]
) -> AnswerVerdict:
    """Return whether quotes that support a sentence are about what was asked.

    A quote in another language than the question is taken for an answer: nothing here compares
    the two.

    Args:
        question: As asked, or as made self-contained.
        quotes: That support one sentence, or all of an answer; at least one.
        passages: Retrieved for the question; they hold the quotes.
    """
    others = evidence_units(passages)
    units = [unit for unit in others if _is_quoted(unit, quotes)]
    if not units or is_in_other_language(question, units[0].language):
        return AnswerVerdict(is_answering=True, probability=1.0, reasons=())
    model = load_model()
    features = measure_answer(question, units, others)
    probability = model.probability(features)
    return AnswerVerdict(
        is_answering=probability >= model.threshold,
        probability=probability,
        reasons=tuple(_reasons(features, model)),
    )


@cache
def load_model() -> AnsweringModel:
    """Return the model that ships with the package."""
    file = resources.files("citewell.answering.verification") / MODEL_FILE
    data = cast("dict[str, Any]", json.loads(file.read_text(encoding="utf-8")))
    weights = {str(name): float(value) for name, value in data["weights"].items()}
    return AnsweringModel(float(data["intercept"]), weights, float(data["threshold"]))


def _is_quoted(unit: EvidenceUnit, quotes: Sequence[Quote]) -> bool:
    return any(
        quote.chunk.chunk_id == unit.chunk.chunk_id and unit.unit in quote.units for quote in quotes
    )


def _reasons(features: AnswerFeatures, model: AnsweringModel) -> list[str]:
    values = asdict(features)
    effects = {name: weight * values[name] for name, weight in model.weights.items()}
    against = sorted((effect, name) for name, effect in effects.items() if effect < 0)
    return [f"{name} {values[name]:.3g}" for _, name in against]
