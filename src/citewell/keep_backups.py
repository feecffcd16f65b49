"""Composition root of backups: making them while others write, checking them, keeping some."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from citewell.domain.backup import Backup, Manifest
from citewell.domain.errors import BackupUnreadableError, UnavailableError, UsageError
from citewell.domain.failpoints import reach

if TYPE_CHECKING:
    from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
    from citewell.settings import Settings

_LAST_BACKUP = "last_backup"


@dataclass(frozen=True, slots=True)
class LastBackup:
    """What a catalog remembers of its newest backup.

    Attributes:
        made_at: ISO 8601 in UTC.
        path: Where it was written to.
    """

    made_at: str
    path: str


def make_backup(
    settings: Settings, catalog: SqliteCatalog, folder: Path | None = None
) -> tuple[Backup, list[Path]]:
    """Write a backup as of one moment, and return it with the older ones that were deleted.

    Another process may write to the catalog meanwhile.

    Args:
        settings: Resolved.
        catalog: Opened; only what is remembered of the backup is written to it.
        folder: Where to; None for `BACKUP_DIR`.

    Raises:
        UsageError: Nothing is registered, or the folder lies in a source or in the data folder.
        LowDiskSpaceError: The disk of the folder is full; no file is left behind.
        UnavailableError: The folder cannot be written, or the catalog is damaged.
    """
    from citewell.adapters.backups.folder import rotate

    folder = (folder or settings.backup_dir).absolute()
    _check_place(folder, settings, catalog)
    backup = _write_backup(settings, catalog, folder)
    remember_backup(catalog, backup)
    reach("backup-recorded")
    series, keep = backup.manifest.series, settings.backup_keep
    return backup, rotate(folder, series, keep=keep, newest=backup.path)


def verify_backup(file: Path, *, work_in: Path) -> Manifest:
    """Return the manifest of a backup that was unpacked, compared and opened.

    Args:
        file: The backup.
        work_in: Folder with room for its catalog.

    Raises:
        BackupUnreadableError: It is no whole backup.
        SchemaNotInitializedError: It was written by a newer version.
        LowDiskSpaceError: There is no room.
    """
    from citewell.adapters.backups.folder import work_folder

    with work_folder(work_in) as work:
        return unpack_backup(file, work / "catalog.sqlite3")


def unpack_backup(file: Path, target: Path) -> Manifest:
    """Write the catalog of a backup to a new file; its schema becomes that of this version.

    Raises as `verify_backup`.
    """
    from citewell.adapters.backups.archive import extract_catalog
    from citewell.adapters.catalogs.sqlite.snapshot import check_copy
    from citewell.domain.errors import LowDiskSpaceError, SchemaNotInitializedError

    manifest = extract_catalog(file, target)
    try:
        contents = check_copy(target)
    except (LowDiskSpaceError, SchemaNotInitializedError):
        raise
    except UnavailableError as error:
        raise BackupUnreadableError(f"{file} cannot be restored: {error}") from error
    if contents != manifest.contents:
        raise BackupUnreadableError(f"{file} cannot be restored: it does not hold what it says")
    return manifest


def backups_until(settings: Settings, catalog: SqliteCatalog, moment: str) -> list[Path]:
    """Return the backups in `BACKUP_DIR` that were made up to a moment, oldest first.

    Args:
        settings: Resolved.
        catalog: Whose backups.
        moment: ISO 8601 in UTC, to the millisecond.

    Raises:
        UnavailableError: The folder cannot be read.
    """
    from citewell.adapters.backups.folder import file_name, list_backups

    series = catalog.facts.series()
    last = file_name(series, moment)
    return [path for path in list_backups(settings.backup_dir, series) if path.name <= last]


def last_backup(catalog: SqliteCatalog) -> LastBackup | None:
    """Return what the catalog remembers of its newest backup."""
    stored = catalog.facts.get(_LAST_BACKUP)
    return LastBackup(**json.loads(stored)) if stored else None


def remember_backup(catalog: SqliteCatalog, backup: Backup) -> None:
    """Let the catalog remember its newest backup."""
    last = LastBackup(backup.manifest.made_at, str(backup.path))
    catalog.facts.set(_LAST_BACKUP, json.dumps(asdict(last)))


def _check_place(folder: Path, settings: Settings, catalog: SqliteCatalog) -> None:
    sources = catalog.sources.sources()
    if not sources:
        raise UsageError("there is nothing to back up yet: run `rag ingest PATH` first")
    place = folder.resolve()
    if place.is_relative_to(settings.data_dir.resolve()):
        raise UsageError(
            f"{folder} lies in the data folder, and would go with it: choose another folder"
        )
    for source in sources:
        if place.is_relative_to(source.root):
            raise UsageError(
                f"{folder} lies in the source {source.name}, whose files can be asked about:"
                " choose another folder"
            )


def _write_backup(settings: Settings, catalog: SqliteCatalog, folder: Path) -> Backup:
    from importlib.metadata import version

    from citewell.adapters.backups.archive import Label, errors_explained, write_archive
    from citewell.adapters.backups.folder import file_name, publish, work_folder
    from citewell.adapters.catalogs.sqlite.catalog import utc_now
    from citewell.adapters.catalogs.sqlite.rows import iso_utc
    from citewell.adapters.catalogs.sqlite.snapshot import check_copy, take_snapshot

    series = catalog.facts.series()
    made_at = iso_utc(utc_now())
    target = folder / file_name(series, made_at)
    with work_folder(folder) as work:
        copy, partial = work / "catalog.sqlite3", work / target.name
        with errors_explained(folder):
            take_snapshot(settings.catalog_path, copy)
            reach("snapshot-taken")
        label = Label(made_at, version("citewell"), series, check_copy(copy))
        manifest = write_archive(copy, partial, label)
        reach("backup-written")
        publish(partial, target)
    reach("backup-published")
    return Backup(target, manifest)
