"""`rag eval`: how good answers are, and the calibration of the gate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from citewell.cli import options

app = typer.Typer(help="Measure answers, or fit the gate.", no_args_is_help=True)


@app.command("calibrate")
def calibrate(
    data: Annotated[Path, typer.Option(help="Folder with question sets in SQuAD format.")],
    out: Annotated[Path, typer.Option(help="Where to write the gate; the report goes beside it.")],
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Fit the gate that decides whether passages answer a question, for the embedder in use."""
    raise NotImplementedError
