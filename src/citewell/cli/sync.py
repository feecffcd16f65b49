"""`rag sync`: bring the index up to what the sources hold now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell
    from citewell.domain.errors import SourceUnavailableError
    from citewell.domain.source import Source


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
) -> int:
    """Find what is new, changed, moved or gone in the sources, and index it."""
    from citewell.cli.declared_sources import register_declared
    from citewell.cli.run_sync import fill_vectors
    from citewell.cli.session import opened
    from citewell.domain.errors import UsageError
    from citewell.ingestion.register_source import find_source

    if history:
        _show_history(source, as_json=as_json, data_dir=data_dir, env_file=env_file)
        return 0
    with opened(data_dir, env_file) as parts:
        register_declared(parts)
        registry = parts.catalog.sources
        chosen = [find_source(source, registry)] if source else list(registry.sources())
        if not chosen:
            raise UsageError("no source is registered: run `rag ingest PATH` first")
        reports, errors = _sync_each(parts, chosen, quiet=as_json)
        computed = fill_vectors(parts, quiet=as_json) if vectors else 0
    _print_outcome(reports, errors, computed, as_json=as_json)
    return errors[0].exit_code if errors else 0


def _sync_each(
    parts: Citewell, sources: Sequence[Source], *, quiet: bool
) -> tuple[list[dict[str, Any]], list[SourceUnavailableError]]:
    """Sync the sources; one that cannot be read does not keep the others from it."""
    from citewell.cli.run_sync import sync_sources
    from citewell.domain.errors import SourceUnavailableError

    reports: list[dict[str, Any]] = []
    errors: list[SourceUnavailableError] = []
    for source in sources:
        try:
            reports += sync_sources(parts, [source], quiet=quiet)
        except SourceUnavailableError as error:
            errors.append(SourceUnavailableError(f"{source.name}: {error}"))
            reports.append({"source": source.name, "error": str(error)})
    return reports, errors


def _print_outcome(
    reports: list[dict[str, Any]],
    errors: Sequence[SourceUnavailableError],
    computed: int,
    *,
    as_json: bool,
) -> None:
    import sys

    from citewell.cli.output import error_object, print_json

    if as_json:
        failed = error_object(errors[0].code, str(errors[0])) if errors else {}
        print_json({**failed, "sources": reports, "embeddings_computed": computed})
    for error in errors:
        print(f"rag: {error}", file=sys.stderr)


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
