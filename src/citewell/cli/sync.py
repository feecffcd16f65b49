"""`rag sync`: bring the index up to what the sources hold now."""

from __future__ import annotations

from typing import Annotated

import typer

from citewell.cli import options


def sync(
    source: Annotated[str | None, typer.Argument(help="Name of a source; default: all.")] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Show the last runs instead of syncing.")
    ] = False,
    vectors: Annotated[
        bool, typer.Option(help="Make vectors too; without them search goes by words.")
    ] = True,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Find what is new, changed, moved or gone in the sources, and index it."""
    from citewell.cli.declared_sources import register_declared
    from citewell.cli.output import print_json
    from citewell.cli.run_sync import fill_vectors, sync_sources
    from citewell.cli.session import opened
    from citewell.domain.errors import UsageError
    from citewell.ingestion.register_source import find_source

    if history:
        _show_history(source, as_json=as_json, data_dir=data_dir, env_file=env_file)
        return
    with opened(data_dir, env_file) as parts:
        register_declared(parts)
        registry = parts.catalog.sources
        chosen = [find_source(source, registry)] if source else list(registry.sources())
        if not chosen:
            raise UsageError("no source is registered: run `rag ingest PATH` first")
        reports = sync_sources(parts, chosen, quiet=as_json)
        computed = fill_vectors(parts, quiet=as_json) if vectors else 0
    if as_json:
        print_json({"sources": reports, "embeddings_computed": computed})


def _show_history(
    source: str | None,
    *,
    as_json: bool,
    data_dir: options.DataDir,
    env_file: options.EnvFile,
) -> None:
    from citewell.cli.output import console, escaped, print_json
    from citewell.cli.session import opened
    from citewell.ingestion.register_source import find_source
    from citewell.replies import run_reply

    with opened(data_dir, env_file, hold=False) as parts:
        source_id = find_source(source, parts.catalog.sources).id if source else None
        runs = parts.catalog.runs.history(source_id=source_id)
    if as_json:
        print_json({"runs": [run_reply(run) for run in runs]})
        return
    out = console()
    for run in runs:
        counts = run.counts
        out.print(
            f"{run.started_at} [bold]{escaped(run.source)}[/] {run.trigger} {run.state}:"
            f" {counts.added} added, {counts.updated} updated, {counts.moved} moved,"
            f" {counts.deleted} deleted, {counts.skipped} skipped, {counts.failed} failed"
            + (f" [red]({escaped(run.error)})[/]" if run.error else "")
        )
    if not runs:
        out.print("no sync has run yet")
