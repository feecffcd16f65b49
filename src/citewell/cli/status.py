"""`rag status`: what is indexed, what is not, and with which settings."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell
    from citewell.domain.record import DocumentRecord
    from citewell.domain.source import Source

_GOOD = frozenset({"searchable", "indexed"})


def status(
    documents: Annotated[
        bool, typer.Option("--documents", help="List every document with its state.")
    ] = False,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Show sources, documents by state, pending vectors, and the resolved settings."""
    from citewell.cli.output import print_json
    from citewell.cli.session import opened

    with opened(data_dir, env_file, access="read") as parts:
        report = _report(parts, with_documents=documents)
    if as_json:
        print_json(report)
    else:
        _print_report(report)


def _report(parts: Citewell, *, with_documents: bool) -> dict[str, Any]:
    from importlib.metadata import version

    from citewell.cli.status_answers import answers_report
    from citewell.keep_backups import last_backup
    from citewell.replies import document_reply
    from citewell.restore_backup import restored_at

    last = last_backup(parts.catalog)
    records = parts.catalog.documents.records()
    sources = [
        _source_report(parts, source, [r for r in records if r.source == source.name])
        for source in parts.catalog.sources.sources()
    ]
    embedder = parts.embedder
    report: dict[str, Any] = {
        "version": version("citewell"),
        "held_by": asdict(parts.holder) if parts.holder else None,
        "sources": sources,
        "last_backup": asdict(last) if last else None,
        "restored_at": restored_at(parts.catalog),
        "pending_vectors": parts.catalog.pending.n_pending_vectors(),
        "embedder": embedder.embedder.model.key if embedder.embedder else None,
        **answers_report(parts.settings),
        "settings": parts.settings.summary(),
    }
    if embedder.reason:
        report["embedder_notice"] = embedder.reason
    if with_documents:
        report["documents"] = [document_reply(record) for record in records]
    return report


def _source_report(
    parts: Citewell, source: Source, records: Sequence[DocumentRecord]
) -> dict[str, Any]:
    from citewell.replies import source_reply

    runs = parts.catalog.runs.history(source_id=source.id, limit=1)
    status = parts.status_of(source)
    there = [record for record in records if record.missing_since is None]
    held = [record.held_until for record in records if record.held_until is not None]
    return source_reply(source, status, last_run=next(iter(runs), None)) | {
        "documents": dict(Counter(record.state.value for record in there)),
        "missing": len(records) - len(there),
        "held_until": max(held, default=None),
        "chunks": sum(record.n_chunks for record in there),
        "vectors": sum(record.n_vectors for record in there),
    }


def _about_missing(source: dict[str, Any]) -> list[str]:
    """Return what a person should know of documents that are hidden, as lines."""
    from citewell.cli.output import escaped

    if not source["missing"]:
        return []
    line = f"{source['missing']} documents are missing and hidden"
    command = f"rag sync {escaped(shlex.quote(source['name']))} --confirm-deletions"
    if source["state"] in {"restored", "unavailable"} and source["held_until"] is None:
        return [f"{line} until the source is read again"]
    if source["held_until"] is None:
        return [f"{line}; they are erased soon"]
    return [
        f"{line}: many went at once. They come back by themselves if their files do.",
        f"A scan after {source['held_until']} erases them, and so does at once `{command}`",
    ]


def _print_report(report: dict[str, Any]) -> None:
    from citewell.cli.output import console, escaped
    from citewell.cli.status_answers import print_answers

    out = console()
    out.print(f"Citewell {report['version']}")
    if holder := report["held_by"]:
        out.print(f"`{escaped(holder['command'])}` is at work (process {holder['pid']})")
    if not report["sources"]:
        out.print("no source yet: run `rag ingest PATH`")
    for source in report["sources"]:
        _print_source(source)
    _print_backup(report)
    out.print(f"embedder: {escaped(report['embedder'] or 'none')}")
    if report.get("embedder_notice"):
        out.print(f"  [yellow]{escaped(report['embedder_notice'])}[/]")
    print_answers(report)
    for document in report.get("documents", []):
        if "missing_since" in document:
            document["state"] = "missing"
        why = document.get("failure", {}).get("reason") or "; ".join(document["notes"])
        mark = "green" if document["state"] in _GOOD else "yellow"
        out.print(
            f"  [{mark}]{document['state']:<11}[/] {escaped(document['source'])}:"
            f" {escaped(document['relative_path'])}{' — ' + escaped(why) if why else ''}"
        )
    out.print("\nsettings")
    for name, value in report["settings"].items():
        out.print(f"  [dim]{name}[/] = {escaped(str(value))}")


def _print_backup(report: dict[str, Any]) -> None:
    from citewell.cli.output import console, escaped

    out = console()
    if not report["sources"]:
        return
    if last := report["last_backup"]:
        out.print(f"last backup: {last['made_at']}, {escaped(last['path'])}")
    else:
        out.print("no backup yet: run `rag backup`")
    if report["restored_at"]:
        out.print(f"restored from a backup: {report['restored_at']}")


def _print_source(source: dict[str, Any]) -> None:
    from citewell.cli.output import console, escaped

    out = console()
    states = ", ".join(f"{n} {state}" for state, n in sorted(source["documents"].items()))
    out.print(
        f"[bold]{escaped(source['name'])}[/] ({source['type']}, {source['state']})"
        f" {escaped(source['root'])}\n"
        f"  {states or 'no documents'}; {source['chunks']} chunks,"
        f" {source['vectors']} with vectors"
    )
    if source.get("reason"):
        out.print(f"  [yellow]{escaped(source['reason'])}[/]")
    for line in _about_missing(source):
        out.print(f"  [yellow]{line}[/]")
    if watch := source["watch"]:
        why = f": {escaped(watch['reason'])}" if watch["reason"] else ""
        out.print(f"  watched by {watch['mode']}{why}")
    if run := source["last_run"]:
        out.print(f"  last run {run['started_at']}: {run['trigger']}, {run['state']}")
