"""Whether what was found is enough to answer: a calibrated probability.

A gate is a logistic regression over `GateFeatures`, in three variants: with cosines and words; with
cosines, for a passage in another language than the question; by words alone, for a passage that has
no vector yet. Cosines of two embedders are not alike, so a gate is one embedder's; an embedder that
has none is judged by words. `rag eval calibrate` fits a gate.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, fields
from functools import lru_cache
from importlib import resources
from typing import Any, cast

from citewell.domain.errors import ConfigurationError
from citewell.lexical.cover import read_passage
from citewell.retrieval.codes import missing_codes
from citewell.retrieval.gate_features import (
    POOLED_PASSAGES,
    CosineScale,
    GateFeatures,
    SearchEvidence,
    measure_features,
)
from citewell.retrieval.judge_evidence import Evidence, EvidenceVerdict

GATE_FORMAT = 2
WORDS_ONLY = "words-only"
"""Name of the gate for embedders that have none."""

INTERCEPT = "intercept"
"""Name of what is added without a feature, in the addition of a language."""

_FEATURE_NAMES = frozenset(f.name for f in fields(GateFeatures)) - {"language"}


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """`1 / (1 + exp(-(intercept + sum of weight * feature)))`, with an addition by language.

    Attributes:
        intercept: Log-odds when every feature is 0.
        weights: By name of the feature.
        languages: What is added for the passage's language, to the intercept and to weights by
            name, since neither an embedder's cosines nor the words that two texts share are alike
            in all; nothing for one that is not listed.
    """

    intercept: float
    weights: Mapping[str, float]
    languages: Mapping[str, Mapping[str, float]] = field(
        default_factory=dict[str, Mapping[str, float]]
    )

    def log_odds(self, features: GateFeatures) -> float:
        """Return the logarithm of the odds; a cosine that is missing counts as 0."""
        added = self.languages.get(features.language or "", {})
        return (
            self.intercept
            + added.get(INTERCEPT, 0.0)
            + sum(
                (weight + added.get(name, 0.0)) * (getattr(features, name) or 0.0)
                for name, weight in self.weights.items()
            )
        )

    def probability(self, features: GateFeatures) -> float:
        """Return the probability in [0, 1]."""
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, self.log_odds(features)))))


@dataclass(frozen=True, slots=True)
class Gate:
    """A fitted gate.

    Attributes:
        embedder: Key of the embedding model, or `words-only`.
        scale: Of the embedder's cosines.
        hybrid: With cosines; None if the embedder has no gate of its own.
        foreign: The same for a passage in another language; None as above.
        lexical: By words alone.
        threshold: Confidence from which on evidence is enough, in [0, 1].
    """

    embedder: str
    scale: CosineScale
    hybrid: LogisticModel | None
    foreign: LogisticModel | None
    lexical: LogisticModel
    threshold: float


@dataclass(frozen=True, slots=True)
class CalibratedJudge:
    """Judges by a gate, or by the reader's own limit.

    Attributes:
        gate: Fitted for the embedder in use.
        min_confidence: Replaces the gate's threshold, in [0, 1].
        min_similarity: Replaces the gate: the best cosine must reach it. While a question has no
            cosine the gate decides by words.
    """

    gate: Gate
    min_confidence: float | None = None
    min_similarity: float | None = None

    def judge_evidence(self, evidence: Evidence) -> EvidenceVerdict:
        """Return the verdict; without passages, confidence 0 and not sufficient."""
        if not evidence.passages:
            return EvidenceVerdict(0.0, is_sufficient=False, rule="nothing found")
        if missing := missing_codes(evidence.question, _all_texts(evidence)):
            rule = f"not found: {', '.join(missing)}"
            return EvidenceVerdict(0.0, is_sufficient=False, rule=rule)
        features = measure_features(_search_evidence(evidence), scale=self.gate.scale)
        confidence = assess_evidence(features, self.gate)
        shown = {name: float(getattr(features, name) or 0.0) for name in sorted(_FEATURE_NAMES)}
        if self.min_similarity is not None and evidence.cosines:
            best = max(evidence.cosines.values())
            return EvidenceVerdict(
                confidence, best >= self.min_similarity, "minimum similarity", shown
            )
        threshold = self.gate.threshold if self.min_confidence is None else self.min_confidence
        rule = _variant(features, self.gate)[0]
        return EvidenceVerdict(confidence, confidence >= threshold, rule, shown)


def assess_evidence(features: GateFeatures, gate: Gate) -> float:
    """Return the probability in [0, 1] that the passages answer the question."""
    return _variant(features, gate)[1].probability(features)


def _variant(features: GateFeatures, gate: Gate) -> tuple[str, LogisticModel]:
    """Return the name and the model of the variant that fits the evidence."""
    if features.best_cosine is None or gate.hybrid is None:
        return "gate by words", gate.lexical
    if features.other_language and gate.foreign is not None:
        return "gate across languages", gate.foreign
    return "gate", gate.hybrid


@lru_cache
def load_gate(embedder_key: str | None) -> Gate:
    """Return the gate that ships for an embedder, or the one by words alone.

    Args:
        embedder_key: `EmbeddingModel.key`, or None without an embedder.
    """
    folder = resources.files("citewell.retrieval") / "gates"
    for name in (gate_file_name(embedder_key), gate_file_name(WORDS_ONLY)):
        file = folder / name
        if file.is_file():
            return parse_gate(json.loads(file.read_text(encoding="utf-8")))
    raise ConfigurationError("the package holds no gate: install it again")


def gate_file_name(embedder_key: str | None) -> str:
    """Return the file name of an embedder's gate, e.g. `fake--fake-lexical-v1--1024.json`."""
    return (embedder_key or WORDS_ONLY).replace("/", "--") + ".json"


