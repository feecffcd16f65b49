"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Folder of the catalog and the index.")
]
EnvFile = Annotated[Path | None, typer.Option("--env-file", help="Settings file, instead of .env.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
AsTier = Annotated[
    str | None, typer.Option("--as", metavar="TIER", help="Read as this tier, not the highest.")
]
TopK = Annotated[
    int | None, typer.Option("--top-k", min=1, max=20, help="Passages to find; default 5.")
]
Explain = Annotated[
    bool, typer.Option("--explain", help="Show how each candidate was ranked and judged.")
]
InSource = Annotated[str | None, typer.Option("--source", metavar="NAME", help="Only this source.")]
PathPrefix = Annotated[
    str | None, typer.Option("--path", metavar="PREFIX", help="Only paths that start with this.")
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="Only this tag; may be repeated.")
]
Types = Annotated[
    list[str] | None,
    typer.Option("--type", metavar="TYPE", help="Only this file type, e.g. pdf; may be repeated."),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="DATE", help="Only documents changed since then.")
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="DATE", help="Only documents changed before then.")
]
