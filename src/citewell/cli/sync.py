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
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=1000, help="Runs that --history shows.")
    ] = 20,
    confirm_deletions: Annotated[
        bool,
        typer.Option(
            "--confirm-deletions", help="What is missing is meant to be gone: erase it at once."
        ),
    ] = False,
    retry_failed: Annotated[
        bool,
        typer.Option("--retry-failed", help="Try again what failed, quarantined files too."),
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
    from citewell.cli.run_sync import add_embeddings, erase_deleted, fill_vectors
    from citewell.cli.session import opened
    from citewell.domain.errors import UsageError
    from citewell.ingestion.register_source import find_source

    if history:
        _show_history(source, limit, as_json=as_json, data_dir=data_dir, env_file=env_file)
        return 0
    if confirm_deletions and _left_to_a_watch(source, as_json, data_dir, env_file):
        return 0
    with opened(data_dir, env_file) as parts:
        parts.serve_searches()
        register_declared(parts)
        registry = parts.catalog.sources
        chosen = [find_source(source, registry)] if source else list(registry.sources())
        if not chosen:
            raise UsageError("no source is registered: run `rag ingest PATH` first")
        how = {"confirmed": confirm_deletions, "retry": retry_failed}
        reports, errors = _sync_each(parts, chosen, quiet=as_json, **how)
        waiting = erase_deleted(parts, quiet=as_json)
        computed = fill_vectors(parts, quiet=as_json) if vectors else 0
        add_embeddings(parts, reports)
    report = {
        "sources": reports,
        "embeddings_computed": computed,
        "waiting_to_be_erased": waiting,
    }
    _print_outcome(report, errors, as_json=as_json)
    return errors[0].exit_code if errors else 0


def _left_to_a_watch(
    source: str | None, as_json: bool, data_dir: options.DataDir, env_file: options.EnvFile
) -> bool:
    """Hand a confirmation to the process that watches the sources, if there is one."""
    from citewell.cli.output import console, print_json
    from citewell.cli.session import opened
    from citewell.ingestion.register_source import find_source

    with opened(data_dir, env_file, access="read") as parts:
        registry, holder = parts.catalog.sources, parts.holder
        chosen = [find_source(source, registry)] if source else list(registry.sources())
        watched = [s for s in chosen if registry.status_of(s.id).watch_mode is not None]
        if holder is None or not watched:
            return False
        for one in watched:
            registry.request_confirmation(one.id)
    if as_json:
        print_json({"confirmed": [one.name for one in watched], "left_to": str(holder)})
    else:
        console(stderr=True).print(f"confirmed: {holder} erases it within seconds")
    return True


def _sync_each(
    parts: Citewell, sources: Sequence[Source], *, quiet: bool, **how: bool
) -> tuple[list[dict[str, Any]], list[SourceUnavailableError]]:
    """Sync the sources; one that cannot be read does not keep the others from it."""
    from citewell.cli.run_sync import sync_sources
    from citewell.domain.errors import SourceUnavailableError

    reports: list[dict[str, Any]] = []
    errors: list[SourceUnavailableError] = []
    for source in sources:
        try:
            reports += sync_sources(parts, [source], quiet=quiet, **how)
        except SourceUnavailableError as error:
            errors.append(type(error)(f"{source.name}: {error}"))
            reports.append({"source": source.name, "error": str(error)})
    return reports, errors


def _print_outcome(
    report: dict[str, Any],
    errors: Sequence[SourceUnavailableError],
    *,
    as_json: bool,
) -> None:
    import sys

    from citewell.cli.output import error_object, print_json

    if as_json:
        failed = error_object(errors[0].code, str(errors[0])) if errors else {}
        print_json({**failed, **report})
    for error in errors:
        print(f"rag: {error}", file=sys.stderr)


def _show_history(
    source: str | None,
    limit: int,
    *,
    as_json: bool,
    data_dir: options.DataDir,
    env_file: options.EnvFile,
) -> None:
    from citewell.cli.output import console, escaped, print_json
    from citewell.cli.run_line import run_line
    from citewell.cli.session import opened
    from citewell.ingestion.register_source import find_source
    from citewell.replies import run_reply

    with opened(data_dir, env_file, access="read") as parts:
        source_id = find_source(source, parts.catalog.sources).id if source else None
        runs = parts.catalog.runs.history(source_id=source_id, limit=limit)
    if as_json:
        print_json({"runs": [run_reply(run) for run in runs]})
        return
    out = console()
    for run in runs:
        out.print(
            f"{run.started_at} [bold]{escaped(run.source)}[/] {run_line(run)}"
            + (f" [red]({escaped(run.error)})[/]" if run.error else "")
        )
    if not runs:
        out.print("no sync has run yet")
