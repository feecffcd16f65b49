"""`rag status`: what is indexed, what is not, and with which settings."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell

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

    with opened(data_dir, env_file, hold=False) as parts:
        report = _report(parts, with_documents=documents)
    if as_json:
        print_json(report)
    else:
        _print_report(report)


def _report(parts: Citewell, *, with_documents: bool) -> dict[str, Any]:
    from importlib.metadata import version

    from citewell.replies import document_reply, source_reply

    registry = parts.catalog.sources
    records = parts.catalog.documents.records()
    sources: list[dict[str, Any]] = []
    for source in registry.sources():
        state, reason = registry.state_of(source.id)
        mine = [record for record in records if record.source == source.name]
        sources.append(
            source_reply(source, state=state, reason=reason)
            | {
                "documents": dict(Counter(record.state.value for record in mine)),
                "chunks": sum(record.n_chunks for record in mine),
                "vectors": sum(record.n_vectors for record in mine),
            }
        )
    embedder = parts.embedder
    report: dict[str, Any] = {
        "version": version("citewell"),
        "sources": sources,
        "pending_vectors": parts.catalog.pending.n_pending_vectors(),
        "embedder": embedder.embedder.model.key if embedder.embedder else None,
        "answers": "quotes from the documents (no language model is connected)",
        "settings": parts.settings.summary(),
    }
    if embedder.reason:
        report["embedder_notice"] = embedder.reason
    if with_documents:
        report["documents"] = [document_reply(record) for record in records]
    return report


def _print_report(report: dict[str, Any]) -> None:
    from citewell.cli.output import console, escaped

    out = console()
    out.print(f"Citewell {report['version']}")
    if not report["sources"]:
        out.print("no source yet: run `rag ingest PATH`")
    for source in report["sources"]:
        states = ", ".join(f"{n} {state}" for state, n in sorted(source["documents"].items()))
        out.print(
            f"[bold]{escaped(source['name'])}[/] ({source['type']}, {source['state']})"
            f" {escaped(source['root'])}\n"
            f"  {states or 'no documents'}; {source['chunks']} chunks,"
            f" {source['vectors']} with vectors"
        )
        if source.get("reason"):
            out.print(f"  [yellow]{escaped(source['reason'])}[/]")
    out.print(f"embedder: {escaped(report['embedder'] or 'none')}")
    if report.get("embedder_notice"):
        out.print(f"  [yellow]{escaped(report['embedder_notice'])}[/]")
    out.print(f"answers: {report['answers']}")
    for document in report.get("documents", []):
        why = document.get("failure", {}).get("reason") or "; ".join(document["notes"])
        mark = "green" if document["state"] in _GOOD else "yellow"
        out.print(
            f"  [{mark}]{document['state']:<11}[/] {escaped(document['source'])}:"
            f" {escaped(document['relative_path'])}{' — ' + escaped(why) if why else ''}"
        )
    out.print("\nsettings")
    for name, value in report["settings"].items():
        out.print(f"  [dim]{name}[/] = {escaped(str(value))}")
