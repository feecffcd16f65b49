"""The answer cache in an SQLite file of its own."""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from citewell.adapters.caches.disposable_file import DisposableFile
from citewell.domain.answer_json import answer_as_json, answer_of_json
from citewell.domain.errors import UnavailableError
from citewell.ports.answer_cache import (
    AnswerCache,
    AnswerName,
    PastSearch,
    RememberedAnswer,
    UsedChunk,
)
from citewell.sqlite_file import FileKind, compact, transaction, truncate_log

if TYPE_CHECKING:
    from pathlib import Path

_log = logging.getLogger(__name__)

_KIND = FileKind(
    application_id=0x43574143,  # "CWAC"
    version=1,
    schema=(
        "CREATE TABLE catalog (id TEXT NOT NULL)",
        """CREATE TABLE entries (
            id INTEGER PRIMARY KEY,
            exact BLOB NOT NULL UNIQUE,
            alike BLOB NOT NULL,
            reader BLOB NOT NULL,
            made_at INTEGER NOT NULL,
            searches TEXT NOT NULL,
            vector BLOB,
            answer TEXT NOT NULL)""",
        "CREATE INDEX entries_by_sense ON entries (alike)",
        "CREATE INDEX entries_by_reader ON entries (reader, made_at)",
        "CREATE INDEX entries_by_age ON entries (made_at)",
        """CREATE TABLE used (
            entry_id INTEGER NOT NULL,
            chunk_key INTEGER NOT NULL,
            document_id TEXT NOT NULL,
            tier TEXT NOT NULL,
            PRIMARY KEY (entry_id, chunk_key)) WITHOUT ROWID""",
        "CREATE INDEX used_by_document ON used (document_id)",
        # No statement can delete an entry and leave behind what it used, nor the other way round.
        """CREATE TRIGGER entry_deleted AFTER DELETE ON entries
            BEGIN DELETE FROM used WHERE entry_id = old.id; END""",
    ),
)

# A question should rather do without the cache than wait for it.
_BUSY_TIMEOUT_S = 1.0
_MOST_ALIKE = 50
_ROW = "SELECT id, answer, searches, vector FROM entries"


