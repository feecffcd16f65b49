"""Composition root of restoring: nothing of a backup answers before its source was looked at.

check the backup ─► follow the sources as they are now ─► hide all its documents ─► put in place

The next full scan of a source shows again what is still there, as it is there now.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from citewell.adapters.data_folders.data_folder import DataFolder
from citewell.domain.backup import Backup
from citewell.domain.errors import SyncRequiredError, UnavailableError, UsageError
from citewell.domain.failpoints import reach
from citewell.keep_backups import remember_backup, unpack_backup

if TYPE_CHECKING:
    from datetime import datetime

    from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
    from citewell.domain.source import Source
    from citewell.ports.key_store import StoredKey
    from citewell.settings import Settings

_RESTORED_AT = "restored_at"


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore has done.

    Attributes:
        backup: What was restored.
        sources: What must be synced before the first answer.
        kept_aside: Folder of the catalog that was there before, or None.
    """

    backup: Backup
    sources: Sequence[Source]
    kept_aside: Path | None


@dataclass(frozen=True, slots=True)
class _Present:
    """The catalog that is in the place already.

    Attributes:
        series: Whose copies it shares; None if it cannot be read.
        sources: As they are registered now.
        keys: As they are now, the newest first.
    """

    series: str | None
    sources: Sequence[Source]
    keys: Sequence[StoredKey] = ()


def restore_backup(settings: Settings, file: Path, *, replace: bool = False) -> Restored:
    """Put the catalog of a backup in place; everything in it is hidden until its source is synced.

    Where a catalog of the same data folder is in place and can be read, its sources count: those
    removed since the backup go, and the access rules are those of now, as are the API keys. Without
    it all keys of the backup are revoked: some may have been since.

    Args:
        settings: Resolved.
        file: The backup.
        replace: Whether a catalog may be in place; it is kept aside.

    Raises:
        DataFolderBusyError: Another process holds the data folder.
        BusyError: Another process reads the catalog.
        UsageError: A catalog is in place.
        BackupUnreadableError: The file is no whole backup; nothing was changed.
        LowDiskSpaceError: The disk is full; nothing was changed.
    """
    from citewell.adapters.backups.archive import errors_explained
    from citewell.adapters.backups.folder import work_folder
    from citewell.adapters.catalogs.sqlite.catalog import utc_now
    from citewell.adapters.catalogs.sqlite.replace import put_in_place

    path = settings.catalog_path
    moment = utc_now()
    folder = DataFolder(settings.data_dir, command="rag restore")
    try:
        present = _look_at(path)
        if present is not None and not replace and (present.sources or present.series is None):
            raise UsageError(
                f"{path} is in place: with --replace it is kept aside, and the backup restored"
            )
        with work_folder(path.parent) as work, errors_explained(path.parent):
            copy = work / "catalog.sqlite3"
            backup = Backup(file, unpack_backup(file, copy))
            reach("backup-extracted")
            sources = _prepare(copy, backup, present, moment)
            aside = path.parent / f"replaced-{moment:%Y%m%dT%H%M%S%fZ}"
            was_there = put_in_place(copy, path, aside=aside)
    finally:
        folder.release()
    return Restored(backup, sources, aside if was_there else None)


def check_restored(catalog: SqliteCatalog) -> str | None:
    """Return what a reader must know of a restored catalog; None if nothing.

    Raises:
        SyncRequiredError: A source has not been looked at since.
    """
    restored_at = catalog.facts.get(_RESTORED_AT)
    if restored_at is None:
        return None
    statuses = [(s, catalog.sources.status_of(s.id)) for s in catalog.sources.sources()]
    if any(status.state == "restored" for _, status in statuses):
        raise SyncRequiredError(
            "the catalog was restored from a backup: run `rag sync` before the first answer, so"
            " that what was deleted or revoked since the backup does not come back"
        )
    for source, status in statuses:
        known = catalog.documents.known_items(source.id) if status.state == "unavailable" else ()
        if any(item.missing_since == restored_at for item in known):
            return (
                "a source could not be read since the catalog was restored from a backup: nothing"
                " of it is found before `rag sync` can read it"
            )
    return None


def restored_at(catalog: SqliteCatalog) -> str | None:
    """Return when the catalog was restored, ISO 8601 in UTC, or None."""
    return catalog.facts.get(_RESTORED_AT)


def _look_at(path: Path) -> _Present | None:
    from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
    from citewell.adapters.catalogs.sqlite.connect import upgrade

    if not path.exists():
        return None
    try:
        upgrade(path)
        with closing(SqliteCatalog.open(path)) as catalog:
            return _Present(
                catalog.facts.series(), catalog.sources.sources(), catalog.keys.stored()
            )
    except UnavailableError:  # that is why a backup is restored
        return _Present(None, ())


def _prepare(
    copy: Path, backup: Backup, present: _Present | None, moment: datetime
) -> Sequence[Source]:
    """Hide everything in an unpacked catalog, and return its sources."""
    from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
    from citewell.adapters.catalogs.sqlite.rows import iso_utc

    made_at = backup.manifest.made_at
    reason = f"its documents came back from the backup of {made_at} and are hidden until it is read"
    with closing(SqliteCatalog.open(copy, now=lambda: moment)) as catalog:
        if present is not None and present.series == catalog.facts.series():
            _follow(catalog, present.sources)
            catalog.keys.replace_all(present.keys)
        else:
            catalog.keys.revoke_all()  # which of them were revoked since, nobody knows
        for source in catalog.sources.sources():
            known = catalog.documents.known_items(source.id)
            catalog.documents.hide([item.document_key for item in known])
            catalog.sources.take_confirmation(source.id)  # was given for another moment
            catalog.sources.set_watch(source.id, None)
            catalog.sources.set_state(source.id, "restored", reason)
        catalog.facts.renew_catalog_id()
        catalog.facts.set(_RESTORED_AT, iso_utc(moment))
        remember_backup(catalog, backup)
        return catalog.sources.sources()


def _follow(catalog: SqliteCatalog, current: Sequence[Source]) -> None:
    """Give a catalog the sources that are registered now, with their access rules of now."""
    roots = {source.root for source in current}
    for source in catalog.sources.sources():
        if source.root not in roots:
            catalog.documents.remove_leftovers()
            known = catalog.documents.known_items(source.id)
            catalog.documents.delete([item.document_key for item in known])
            catalog.sources.remove(source.id)
    for source in current:
        catalog.sources.register(source)
