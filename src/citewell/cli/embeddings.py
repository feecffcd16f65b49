"""`rag embeddings`: the embedding model."""

from __future__ import annotations

import typer

from citewell.cli import options

app = typer.Typer(help="Load or rebuild what the embedding model makes.", no_args_is_help=True)


@app.command("warmup")
def warmup(
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Load the embedding model once, and say where it lies and how large it is."""
    from citewell.choose_embedder import warm_up_embedder
    from citewell.cli.output import console, escaped, print_json
    from citewell.cli.session import opened

    with opened(data_dir, env_file, access="read") as parts:
        report = warm_up_embedder(parts.embedder)
    if as_json:
        print_json(report)
        return
    out = console()
    out.print(
        f"{escaped(report['model'])} answers: first question {report['first_question_s']:.2f} s,"
        f" next {report['next_question_s']:.3f} s"
    )
    if report["model_folder"]:
        size_mib = report["model_bytes"] / 2**20
        out.print(f"model: {escaped(report['model_folder'])} ({size_mib:.0f} MiB)")
    out.print(escaped(report["before_going_offline"]))


@app.command("rebuild")
def rebuild(
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Throw all vectors away and make them anew with the model of the settings."""
    from citewell.cli.output import print_json
    from citewell.cli.run_sync import fill_vectors
    from citewell.cli.session import opened
    from citewell.domain.errors import ConfigurationError

    with opened(data_dir, env_file) as parts:
        if parts.embedder.embedder is None:
            raise ConfigurationError(f"no vectors can be made. {parts.embedder.reason}")
        parts.drop_vectors()
        computed = fill_vectors(parts, quiet=as_json)
    if as_json:
        print_json({"embeddings_computed": computed})
