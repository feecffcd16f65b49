"""`rag restore`: put a backup in place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from citewell.restore_backup import Restored


def restore(
    file: Annotated[Path, typer.Argument(help="A backup that `rag backup` wrote.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Keep the catalog that is in place aside.")
    ] = False,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Put a backup in place; its documents are hidden until `rag sync` has seen them again."""
    from citewell.cli.backup import backup_reply
    from citewell.cli.output import print_json
    from citewell.load_settings import load_settings
    from citewell.restore_backup import restore_backup

    settings = load_settings({"data_dir": data_dir}, env_file=env_file)
    restored = restore_backup(settings, file, replace=replace)
    if as_json:
        aside = restored.kept_aside
        names = [source.name for source in restored.sources]
        print_json(
            backup_reply(file, restored.backup.manifest)
            | {"to_sync": names, "kept_aside": str(aside) if aside else None}
        )
    else:
        _print_restored(restored)


def _print_restored(restored: Restored) -> None:
    from citewell.cli.backup import summary
    from citewell.cli.output import console, escaped

    out = console()
    out.print(f"restored {summary(restored.backup.manifest)}")
    if restored.kept_aside is not None:
        out.print(f"the catalog before is kept in {escaped(str(restored.kept_aside))}")
    for source in restored.sources:
        rule = "folder per tier" if source.folder_per_tier else source.tier or "highest tier only"
        out.print(f"  [bold]{escaped(source.name)}[/] ({rule}) {escaped(source.root)}")
    out.print(
        "Nothing is answered before `rag sync` has read these sources again. Remove or change first"
        " what is not right any more, with `rag sources`"
    )
