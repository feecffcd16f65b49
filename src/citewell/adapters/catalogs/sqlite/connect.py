"""Opening the catalog's database: pragmas, migrations, and what a wrong schema means."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.exc import DatabaseError

from citewell.domain.errors import SchemaNotInitializedError, UnavailableError

SCHEMA_REVISION = "0002"
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
    try:
        revision = _revision(engine)
    except DatabaseError as error:
        raise UnavailableError(f"the catalog {path} cannot be opened: {error.orig}") from error
    if revision is None and (is_new or _is_empty(engine)):
        migrate(engine)
    elif revision != SCHEMA_REVISION:
        raise SchemaNotInitializedError(
            f"the catalog {path} has schema {revision or 'none'}, this version needs"
            f" {SCHEMA_REVISION}: run `rag db init`"
        )
    return engine


def engine_for(path: Path) -> Engine:
    """Return an engine with the pragmas of every connection set; touches no schema."""
    engine = create_engine(f"sqlite:///{path}", hide_parameters=True)  # they are text
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin_immediately)
    return engine


def migrate(engine: Engine) -> None:
    """Bring the schema to the newest revision; does nothing when it is there."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["engine"] = engine
    command.upgrade(config, "head")


def _revision(engine: Engine) -> str | None:
    with engine.connect() as connection:
        found = connection.execute(
            text("SELECT name FROM sqlite_master WHERE name = 'alembic_version'")
        ).first()
        if found is None:
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _is_empty(engine: Engine) -> bool:
    with engine.connect() as connection:
        return connection.execute(text("SELECT count(*) FROM sqlite_master")).scalar() == 0


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
