"""The figures of a calibration as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from citewell.evaluation.fit_gate import N_FOLDS, HeldOutTrial
from citewell.evaluation.trials import Condition
from citewell.retrieval.assess import Gate, LogisticModel

_CONDITIONS = (Condition.TOPIC_ABSENT, Condition.PRESENT, Condition.PARAGRAPH_ABSENT)
_Key = tuple[str, str, int]
_Confidence = Callable[[HeldOutTrial], float]


def report_gate(gate: Gate, judged: Sequence[HeldOutTrial]) -> str:
    """Return the report: figures by language and size of corpus, then the gate's weights."""
    parts = [
        f"# Calibration of the gate for `{gate.embedder}`",
        _introduction(gate, judged),
    ]
    parts += ["## With cosines", _figures(judged, _with_cosines, gate.threshold)]
    parts += ["## By words alone", _figures(judged, _by_words, gate.threshold)]
    parts.append("## Weights")
    parts += [
        _weights("With cosines", gate.hybrid),
        _weights("With cosines, passage in another language", gate.foreign),
        _weights("By words alone", gate.lexical),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _with_cosines(judged: HeldOutTrial) -> float:
    return judged.with_cosines


def _by_words(judged: HeldOutTrial) -> float:
    return judged.by_words


def _introduction(gate: Gate, judged: Sequence[HeldOutTrial]) -> str:
    return (
        f"{len(judged):,} trials. Articles are split in {N_FOLDS} parts; each trial is judged by a "
        f"gate fitted to the other parts; threshold {gate.threshold:g}. *False* is the share of "
        "questions answered although the topic is absent; *refused* the share refused although "
        "the paragraph is present; *near* the share answered when only the paragraph is absent, "
        "which another paragraph of the article may justify. In percent. Size counts passages."
    )


def _figures(judged: Sequence[HeldOutTrial], confidence: _Confidence, threshold: float) -> str:
    sections: list[str] = []
    for title, keep in (
        ("Questions in the language of the corpus", _is_own_language),
        ("Questions to a corpus of all languages", _is_mixed),
        ("Questions in another language than the corpus", _is_other_language),
    ):
        kept = [trial for trial in judged if keep(_key(trial))]
        if kept:
            sections.append(f"### {title}\n\n{_table(kept, confidence, threshold)}")
    return "\n\n".join(sections)


def _table(judged: Sequence[HeldOutTrial], confidence: _Confidence, threshold: float) -> str:
    rows = [
        "| questions | corpus | size | false | refused | near | trials |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for key in sorted({_key(trial) for trial in judged}):
        cell = [trial for trial in judged if _key(trial) == key]
        shares = [
            _answered([confidence(t) for t in cell if t.trial.condition is condition], threshold)
            for condition in _CONDITIONS
        ]
        false, present, near = shares
        refused = None if present is None else 1 - present
        rows.append(
            f"| {key[0]} | {key[1]} | {key[2]} | {_percent(false)} | {_percent(refused)} "
            f"| {_percent(near)} | {len(cell)} |"
        )
    return "\n".join(rows)


def _key(judged: HeldOutTrial) -> _Key:
    return judged.trial.question.set_name, judged.trial.corpus, judged.trial.size


def _is_own_language(key: _Key) -> bool:
    return key[0] == key[1]


def _is_mixed(key: _Key) -> bool:
    return key[1] == "mixed"


def _is_other_language(key: _Key) -> bool:
    return key[1] not in {key[0], "mixed"}


def _answered(confidences: Sequence[float], threshold: float) -> float | None:
    """Return the share of questions that would be answered, or None without any."""
    if not confidences:
        return None
    return sum(confidence >= threshold for confidence in confidences) / len(confidences)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def _weights(title: str, model: LogisticModel | None) -> str:
    if model is None:
        return ""
    rows: Iterable[str] = (f"| {name} | {weight:.4g} |" for name, weight in model.weights.items())
    head = f"### {title}\n\n| feature | weight |\n|---|---:|\n| intercept | {model.intercept:.4g} |"
    added = (
        f"| {name}, {language} | {value:+.4g} |"
        for language, row in model.languages.items()
        for name, value in row.items()
    )
    return "\n".join([head, *rows, *added])
