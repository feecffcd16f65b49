"""Syncing sources and making vectors, with progress; shared by the commands that do it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from citewell.cli.progress import SyncProgress, progress_bar

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell
    from citewell.domain.source import Source

_SHOWN_TROUBLES = 20


def sync_sources(
    parts: Citewell,
    sources: Sequence[Source],
    *,
    quiet: bool,
    confirmed: bool = False,
    retry: bool = False,
) -> list[dict[str, Any]]:
    """Sync each source and return name, counts and troubles; print them unless `quiet`.

    `confirmed` and `retry` are as in `SourceSync.sync_source`.
    """
    reports: list[dict[str, Any]] = []
    for source in sources:
        with progress_bar(quiet=quiet) as bar:
            observer = SyncProgress(bar)
            counts = parts.sync.sync_source(
                source,
                parts.connector(source),
                observer=observer,
                confirmed=confirmed or parts.catalog.sources.take_confirmation(source.id),
                retry=retry,
            )
        report = {
            "source": source.name,
            **asdict(counts),
            "troubles": [
                {"relative_path": o.relative_path, "state": o.state.value, "reason": o.reason}
                for o in observer.troubles
            ],
        }
        reports.append(report)
        if not quiet:
            _print_report(report)
    parts.writer.rebuild()
    return reports


def remove_source(parts: Citewell, source: Source, *, quiet: bool) -> int:
    """Remove a source and all that was indexed of it, and return how many documents that were."""
    parts.catalog.documents.remove_leftovers()  # what an ended process staged is indexed too
    known = parts.catalog.documents.known_items(source.id)
    n_deleted = parts.catalog.documents.delete([item.document_key for item in known])
    parts.catalog.sources.remove(source.id)
    parts.writer.settle()
    erase_deleted(parts, quiet=quiet)
    return n_deleted


def fill_vectors(parts: Citewell, *, quiet: bool) -> int:
    """Make missing vectors and return how many; search works on words meanwhile."""
    from citewell.cli.output import console, escaped

    filling = parts.vector_filling
    if filling is None:
        if not quiet:
            console(stderr=True).print(f"[yellow]{escaped(parts.embedder.reason)}[/]")
        return 0
    n_pending = parts.catalog.pending.n_pending_vectors()
    if not n_pending:
        return 0
    with progress_bar(quiet=quiet) as bar:
        task = bar.add_task("making vectors (search already works)", total=n_pending)
        n_made = filling.fill_vectors(progress=lambda n: bar.advance(task, n))
    parts.writer.rebuild()
    return n_made


def add_embeddings(parts: Citewell, reports: Sequence[dict[str, Any]]) -> None:
    """Add the vectors that were made after the syncs to what is reported of each."""
    from citewell.ingestion.register_source import find_source

    for report in reports:
        if "error" not in report:
            source = find_source(report["source"], parts.catalog.sources)
            (run,) = parts.catalog.runs.history(source_id=source.id, limit=1)
            report["embeddings_computed"] = run.counts.embeddings_computed
            report["embeddings_reused"] = run.counts.embeddings_reused


def erase_deleted(parts: Citewell, *, quiet: bool) -> dict[str, str]:
    """Erase what was deleted from every store, and return by store why one must be tried again."""
    from citewell.cli.output import console, escaped

    outcome = parts.erasure.erase()
    if outcome is None:
        return {}
    if not quiet:
        out = console(stderr=True)
        if not outcome.waiting:
            out.print("erased from every store what was deleted")
        for store, reason in outcome.waiting.items():
            out.print(
                f"[yellow]deleted text is not yet erased[/] from the {store}: {escaped(reason)};"
                " the next sync tries again"
            )
    return {str(store): reason for store, reason in outcome.waiting.items()}


def _print_report(report: dict[str, Any]) -> None:
    from citewell.cli.output import console, escaped

    out = console(stderr=True)
    done = ("added", "updated", "moved", "deleted", "hidden", "restored", "skipped", "failed")
    counts = ", ".join(f"{report[name]} {name}" for name in done if report[name])
    out.print(
        f"[bold]{escaped(report['source'])}[/]: {counts or 'nothing to do'};"
        f" {report['chunks_written']} chunks written"
    )
    if report["drift_repaired"]:
        out.print(
            f"  [yellow]repaired[/] {report['drift_repaired']} points that the index or the vectors"
            " lacked or held in excess of the catalog"
        )
    if report["hidden"]:
        name = escaped(shlex.quote(report["source"]))
        out.print(
            f"  [yellow]{report['hidden']} documents went at once[/]: they are hidden, but not"
            f" erased yet. If they are meant to be gone, run `rag sync {name} --confirm-deletions`"
        )
    for trouble in report["troubles"][:_SHOWN_TROUBLES]:
        out.print(
            f"  [yellow]{trouble['state']}[/] {escaped(trouble['relative_path'])}:"
            f" {escaped(trouble['reason'] or '')}"
        )
    more = len(report["troubles"]) - _SHOWN_TROUBLES
    if more > 0:
        out.print(f"  … and {more} more: `rag status --documents` lists them all")
