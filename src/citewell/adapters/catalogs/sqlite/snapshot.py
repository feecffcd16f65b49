"""A copy of the catalog as it was at one moment, and whether a copy is sound."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from citewell.adapters.catalogs.sqlite.connect import upgrade
from citewell.domain.backup import CatalogContents
from citewell.domain.errors import UnavailableError

_COUNTS = """
    SELECT (SELECT count(*) FROM sources), (SELECT count(*) FROM documents),
           (SELECT count(*) FROM chunks)
"""
_MISCOUNTED = """
    WITH counted (tier, n_chunks) AS (
        SELECT documents.tier, count(*) FROM chunks
        JOIN documents ON documents.key = chunks.document_key
        WHERE documents.is_live AND chunks.generation = documents.generation
        GROUP BY documents.tier
    ), kept AS (SELECT tier, n_chunks FROM tier_statistics WHERE n_chunks != 0)
    SELECT (SELECT count(*) FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept))
         + (SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted))
"""


def take_snapshot(catalog: Path, target: Path) -> None:
    """Write a copy of a catalog as it is at one moment; others may go on writing.

    Free pages and what lies between rows do not come along, so nothing deleted does.

    Args:
        catalog: The file.
        target: The new file, for its owner only.

    Raises:
        UnavailableError: The catalog is damaged.
        sqlite3.Error: It cannot be read, or the target cannot be written.
        OSError: The target exists, or cannot be made.
    """
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    uri = f"{catalog.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        try:
            connection.execute("PRAGMA busy_timeout = 10000")
            connection.execute("VACUUM INTO ?", (str(target),))
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorname.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
                raise UnavailableError(
                    f"the catalog {catalog} is damaged ({error}): no backup was made, and earlier"
                    " ones were kept. Restore one with `rag restore FILE --replace`"
                ) from error
            raise


def check_copy(path: Path) -> CatalogContents:
    """Return what a copy holds, if it is sound; its schema becomes that of this version.

    Raises:
        UnavailableError: It is damaged, or contradicts itself.
        SchemaNotInitializedError: It was written by a newer version.
    """
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            _check_pages(connection)
        upgrade(path)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")  # a single file, without a log
            (n_wrong,) = connection.execute(_MISCOUNTED).fetchone()
            if n_wrong:
                raise UnavailableError("the catalog's statistics are not those of its chunks")
            return CatalogContents(*connection.execute(_COUNTS).fetchone())
    except sqlite3.Error as error:
        raise UnavailableError(f"the copy of the catalog is not sound: {error}") from error


def _check_pages(connection: sqlite3.Connection) -> None:
    problems = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
    if problems != ["ok"]:
        raise UnavailableError("; ".join(problems))
    dangling = connection.execute("PRAGMA foreign_key_check").fetchone()
    if dangling is not None:
        raise UnavailableError(f"a row of {dangling[0]} refers to one that is missing")
