"""`rag forget`: erase what is gone from a source, and show that nothing is left of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell

EXIT_FOUND = 1
EXIT_WAITING = 75


def forget(
    path: Annotated[
        str | None,
        typer.Argument(help="A document or folder, as `rag status --documents` shows it."),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Then look into every store for what is left of it.")
    ] = False,
    verify_all: Annotated[
        bool,
        typer.Option("--verify-all", help="Look into every store for what no document has."),
    ] = False,
    source: options.InSource = None,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> int:
    """Erase a document that is gone from its source, from every store, now."""
    from citewell.cli.output import print_json
    from citewell.cli.session import opened
    from citewell.domain.errors import UsageError

    if (path is None) != verify_all or (verify and verify_all):
        raise UsageError("give either a PATH, with or without --verify, or --verify-all")
    with opened(data_dir, env_file) as parts:
        report = (
            _verify(parts)
            if path is None
            else _forget(parts, path, source_name=source, verify=verify)
        )
    if as_json:
        print_json(report)
    else:
        _print_report(report)
    if report.get("is_clean") is False:
        return EXIT_FOUND
    return EXIT_WAITING if report["waiting"] else 0


def _forget(parts: Citewell, path: str, *, source_name: str | None, verify: bool) -> dict[str, Any]:
    from citewell.cli.declared_sources import register_declared
    from citewell.ingestion.forget_path import PathForgetting
    from citewell.keep_backups import backups_until
    from citewell.upkeep import forget_words_of

    register_declared(parts)  # for what they leave out now
    catalog = parts.catalog
    forgetting = PathForgetting(
        registry=catalog.sources,
        documents=catalog.documents,
        log=catalog.erasures,
        open_connector=parts.connector,
    )
    forgotten = forgetting.forget_path(path, source_name=source_name)
    forget_words_of(parts.settings, forgotten.texts)
    outcome = parts.erasure.erase()
    newest = next(iter(catalog.erasures.records_of(forgotten.paths[0])), None)
    backups = backups_until(parts.settings, catalog, newest.at) if newest else []
    report: dict[str, Any] = {
        "path": path,
        "source": forgotten.source,
        "deleted": forgotten.n_deleted,
        "deleted_at": newest.at if newest else None,
        "erased_at": newest.erased_at if newest else None,
        "waiting": dict(outcome.waiting) if outcome else {},
        "backups": [str(backup) for backup in backups],
    }
    if verify:
        report |= _look(parts, forgotten.texts)
    return report


def _verify(parts: Citewell) -> dict[str, Any]:
    outcome = parts.erasure.settle()
    return {"waiting": dict(outcome.waiting), **_look(parts)}


def _look(parts: Citewell, texts: Sequence[str] = ()) -> dict[str, Any]:
    from citewell.replies import verification_reply
    from citewell.upkeep import make_verification

    verification = make_verification(parts.settings, parts.catalog)
    return verification_reply(verification.verify(texts))


def _print_report(report: dict[str, Any]) -> None:
    from citewell.cli.output import console, escaped

    out = console()
    if "path" in report:
        n_deleted = report["deleted"]
        documents = "1 document" if n_deleted == 1 else f"{n_deleted} documents"
        out.print(
            f"[bold]{escaped(report['path'])}[/] ({escaped(report['source'])}):"
            f" {f'{documents} deleted now' if n_deleted else 'deleted before'},"
            f" gone since {report['deleted_at']}"
        )
        if report["erased_at"]:
            out.print(f"erased from every store at {report['erased_at']}")
        if report["backups"]:
            n_backups = len(report["backups"])
            out.print(
                f"[yellow]backups from before may hold it[/]: {n_backups}, the last of them"
                f" {escaped(report['backups'][-1])}"
            )
    for store, reason in report["waiting"].items():
        out.print(f"[yellow]not yet erased[/] from the {store}: {escaped(reason)}; run it again")
    for store in report.get("stores", []):
        mark = "[green]clean[/]" if store["is_clean"] else "[red]not clean[/]"
        out.print(f"{store['store']}: {mark}")
        for finding in store["findings"]:
            out.print(f"  {escaped(finding['place'])}: {escaped(finding['reason'])}")
