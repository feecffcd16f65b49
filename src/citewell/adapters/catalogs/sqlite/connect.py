"""Opening the catalog's database: pragmas, migrations, and what a wrong schema means."""

from __future__ import annotations

import functools
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, create_engine, event, text

from citewell.domain.errors import (
    CitewellError,
    LowDiskSpaceError,
    SchemaNotInitializedError,
    UnavailableError,
)

if TYPE_CHECKING:
    from sqlalchemy.engine import ExceptionContext

SCHEMA_REVISION = "0004"
"""The newest migration; a test compares it with the migrations folder."""

_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA secure_delete=ON",  # builds differ in the default; forgetting depends on it
    "PRAGMA synchronous=NORMAL",
    "PRAGMA busy_timeout=10000",
    "PRAGMA cache_size=-65536",
)


def connect(path: Path) -> Engine:
    """Return an engine on the SQLite file at `path`, made with its schema on first use.

    Raises:
        SchemaNotInitializedError: The file has a schema of another version.
        UnavailableError: The file cannot be opened.
    """
    is_new = not path.exists()
    engine = engine_for(path)
    revision = _known_revision(engine, path)
    if revision is None and (is_new or _is_empty(engine)):
        migrate(engine)
    elif revision != SCHEMA_REVISION:
        raise SchemaNotInitializedError(
            f"the catalog {path} has schema {revision or 'none'}, this version needs"
            f" {SCHEMA_REVISION}: run `rag db init`"
        )
    return engine


def upgrade(path: Path) -> None:
    """Make the schema of the SQLite file at `path`, or bring it to the newest revision.

    Raises:
        SchemaNotInitializedError: The file has a schema of a newer version.
        UnavailableError: The file cannot be opened.
    """
    engine = engine_for(path)
    try:
        _known_revision(engine, path)
        migrate(engine)
    finally:
        engine.dispose()


def engine_for(path: Path) -> Engine:
    """Return an engine with the pragmas of every connection set; touches no schema.

    What SQLite says of a file that it cannot read or write is raised as `UnavailableError`, a full
    disk as `LowDiskSpaceError`.
    """
    engine = create_engine(f"sqlite:///{path}", hide_parameters=True)  # they are text
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin_immediately)
    event.listen(engine, "handle_error", functools.partial(_explain, path))
    return engine


def migrate(engine: Engine) -> None:
    """Bring the schema to the newest revision; does nothing when it is there."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["engine"] = engine
    command.upgrade(config, "head")


def _known_revision(engine: Engine, path: Path) -> str | None:
    """Return the revision of the schema, None without one; refuse what is newer or unreadable."""
    revision = _revision(engine)
    if revision is not None and revision > SCHEMA_REVISION:
        raise SchemaNotInitializedError(
            f"the catalog {path} has schema {revision}, written by a newer version than this one"
            f" ({SCHEMA_REVISION}): install that version"
        )
    return revision


def _revision(engine: Engine) -> str | None:
    with engine.connect().execution_options(citewell_reading=True) as connection:
        found = connection.execute(
            text("SELECT name FROM sqlite_master WHERE name = 'alembic_version'")
        ).first()
        if found is None:
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _is_empty(engine: Engine) -> bool:
    with engine.connect().execution_options(citewell_reading=True) as connection:
        return connection.execute(text("SELECT count(*) FROM sqlite_master")).scalar() == 0


_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")


def _explain(path: Path, context: ExceptionContext) -> CitewellError | None:
    """Return what to raise instead of SQLite's complaint about a file, None to leave it."""
    name = getattr(context.original_exception, "sqlite_errorname", "")
    if name == "SQLITE_FULL":
        return LowDiskSpaceError(f"the disk is full: the catalog {path} could not be written")
    if not name.startswith(_DAMAGED):
        return None
    return UnavailableError(
        f"the catalog {path} cannot be opened, read or written: {context.original_exception}."
        " If it is damaged, put back a backup with `rag restore FILE --replace`, or move the data"
        " folder away and run `rag ingest` or, with a sources file, `rag sync`, which read"
        " everything anew"
    )


def _set_pragmas(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy begins transactions, not the driver
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _begin_immediately(connection: Any) -> None:
    """Take the write lock at the start, unless the connection was opened for reading.

    A deferred transaction that reads before it writes fails with "database is locked" when
    another one wrote in between, however long the busy time-out is.
    """
    reading = connection.get_execution_options().get("citewell_reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
