"""`rag backup`: a copy of the catalog that can be restored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from citewell.domain.backup import Manifest


def backup(
    dest: Annotated[
        Path | None, typer.Argument(help="Folder to write to; default: BACKUP_DIR.")
    ] = None,
    verify: Annotated[
        Path | None,
        typer.Option("--verify", metavar="FILE", help="Check a backup instead of making one."),
    ] = None,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Write a backup, also while another command works, and delete the oldest ones."""
    from citewell.cli.output import console, escaped, print_json
    from citewell.cli.session import opened
    from citewell.domain.errors import UsageError
    from citewell.keep_backups import make_backup

    if verify is not None and dest is not None:
        raise UsageError("--verify makes no backup: leave the folder out")
    if verify is not None:
        _verify(verify, as_json=as_json, data_dir=data_dir, env_file=env_file)
        return
    with opened(data_dir, env_file, access="read") as parts:
        made, removed = make_backup(parts.settings, parts.catalog, dest)
    if as_json:
        deleted = [str(path) for path in removed]
        print_json(backup_reply(made.path, made.manifest) | {"deleted": deleted})
        return
    out = console()
    out.print(f"{escaped(str(made.path))}: {summary(made.manifest)}")
    if removed:
        out.print(f"deleted {len(removed)} older")


def backup_reply(path: Path, manifest: Manifest) -> dict[str, Any]:
    """Return a backup as a JSON object."""
    contents = manifest.contents
    return {
        "path": str(path),
        "made_at": manifest.made_at,
        "sources": contents.n_sources,
        "documents": contents.n_documents,
        "chunks": contents.n_chunks,
        "sha256": manifest.sha256,
    }


def summary(manifest: Manifest) -> str:
    """Return what a backup holds, for a person."""
    contents = manifest.contents
    return (
        f"{contents.n_documents} documents of {contents.n_sources} sources as of {manifest.made_at}"
    )


def _verify(
    file: Path, *, as_json: bool, data_dir: options.DataDir, env_file: options.EnvFile
) -> None:
    from citewell.cli.output import console, escaped, print_json
    from citewell.keep_backups import verify_backup
    from citewell.load_settings import load_settings

    settings = load_settings({"data_dir": data_dir}, env_file=env_file)
    manifest = verify_backup(file, work_in=settings.data_dir)
    if as_json:
        print_json(backup_reply(file, manifest))
    else:
        console().print(f"{escaped(str(file))} can be restored: {summary(manifest)}")
