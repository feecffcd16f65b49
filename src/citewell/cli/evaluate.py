"""`rag eval`: how good answers are, and the calibration of the gate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citewell.bootstrap import Citewell
    from citewell.evaluation.questions import Question, Verdict

app = typer.Typer(help="Measure answers, or fit the gate.", no_args_is_help=True)

_DEPTH = 5


@app.command("run")
def run(
    questions: Annotated[
        Path | None, typer.Argument(help="Questions file; default: those about the samples.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Also write the report here, as JSON.")] = None,
    baseline: Annotated[
        Path | None, typer.Option(help="Compare with this report; exit 1 when worse.")
    ] = None,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> int:
    """Ask a file of questions of the indexed sources, and report what was right.

    A question with a `corpus` is asked of the source of that name.
    """
    import asyncio
    import json

    from citewell.cli.ask_question import reply_to
    from citewell.cli.output import print_json
    from citewell.cli.session import opened
    from citewell.evaluation.questions import load_questions
    from citewell.evaluation.run_questions import (
        compare_reports,
        measure_rankings,
        report_verdicts,
        run_questions,
    )
    from citewell.evaluation.samples import questions_path

    asked = load_questions(questions or questions_path())
    with opened(data_dir, env_file) as parts:
        roots = {source.name: Path(source.root) for source in parts.catalog.sources.sources()}
        verdicts = asyncio.run(run_questions(asked, lambda q: reply_to(parts, q), roots=roots))
        rankings = [_ranked_documents(parts, question) for question in asked]
    report = report_verdicts(verdicts) | {"retrieval": measure_rankings(asked, rankings, k=_DEPTH)}
    worse: list[str] = []
    if baseline is not None:
        worse = compare_reports(report, json.loads(baseline.read_text(encoding="utf-8")))
    if out is not None:
        out.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if as_json:
        print_json(report | {"worse": worse})
    else:
        _print_report(verdicts, report, worse)
    return 1 if worse else 0


@app.command("calibrate")
def calibrate(
    data: Annotated[
        list[Path], typer.Option(help="A question set, or a folder of them; may be repeated.")
    ],
    out: Annotated[Path, typer.Option(help="Where to write the gate; the report goes beside it.")],
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Fit the gate that decides whether passages answer a question, for the embedder in use.

    Question sets are in SQuAD's layout; sets with the same question ids are translations of each
    other. Take questions like those that your readers ask.
    """
    from citewell.cli.output import console, escaped, print_json
    from citewell.cli.progress import status_line
    from citewell.cli.session import opened
    from citewell.domain.errors import ConfigurationError
    from citewell.evaluation.calibrate import calibrate_gate
    from citewell.evaluation.datasets import load_squad_sets

    sets = {name: articles for path in data for name, articles in load_squad_sets(path).items()}
    with opened(data_dir, env_file, access="read") as parts:
        choice = parts.embedder
        if choice.embedder is None:
            raise ConfigurationError(choice.reason)
        with status_line(quiet=as_json) as tell:
            calibration = calibrate_gate(sets, choice.embedder, on_progress=tell)
    report = out.with_suffix(".md")
    out.write_text(calibration.gate_json, encoding="utf-8")
    report.write_text(calibration.report, encoding="utf-8")
    if as_json:
        print_json({"gate": str(out), "report": str(report)})
    else:
        console().print(f"wrote {escaped(str(out))} and {escaped(str(report))}")


def _ranked_documents(parts: Citewell, question: Question) -> Sequence[str]:
    from citewell.cli.session import owner_clearance
    from citewell.domain.passage import SearchFilters

    found, _, fused, _ = parts.search.rank_chunks(
        question.question,
        owner_clearance(parts, question.as_tier),
        filters=SearchFilters(source=question.corpus or None),
    )
    chunks = found.chunks
    return list(dict.fromkeys(chunks[c.chunk_key].relative_path for c in fused))


def _print_report(
    verdicts: Sequence[Verdict], report: dict[str, Any], worse: Sequence[str]
) -> None:
    from citewell.cli.output import console, escaped
    from citewell.evaluation.questions import tally_verdicts

    out = console()
    for verdict in verdicts:
        if verdict.problems:
            problems = escaped("; ".join(verdict.problems))
            out.print(f"[red]{escaped(verdict.question.id)}[/] {problems}")
    figures = ", ".join(f"{name} {value:.3f}" for name, value in report["retrieval"].items())
    out.print(f"retrieval: {figures}")
    for line in worse:
        out.print(f"[red]worse than the baseline:[/] {escaped(line)}")
    out.print(tally_verdicts(verdicts).line)
