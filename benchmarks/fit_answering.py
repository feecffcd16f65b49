"""Fit what tells that supported words do not answer, and report what it misses.

    script/bench fit_answering --squad2 FILE [--xquad FOLDER] [--write]

SQuAD 2.0 has questions without an answer, each with the words that look like one. The model is
fitted on every second article, its threshold chosen there; the other articles tell how good it is.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from citewell.answering.quoting.quote import Quote
from citewell.answering.verification.answer_features import AnswerFeatures, measure_answer
from citewell.answering.verification.answers_question import (
    MODEL_FILE,
    AnsweringModel,
    answers_question,
)
from citewell.answering.verification.evidence import EvidenceUnit, evidence_units
from machine import describe_machine
from verifier import passages_of

LOST = 0.04
"""Share of answered questions of the fitted half whose answer the threshold may cost."""
SHOWN = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.10)
FOLDER = Path(__file__).parent.parent / "src/citewell/answering/verification"


@dataclass(frozen=True, slots=True)
class Example:
    """A question with the sentence that is said to answer it."""

    article: int
    question: str
    unit: EvidenceUnit
    units: tuple[EvidenceUnit, ...]
    is_answer: bool


def read_examples(file: Path) -> Iterator[Example]:
    """Yield questions of a set in SQuAD's layout, with a paragraph and its neighbours."""
    for article, data in enumerate(json.loads(file.read_text("utf-8"))["data"]):
        paragraphs = data["paragraphs"]
        for place, paragraph in enumerate(paragraphs):
            near = [place, *(i for i in range(place - 2, place + 3) if i != place)]
            texts = [paragraphs[i]["context"] for i in near if 0 <= i < len(paragraphs)]
            units = tuple(evidence_units(passages_of(texts)))
            for qa in paragraph["qas"]:
                yield from _example(article, qa, units)


def _example(article: int, qa: dict[str, Any], units: Sequence[EvidenceUnit]) -> Iterator[Example]:
    is_answer = not qa.get("is_impossible", False)
    answers = qa["answers"] if is_answer else qa.get("plausible_answers", [])
    start = answers[0]["answer_start"] if answers else -1
    for unit in units:
        if unit.passage == 0 and unit.unit.start <= start < unit.unit.end:
            yield Example(article, qa["question"], unit, tuple(units), is_answer)


def fit(features: Sequence[AnswerFeatures], are_answers: Sequence[bool]) -> AnsweringModel:
    """Return a logistic regression, with the threshold that loses `LOST` of the answers."""
    from sklearn.linear_model import LogisticRegression

    names = list(AnswerFeatures.__slots__)
    table = np.array([[getattr(f, name) for name in names] for f in features])
    spreads = table.std(axis=0) + 1e-9
    fitted = LogisticRegression(C=1.0, max_iter=1000).fit(table / spreads, are_answers)
    weights = fitted.coef_[0] / spreads
    model = AnsweringModel(
        float(fitted.intercept_[0]), dict(zip(names, map(float, weights), strict=True)), 0.0
    )
    right = [
        model.probability(f)
        for f, is_answer in zip(features, are_answers, strict=True)
        if is_answer
    ]
    threshold = float(np.quantile(right, LOST))
    return AnsweringModel(model.intercept, model.weights, threshold)


def main() -> None:
    """Fit, print what the held-out half shows, and write the model if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--squad2", type=Path, required=True)
    parser.add_argument("--xquad", type=Path)
    parser.add_argument("--write", action="store_true", help="replace the model of the package")
    arguments = parser.parse_args()
    examples = list(read_examples(arguments.squad2))
    features = [measure_answer(e.question, [e.unit], e.units) for e in examples]
    fitted_on = [i for i, e in enumerate(examples) if e.article % 2 == 0]
    held_out = [i for i, e in enumerate(examples) if e.article % 2]
    model = fit([features[i] for i in fitted_on], [examples[i].is_answer for i in fitted_on])
    scores = np.array([model.probability(features[i]) for i in held_out])
    truth = np.array([examples[i].is_answer for i in held_out])
    figures: dict[str, Any] = {
        "benchmark": "fit_answering",
        "machine": describe_machine(),
        "fitted_on": len(fitted_on),
        "held_out": len(held_out),
        "weights": {name: round(weight, 3) for name, weight in model.weights.items()},
        "at_threshold": _shares(scores, truth, model.threshold),
        "roc": [_shares(scores, truth, float(np.quantile(scores[truth], lost))) for lost in SHOWN],
        "auc": round(_area(scores, truth), 4),
    }
    if arguments.write:
        _write(model)
    if arguments.xquad:
        figures["lost_in_xquad"] = {
            file.stem: _lost(file) for file in sorted(arguments.xquad.glob("*.json"))
        }
    print(json.dumps(figures))


def _shares(scores: np.ndarray, truth: np.ndarray, threshold: float) -> dict[str, float]:
    return {
        "threshold": round(threshold, 4),
        "answers_lost": round(float((scores[truth] < threshold).mean()), 4),
        "others_rejected": round(float((scores[~truth] < threshold).mean()), 4),
    }


def _area(scores: np.ndarray, truth: np.ndarray) -> float:
    """Return the area under the ROC curve."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(truth, scores))


def _lost(file: Path) -> float:
    """Return the share of answers of another set that the shipped model loses."""
    lost = total = 0
    for example in read_examples(file):
        chunk = example.unit.chunk
        quote = Quote(chunk, (example.unit.unit,), score=1.0, passage_score=None)
        texts = [unit.chunk.content for unit in example.units if unit.place == 0]
        verdict = answers_question(example.question, [quote], passages_of(texts))
        total += 1
        lost += not verdict.is_answering
    return round(lost / total, 4)


def _write(model: AnsweringModel) -> None:
    data = {
        "intercept": round(model.intercept, 4),
        "threshold": round(model.threshold, 4),
        "weights": {name: round(weight, 4) for name, weight in model.weights.items()},
    }
    (FOLDER / MODEL_FILE).write_text(json.dumps(data, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
