"""The report of an evaluation as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citewell.evaluation.against_plain import MOST_LOST, MOST_WRONG

_COUNTS = (
    ("mode_accuracy", "right mode"),
    ("correct", "answerable questions answered correctly"),
    ("wrong_answers", "wrong answers, of all questions"),
    ("wrong_on_answerable", "wrong answers to answerable questions"),
    ("wrong_on_unanswerable", "answers to unanswerable questions"),
    ("abstained_on_answerable", "answerable questions refused"),
    ("abstained_on_unanswerable", "unanswerable questions refused"),
    ("sentences_verified", "sentences with a citation that the file bears out"),
    ("citation_precision", "citations that support the answer"),
    ("expected_cited", "answerable questions whose document is cited"),
)
_MEANS = (
    ("token_f1", "token F1"),
    ("exact_match", "exact match"),
    ("contains_answer", "contains a right answer"),
    ("words", "words of an answer"),
)


def write_report(report: Mapping[str, Any], systems: Sequence[str]) -> str:
    """Return the page.

    Args:
        report: As in JSON; the figures of the first system stand at its top, those of the others
            under their names.
        systems: What was asked, e.g. `citewell`, `plain`, `extractive`.
    """
    figures = [report, *(report[name] for name in systems[1:])]
    parts = [
        f"# Answers of {report['answers_by']}",
        "\n".join(_sample_lines(report)),
        "\n".join(_table_lines(figures, systems)),
        "\n".join(_against_plain_lines(report)),
        "\n".join(_faithfulness_lines(report)),
        "## Time and tokens\n\n" + "\n".join(_cost_lines(figures, systems)),
        "## Retrieval\n\n" + ", ".join(f"{k} {v:.3f}" for k, v in report["retrieval"].items()),
        "## Questions\n\n" + "\n".join(_question_lines(figures, systems)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _sample_lines(report: Mapping[str, Any]) -> Iterator[str]:
    answerable, unanswerable = report["questions"]
    sample: Mapping[str, Any] = report.get("sample", {})
    drawn = ", ".join(f"{name} {value}" for name, value in sample.items())
    yield f"{answerable} answerable and {unanswerable} unanswerable questions" + (
        f" ({drawn})." if drawn else "."
    )


def _table_lines(figures: Sequence[Mapping[str, Any]], systems: Sequence[str]) -> Iterator[str]:
    yield "| | " + " | ".join(systems) + " |"
    yield "|---|" + "---:|" * len(systems)
    for name, label in _COUNTS:
        yield f"| {label} | " + " | ".join(_fraction(f[name]) for f in figures) + " |"
    for name, label in _MEANS:
        yield f"| {label} | " + " | ".join(f"{f[name]:.3g}" for f in figures) + " |"


def _against_plain_lines(report: Mapping[str, Any]) -> Iterator[str]:
    found = report.get("against_plain")
    if found is not None:
        verdict = "holds" if found["holds"] else "falls short"
        yield (
            f"Against the same model asked plainly: {found['wrong_ratio']:.0%} of its wrong answers"
            f" (at most {MOST_WRONG:.0%}), {100 * found['correct_lost']:.1f} points fewer correct"
            f" ones (at most {100 * MOST_LOST:.0f}): {verdict}."
        )


def _faithfulness_lines(report: Mapping[str, Any]) -> Iterator[str]:
    found = report.get("faithfulness")
    if found is not None:
        yield (
            f"Faithfulness as {found['judge']} sees it: {_fraction(found['supported'])} claims;"
            f" of {found['unclear']} it said neither yes nor no."
        )


def _cost_lines(figures: Sequence[Mapping[str, Any]], systems: Sequence[str]) -> Iterator[str]:
    yield "| | step | p50 ms | p95 ms |"
    yield "|---|---|---:|---:|"
    for figure, system in zip(figures, systems, strict=True):
        for step, ms in figure["latency_ms"].items():
            yield f"| {system} | {step} | {ms['p50']:.0f} | {ms['p95']:.0f} |"
    yield ""
    yield "; ".join(
        f"{system}: {f['tokens']['prompt']} prompt tokens, {f['tokens']['reply']} reply tokens"
        f" in {f['tokens']['calls']} calls"
        for f, system in zip(figures, systems, strict=True)
    )


def _question_lines(figures: Sequence[Mapping[str, Any]], systems: Sequence[str]) -> Iterator[str]:
    yield "`+` is a sentence whose citation the file bears out, `-` one without."
    yield ""
    yield "| question | " + " | ".join(systems) + " | sentences |"
    yield "|---|" + "---|" * (len(systems) + 1)
    for lines in zip(*(figure["lines"] for figure in figures), strict=True):
        first = lines[0]
        states = "".join("+" if s["verified"] else "-" for s in first["sentences"])
        outcomes = " | ".join(f"{line['mode']}, {line['outcome']}" for line in lines)
        yield f"| {first['id']} | {outcomes} | {states} |"


def _fraction(count: Sequence[int]) -> str:
    n, of = count
    return f"{n}/{of}" + (f" ({n / of:.0%})" if of else "")
