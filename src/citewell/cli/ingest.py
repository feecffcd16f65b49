"""`rag ingest`: point Citewell at a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from citewell.cli import options


def ingest(
    path: Annotated[Path, typer.Argument(help="A folder, or an Obsidian vault.")],
    name: Annotated[
        str | None, typer.Option(help="Name of the source; default: the folder's.")
    ] = None,
    tier: Annotated[
        str | None, typer.Option(help="Access tier of everything in it; default: the highest.")
    ] = None,
    folder_per_tier: Annotated[
        bool, typer.Option("--folder-per-tier", help="Its first folders are named like tiers.")
    ] = False,
    vectors: Annotated[
        bool, typer.Option(help="Make vectors too; without them search goes by words.")
    ] = True,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Register a folder as a source and make its documents searchable."""
    from citewell.cli.output import console, print_json
    from citewell.cli.run_sync import (
        add_embeddings,
        erase_deleted,
        fill_vectors,
        sync_sources,
    )
    from citewell.cli.session import opened
    from citewell.ingestion.register_source import register_folder

    with opened(data_dir, env_file) as parts:
        parts.serve_searches()
        source = register_folder(
            path,
            parts.catalog.sources,
            tiers=parts.settings.access_tiers,
            name=name,
            tier=tier,
            folder_per_tier=folder_per_tier,
        )
        (report,) = sync_sources(parts, [source], quiet=as_json)
        erase_deleted(parts, quiet=as_json)
        if vectors:
            fill_vectors(parts, quiet=as_json)
        add_embeddings(parts, [report])
    if as_json:
        print_json(report)
    else:
        console(stderr=True).print('Now ask: rag ask "your question"')
