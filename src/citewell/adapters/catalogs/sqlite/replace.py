"""Putting a catalog in the place of another one, which is kept aside."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from citewell.domain.errors import BusyError
from citewell.domain.failpoints import reach


def put_in_place(new: Path, catalog: Path, *, aside: Path) -> bool:
    """Put a catalog in place at once, for whoever opens it next and across a loss of power.

    Args:
        new: A single file without a log, on the same disk; it is moved.
        catalog: Its place. What is there may be damaged.
        aside: Folder for what is there; made only if something is.

    Returns:
        Whether anything was kept aside.

    Raises:
        BusyError: Another process reads what is there.
        OSError: A file cannot be written.
    """
    is_replacing = catalog.exists()
    if is_replacing:
        _fold_log(catalog)
    with new.open("rb+") as file:
        os.fsync(file.fileno())
    for suffix in ("-wal", "-shm", "-journal"):  # of a damaged one: they must not meet the new one
        log = catalog.with_name(catalog.name + suffix)
        if log.exists():
            aside.mkdir(exist_ok=True, mode=0o700)
            log.rename(aside / log.name)
    if is_replacing:
        aside.mkdir(exist_ok=True, mode=0o700)
        _keep(catalog, aside / catalog.name)
        reach("catalog-set-aside")
    new.replace(catalog)
    _sync_folder(catalog.parent)
    reach("catalog-replaced")
    return aside.exists()


def _fold_log(catalog: Path) -> None:
    """Bring the log into the file; it works only while nobody else has the file open."""
    try:
        with closing(sqlite3.connect(catalog, timeout=5, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE").fetchone()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise BusyError(
                f"the catalog {catalog} is being read by another command: try again when it ended"
            ) from error


def _keep(file: Path, copy: Path) -> None:
    try:
        copy.hardlink_to(file)
    except OSError:  # not every file system has links
        shutil.copy2(file, copy)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
