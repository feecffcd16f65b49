"""`rag sources`: list, add and remove sources."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from citewell.cli import options

app = typer.Typer(help="List, add or remove sources.", invoke_without_command=True)


@app.callback()
def list_sources(
    context: typer.Context,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """List the registered sources."""
    if context.invoked_subcommand is not None:
        return
    from citewell.cli.output import console, escaped, print_json
    from citewell.cli.run_line import run_line
    from citewell.cli.session import opened
    from citewell.replies import source_reply

    with opened(data_dir, env_file, access="read") as parts:
        registry = parts.catalog.sources
        listed = [
            (
                source,
                parts.status_of(source),
                next(iter(parts.catalog.runs.history(source_id=source.id, limit=1)), None),
            )
            for source in registry.sources()
        ]
    if as_json:
        replies = [source_reply(s, status, last_run=run) for s, status, run in listed]
        print_json({"sources": replies})
        return
    out = console()
    for source, status, run in listed:
        rule = "folder per tier" if source.folder_per_tier else source.tier or "highest tier only"
        out.print(
            f"[bold]{escaped(source.name)}[/] ({source.type}, {rule}, {status.state})"
            f" {escaped(source.root)}"
            + (f" [yellow]{escaped(status.reason)}[/]" if status.reason else "")
        )
        if run is not None:
            out.print(f"  last run {run.started_at}: {run_line(run)}")
    if not listed:
        out.print("no source yet: run `rag ingest PATH`")


@app.command("add")
def add(
    path: Annotated[Path, typer.Argument(help="A folder, or an Obsidian vault.")],
    name: Annotated[
        str | None, typer.Option(help="Name of the source; default: the folder's.")
    ] = None,
    tier: Annotated[str | None, typer.Option(help="Access tier of everything in it.")] = None,
    folder_per_tier: Annotated[
        bool, typer.Option("--folder-per-tier", help="Its first folders are named like tiers.")
    ] = False,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Register a folder without reading it yet; `rag sync` reads it."""
    from citewell.cli.output import console, escaped, print_json
    from citewell.cli.session import opened
    from citewell.ingestion.register_source import register_folder
    from citewell.replies import source_reply

    with opened(data_dir, env_file) as parts:
        registry = parts.catalog.sources
        source = register_folder(
            path,
            registry,
            tiers=parts.settings.access_tiers,
            name=name,
            tier=tier,
            folder_per_tier=folder_per_tier,
        )
        status = registry.status_of(source.id)
    if as_json:
        print_json(source_reply(source, status))
    else:
        console().print(f"registered {escaped(source.name)}: run `rag sync` to read it")


@app.command("remove")
def remove(
    name: Annotated[str, typer.Argument(help="Name of the source.")],
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Remove a source and all that was indexed of it; its files are not touched."""
    from citewell.cli.output import console, escaped, print_json
    from citewell.cli.run_sync import remove_source
    from citewell.cli.session import opened
    from citewell.ingestion.register_source import find_source

    with opened(data_dir, env_file) as parts:
        source = find_source(name, parts.catalog.sources)
        n_deleted = remove_source(parts, source, quiet=as_json)
    if as_json:
        print_json({"source": name, "deleted": n_deleted})
    else:
        console().print(f"removed {escaped(name)} and {n_deleted} documents from the index")
