"""`rag eval`: how good answers are, and the calibration of the gate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from citewell.cli import options

app = typer.Typer(help="Measure answers, or fit the gate.", no_args_is_help=True)


@app.command("run")
def run(
    questions: Annotated[
        Path | None, typer.Argument(help="Questions file; default: those about the samples.")
    ] = None,
    squad: Annotated[
        Path | None,
        typer.Option(help="Ask a set in SQuAD's layout instead; its paragraphs are the documents."),
    ] = None,
    answerable: Annotated[
        int | None, typer.Option(min=0, help="So many answerable questions, drawn by lot.")
    ] = None,
    unanswerable: Annotated[
        int | None, typer.Option(min=0, help="So many unanswerable questions, drawn by lot.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="So many questions, half of each kind, by lot.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the draw: the same one draws the same.")] = 0,
    half: Annotated[
        Literal["all", "odd", "even"],
        typer.Option(help="Of a set, questions on every second article only."),
    ] = "all",
    plain: Annotated[
        bool,
        typer.Option(help="Also ask the language model plainly, and the answerer without one."),
    ] = False,
    judge: Annotated[
        bool, typer.Option(help="Also let the language model judge whether claims are supported.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Also write the report here, as JSON, and as Markdown beside it."),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(help="Compare with this report; exit 1 when worse.")
    ] = None,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> int:
    """Ask questions of the indexed sources, and report what was right.

    A question with a `corpus` is asked of the source of that name. With --squad the documents are
    those of the set, indexed in a folder of their own below --data-dir and kept there.
    """
    from citewell.cli.evaluation_output import check_paths, finish_evaluation
    from citewell.cli.evaluation_subject import sources_subject, squad_subject
    from citewell.cli.run_evaluation import evaluate
    from citewell.domain.errors import UsageError
    from citewell.evaluation.squad_questions import Sampling

    if squad and questions:
        raise UsageError("give a questions file or --squad, not both")
    check_paths(out=out, baseline=baseline)
    sampling = Sampling(seed, answerable, unanswerable, half)
    if squad:
        subject = squad_subject(squad, sampling, limit=limit, data_dir=data_dir, env_file=env_file)
    else:
        subject = sources_subject(
            questions, sampling, limit=limit, data_dir=data_dir, env_file=env_file
        )
    evaluation = evaluate(subject, with_plain=plain, with_judge=judge, quiet=as_json)
    return finish_evaluation(evaluation, out=out, baseline=baseline, as_json=as_json)


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
