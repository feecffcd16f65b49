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
    raise NotImplementedError