class SqliteAnswerCache(AnswerCache):
    """Answers as JSON, with hashes for names.

    A file that is damaged or of another version is started anew, with a warning. Only entries made
    from one catalog are in it; whoever has another one reads and writes nothing.
    """

    def __init__(
        self,
        path: Path,
        *,
        catalog_id: str | None,
        max_entries: int = 10_000,
        max_age_s: float = 7 * 86_400,
        busy_timeout_s: float = _BUSY_TIMEOUT_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open or make the file.

        Args:
            path: The file; its folder exists.
            catalog_id: Of the catalog whose answers it holds; None: to erase and to look only.
            max_entries: Answers kept for each reader, at least 1.
            max_age_s: Seconds after which an answer is not used any more.
            busy_timeout_s: How long another process is waited for.
            clock: Seconds since the epoch.

        Raises:
            ConfigurationError: The file is a database of something else.
        """
        self._catalog_id = catalog_id
        self._max_entries = max_entries
        self._max_age_s = max_age_s
        self._clock = clock
        self._file = DisposableFile(path, _KIND, name="answer cache", busy_timeout_s=busy_timeout_s)

    @override
    def get(self, exact: bytes) -> RememberedAnswer | None:
        found = self._find("exact = ?", exact)
        return found[0] if found else None

    @override
    def get_alike(self, alike: bytes) -> Sequence[RememberedAnswer]:
        return self._find("alike = ? AND vector IS NOT NULL", alike)

    @override
    def put(self, name: AnswerName, remembered: RememberedAnswer) -> None:
        if not remembered.used:
            return
        try:
            answer = answer_as_json(remembered.answer)
            searches = json.dumps([[s.question, s.evidence.hex()] for s in remembered.searches])
        except ValueError:
            return
        vector = remembered.vector
        row = (
            name.exact,
            name.alike,
            name.reader,
            int(self._clock()),
            searches,
            None if vector is None else vector.astype("<f4").tobytes(),
            answer,
        )

        def write(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                if self._owns(connection):
                    connection.execute("DELETE FROM entries WHERE exact = ?", (name.exact,))
                    _insert(connection, row, remembered.used)
                    self._evict(connection, name.reader)

        self._file.attempt(write, otherwise=None)

    @override
    def remove(self, exact: bytes) -> None:
        def write(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                connection.execute("DELETE FROM entries WHERE exact = ?", (exact,))
            truncate_log(connection)

        self._file.attempt(write, otherwise=None)

    @override
    def forget(self, document_ids: Sequence[str]) -> bool:
        def erase(connection: sqlite3.Connection) -> bool:
            with transaction(connection):
                connection.execute(
                    "DELETE FROM entries WHERE id IN (SELECT entry_id FROM used"
                    " WHERE document_id IN (SELECT value FROM json_each(?)))"
                    " OR id NOT IN (SELECT entry_id FROM used)",
                    (json.dumps(list(document_ids)),),
                )
                connection.execute("DELETE FROM entries WHERE made_at < ?", (self._oldest(),))
            return truncate_log(connection)

        return self._file.attempt(erase, otherwise=False)

    @override
    def compact(self) -> bool:
        return self._file.attempt(compact, otherwise=False)

    @override
    def used_chunks(self) -> Sequence[UsedChunk]:
        def read(connection: sqlite3.Connection) -> Sequence[UsedChunk] | None:
            rows = connection.execute(
                "SELECT DISTINCT coalesce(document_id, ''), coalesce(chunk_key, 0),"
                " coalesce(tier, '') FROM entries LEFT JOIN used ON entry_id = id"
            )
            return [UsedChunk(*row) for row in rows]

        found = self._file.attempt(read, otherwise=None)
        if found is None:
            raise UnavailableError(f"the answer cache {self._file.path} cannot be read")
        return found

    @override
    def close(self) -> None:
        self._file.close()

    def _find(self, condition: str, name: bytes) -> list[RememberedAnswer]:
        now = int(self._clock())

        def read(connection: sqlite3.Connection) -> list[RememberedAnswer]:
            connection.execute("BEGIN")  # the rows of one moment, whoever writes meanwhile
            try:
                rows = connection.execute(
                    f"{_ROW} WHERE {condition} AND made_at BETWEEN ? AND ?"  # noqa: S608 - of two texts above
                    " AND (SELECT id FROM catalog) = ? ORDER BY id DESC LIMIT ?",
                    (name, self._oldest(), now, self._catalog_id, _MOST_ALIKE),
                ).fetchall()
                used = [_used_by(connection, row[0]) for row in rows]
            finally:
                connection.execute("COMMIT")
            return [_remembered(row, part) for row, part in zip(rows, used, strict=True)]

        try:
            return self._file.attempt(read, otherwise=[])
        except ValueError:
            _log.warning("an entry of the answer cache cannot be read")
            return []

    def _oldest(self) -> int:
        return int(self._clock() - self._max_age_s)

    def _owns(self, connection: sqlite3.Connection) -> bool:
        """Return whether the file belongs to our catalog; one that belongs to none becomes ours."""
        owner = connection.execute("SELECT id FROM catalog").fetchone()
        if owner is None and self._catalog_id is not None:
            connection.execute("INSERT INTO catalog (id) VALUES (?)", (self._catalog_id,))
            return True
        return owner == (self._catalog_id,)

    def _evict(self, connection: sqlite3.Connection, reader: bytes) -> None:
        connection.execute("DELETE FROM entries WHERE made_at < ?", (self._oldest(),))
        connection.execute(
            "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE reader = ?"
            " ORDER BY made_at DESC, id DESC LIMIT -1 OFFSET ?)",
            (reader, self._max_entries),
        )


def discard_foreign_answers(path: Path, catalog_id: str | None) -> bool:
    """Empty the file if its answers were made from another catalog, and say whether it was so.

    It is emptied, not deleted, since another process may be answering beside this one. What is no
    answer cache, or cannot be read, stays: whoever opens it says what is wrong.

    Args:
        path: The file; it may be missing.
        catalog_id: Of the catalog; None discards the answers of any.
    """
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            (application_id,) = connection.execute("PRAGMA application_id").fetchone()
            if application_id != _KIND.application_id:
                return False
            owner = connection.execute("SELECT id FROM catalog").fetchone()
            if owner is None or owner == (catalog_id,):
                return False
            connection.execute("PRAGMA secure_delete = ON")
            with transaction(connection):
                connection.execute("DELETE FROM entries")
                connection.execute("DELETE FROM catalog")
            compact(connection)
            return True
    except sqlite3.DatabaseError:
        return False


def _insert(
    connection: sqlite3.Connection, row: tuple[object, ...], used: Sequence[UsedChunk]
) -> None:
    made = connection.execute(
        "INSERT INTO entries (exact, alike, reader, made_at, searches, vector, answer)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        row,
    )
    connection.executemany(
        "INSERT INTO used (entry_id, chunk_key, document_id, tier) VALUES (?, ?, ?, ?)",
        [(made.lastrowid, chunk.chunk_key, chunk.document_id, chunk.tier) for chunk in used],
    )


def _used_by(connection: sqlite3.Connection, entry_id: int) -> tuple[UsedChunk, ...]:
    rows = connection.execute(
        "SELECT document_id, chunk_key, tier FROM used WHERE entry_id = ? ORDER BY chunk_key",
        (entry_id,),
    )
    return tuple(UsedChunk(*row) for row in rows)


def _remembered(
    row: tuple[int, str, str, bytes | None], used: tuple[UsedChunk, ...]
) -> RememberedAnswer:
    _, answer, searches, vector = row
    try:
        past = tuple(PastSearch(text, bytes.fromhex(found)) for text, found in json.loads(searches))
    except TypeError as error:
        raise ValueError("these are not searches") from error
    return RememberedAnswer(
        answer=answer_of_json(answer),
        searches=past,
        used=used,
        vector=None if vector is None else np.frombuffer(vector, dtype="<f4").astype(np.float32),
    )
