"""Writing and printing what an evaluation found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citewell.cli.run_evaluation import Evaluation


def finish_evaluation(
    evaluation: Evaluation, *, out: Path | None, baseline: Path | None, as_json: bool
) -> int:
    """Write and print the report, and return the exit code: 1 when worse than the baseline.

    Raises:
        UsageError: The baseline cannot be read, is no report, or one of another sample.
    """
    from citewell.cli.output import print_json
    from citewell.evaluation.compare_reports import compare_reports
    from citewell.evaluation.write_report import write_report

    report = evaluation.report
    if out is not None:
        out.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        page = write_report(report, evaluation.systems)
        out.with_suffix(".md").write_text(page, encoding="utf-8")
    worse = [] if baseline is None else compare_reports(report, _read(baseline))
    if as_json:
        print_json(report | {"worse": worse})
    else:
        _print(evaluation, worse)
    return 1 if worse else 0


def check_paths(*, out: Path | None, baseline: Path | None) -> None:
    """Raise where a run would be lost for a wrong path: `UsageError`, before anything is asked."""
    from citewell.domain.errors import UsageError

    if out is not None and out.suffix == ".md":
        raise UsageError(f"--out {out} is for JSON; the Markdown goes beside it")
    if out is not None and not out.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {out.absolute().parent} for --out")
    if baseline is not None:
        _read(baseline)


def _read(baseline: Path) -> dict[str, Any]:
    from citewell.domain.errors import UsageError

    try:
        report = json.loads(baseline.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"the baseline {baseline} cannot be read: {error}") from error
    if not isinstance(report, dict):
        raise UsageError(f"the baseline {baseline} is not a report of rag eval run")
    return report  # pyright: ignore[reportUnknownVariableType] - compared field by field


def _print(evaluation: Evaluation, worse: Sequence[str]) -> None:
    from citewell.cli.output import console, escaped
    from citewell.evaluation.verdicts import tally_verdicts

    out = console()
    for verdict in evaluation.verdicts:
        if verdict.problems:
            problems = escaped("; ".join(verdict.problems))
            out.print(f"[red]{escaped(verdict.question.id)}[/] {problems}")
    report = evaluation.report
    figures = ", ".join(f"{name} {value:.3f}" for name, value in report["retrieval"].items())
    out.print(f"retrieval: {figures}")
    for system in evaluation.systems:
        out.print(_outcome_line(system, report.get(system, report)))
    for line in worse:
        out.print(f"[red]worse than the baseline:[/] {escaped(line)}")
    out.print(tally_verdicts(evaluation.verdicts).line)


def _outcome_line(system: str, figures: dict[str, Any]) -> str:
    names = ("correct", "wrong_answers", "abstained_on_answerable", "abstained_on_unanswerable")
    shown = ", ".join(f"{n.replace('_', ' ')} {figures[n][0]}/{figures[n][1]}" for n in names)
    return f"{system}: {shown}"
