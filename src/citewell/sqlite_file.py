"""Open an SQLite file of ours, and know it from files of other programs."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

BUSY_TIMEOUT_S = 5.0
"""How long a statement waits for another process; writers hold the file for milliseconds."""


class ForeignFileError(Exception):
    """The file is an SQLite database of something else."""


class OtherVersionError(Exception):
    """The file is of the right kind, written by another version of the code."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a file is for.

    Attributes:
        application_id: Marks the kind in the file's header; a signed 32-bit integer.
        version: Of the tables; another version is not read.
        schema: Statements that make the tables, for a new file.
    """

    application_id: int
    version: int
    schema: tuple[str, ...]


def open_sqlite(
    path: Path, kind: FileKind, *, busy_timeout_s: float = BUSY_TIMEOUT_S
) -> sqlite3.Connection:
    """Open or make a file, in WAL mode, with deleted content overwritten by zeros.

    The connection starts no transaction by itself and may be passed between threads, one at a time.

    Raises:
        ForeignFileError: It belongs to something else.
        OtherVersionError: It has tables of another version.
        sqlite3.Error: It cannot be read, or is not an SQLite file.
    """
    connection = sqlite3.connect(
        path, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False
    )
    try:
        _check_kind(connection, kind)
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _make_tables(connection, kind)
    except BaseException:
        connection.close()
        raise
    return connection


def remove_sqlite(path: Path) -> None:
    """Delete a file with its log, if it is there; no other process may have it open."""
    for suffix in ("-wal", "-shm", ""):  # a log that stayed alone would be read into the next file
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """Write all that happens inside, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")
        raise


def truncate_log(connection: sqlite3.Connection) -> bool:
    """Move the write-ahead log into the file and empty it; False when a reader is in the way."""
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return busy == 0


def compact(connection: sqlite3.Connection) -> bool:
    """Rewrite the file without what lies between live rows; False when something is in the way.

    Overwriting deleted rows is not enough: when SQLite moves rows from one page to another to keep
    its trees balanced, copies of them can stay behind in the unused part of a page, and outlive the
    rows (`PRAGMA secure_delete` does not see them).

    Raises:
        sqlite3.Error: It cannot be rewritten, e.g. because the disk is full.
    """
    try:
        connection.execute("VACUUM")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            return False
        raise
    return truncate_log(connection)


def _check_kind(connection: sqlite3.Connection, kind: FileKind) -> bool:
    """Return whether the file has tables; it may be empty, or must be of the kind."""
    (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if n_tables == 0:
        return False
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    if application_id != kind.application_id:
        raise ForeignFileError
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != kind.version:
        raise OtherVersionError
    return True


def _make_tables(connection: sqlite3.Connection, kind: FileKind) -> None:
    # Asked again inside the transaction: another process may have made them meanwhile.
    with transaction(connection):
        if _check_kind(connection, kind):
            return
        for statement in kind.schema:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {kind.application_id}")
        connection.execute(f"PRAGMA user_version = {kind.version}")