def parse_gate(data: object) -> Gate:
    """Return the gate that a JSON document describes.

    Raises:
        ConfigurationError: It is of another format, or not complete.
    """
    try:
        values = cast("Mapping[str, Any]", data)
        if values["format"] != GATE_FORMAT:
            raise ConfigurationError(f"the gate's format is not {GATE_FORMAT}: calibrate again")
        return Gate(
            embedder=str(values["embedder"]),
            scale=CosineScale(float(values["cosine_mean"]), float(values["cosine_spread"])),
            hybrid=_parse_optional(values["hybrid"]),
            foreign=_parse_optional(values["foreign"]),
            lexical=_parse_model(values["lexical"]),
            threshold=float(values["threshold"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigurationError("the gate's file is not complete: calibrate again") from error


def gate_as_json(gate: Gate) -> dict[str, Any]:
    """Return the JSON document that `parse_gate` reads; figures of six digits."""
    return {
        "format": GATE_FORMAT,
        "embedder": gate.embedder,
        "cosine_mean": _short(gate.scale.mean),
        "cosine_spread": _short(gate.scale.spread),
        "threshold": _short(gate.threshold),
        "hybrid": None if gate.hybrid is None else _model_as_json(gate.hybrid),
        "foreign": None if gate.foreign is None else _model_as_json(gate.foreign),
        "lexical": _model_as_json(gate.lexical),
    }


def _parse_optional(values: Mapping[str, Any] | None) -> LogisticModel | None:
    return None if values is None else _parse_model(values)


def _parse_model(values: Mapping[str, Any]) -> LogisticModel:
    weights = _parse_weights(values["weights"])
    languages = {
        str(name): _parse_weights(added, known=weights.keys() | {INTERCEPT})
        for name, added in values["languages"].items()
    }
    return LogisticModel(float(values["intercept"]), weights, languages)


def _parse_weights(
    values: Mapping[str, Any], *, known: Set[str] = _FEATURE_NAMES
) -> dict[str, float]:
    weights = {str(name): float(weight) for name, weight in values.items()}
    if unknown := weights.keys() - known:
        raise ConfigurationError(f"the gate knows features that do not exist: {sorted(unknown)}")
    return weights


def _model_as_json(model: LogisticModel) -> dict[str, Any]:
    return {
        "intercept": _short(model.intercept),
        "weights": _short_weights(model.weights),
        "languages": {name: _short_weights(added) for name, added in model.languages.items()},
    }


def _short_weights(weights: Mapping[str, float]) -> dict[str, float]:
    return {name: _short(weight) for name, weight in weights.items()}


def _short(value: float) -> float:
    return float(f"{value:.6g}")


def _all_texts(evidence: Evidence) -> Iterator[str]:
    for passage in evidence.passages:
        yield passage.content
        yield " ".join((passage.chunk.title, *passage.chunk.heading_path))
        yield passage.chunk.relative_path


def _search_evidence(evidence: Evidence) -> SearchEvidence:
    passages = evidence.passages
    return SearchEvidence(
        question=evidence.question,
        query=evidence.query,
        n_chunks=evidence.n_chunks,
        lexical=evidence.lexical,
        cosines=evidence.cosines,
        background=evidence.background,
        passages=[
            read_passage(
                passage.content,
                context=" ".join((passage.chunk.title, *passage.chunk.heading_path)),
            )
            for passage in passages[:POOLED_PASSAGES]
        ],
        first_keys={chunk.chunk_key for chunk in passages[0].chunks},
    )
