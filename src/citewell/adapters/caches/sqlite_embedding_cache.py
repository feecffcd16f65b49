"""The embedding cache in an SQLite file of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from citewell.adapters.caches.disposable_file import DisposableFile
from citewell.domain.errors import UnavailableError
from citewell.ports.embedding_cache import EmbeddingCache, PromptKind
from citewell.sqlite_file import FileKind, compact, transaction, truncate_log

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from numpy.typing import NDArray

DEFAULT_MAX_BYTES = 1 << 30
"""About half a million vectors of 384 numbers."""

_KIND = FileKind(
    application_id=0x43574543,  # "CWEC"
    version=1,
    schema=(
        "CREATE TABLE models (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE)",
        """CREATE TABLE entries (
            id INTEGER PRIMARY KEY,
            text_sha BLOB NOT NULL,
            model_id INTEGER NOT NULL,
            is_query INTEGER NOT NULL,
            used_at INTEGER NOT NULL,
            vector BLOB NOT NULL)""",
        "CREATE UNIQUE INDEX entries_by_text ON entries (text_sha, model_id, is_query)",
        "CREATE INDEX entries_by_use ON entries (used_at)",
    ),
)

# A question should rather do without the cache than wait for it.
_BUSY_TIMEOUT_S = 1.0
_SHAS_PER_STATEMENT = 500
# Reads write nothing: uses are noted together, and only those that say something new.
_USE_IS_NEWS_AFTER_S = 3600
_MOST_USES_NOTED = 1_000
# Eviction makes room for some writes at once, yet holds the file for a fraction of a second.
_KEPT_SHARE = 0.99
_EVICTED_PER_STEP = 50


class SqliteEmbeddingCache(EmbeddingCache):
    """Vectors as little-endian float32, exactly as they were put.

    A file that is damaged or of another version is started anew, with a warning.
    """

    def __init__(
        self,
        path: Path,
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
        busy_timeout_s: float = _BUSY_TIMEOUT_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open or make the file.

        Args:
            path: The file; its folder exists.
            max_bytes: Size that the file is kept below, give or take one batch.
            busy_timeout_s: How long another process is waited for.
            clock: Seconds since the epoch.

        Raises:
            ConfigurationError: The file is a database of something else.
        """
        self._max_bytes = max_bytes
        self._clock = clock
        self._uses: dict[int, int] = {}
        self._file = DisposableFile(
            path,
            _KIND,
            name="embedding cache",
            instead="choose another EMBEDDING_CACHE_DIR, or ",
            busy_timeout_s=busy_timeout_s,
            on_failure=self._uses.clear,
        )

    @override
    def get(
        self, model_key: str, kind: PromptKind, shas: Sequence[bytes]
    ) -> Mapping[bytes, NDArray[np.float32]]:
        def read(connection: sqlite3.Connection) -> Mapping[bytes, NDArray[np.float32]]:
            model_id = _model_id(connection, model_key)
            if model_id is None:
                return {}
            return self._read(connection, model_id, kind == "query", shas)

        found = self._file.attempt(read, otherwise={})
        if len(self._uses) >= _MOST_USES_NOTED:
            self._file.attempt(self._write_uses_apart, otherwise=None)
        return found

    @override
    def put(
        self, model_key: str, kind: PromptKind, vectors: Mapping[bytes, NDArray[np.float32]]
    ) -> None:
        def write(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                self._write_uses(connection)
                self._write(connection, _made_model_id(connection, model_key), kind, vectors)
                self._evict(connection)

        if vectors:
            self._file.attempt(write, otherwise=None)

    @override
    def forget(self, shas: Sequence[bytes]) -> bool:
        def erase(connection: sqlite3.Connection) -> bool:
            with transaction(connection):
                connection.executemany(
                    "DELETE FROM entries WHERE text_sha = ?", [(sha,) for sha in shas]
                )
            return truncate_log(connection)

        return self._file.attempt(erase, otherwise=False)

    @override
    def compact(self) -> bool:
        return self._file.attempt(compact, otherwise=False)

    @override
    def passage_shas(self) -> Sequence[bytes]:
        def read(connection: sqlite3.Connection) -> Sequence[bytes] | None:
            rows = connection.execute("SELECT DISTINCT text_sha FROM entries WHERE NOT is_query")
            return [name for (name,) in rows]

        found = self._file.attempt(read, otherwise=None)
        if found is None:
            raise UnavailableError(f"the embedding cache {self._file.path} cannot be read")
        return found

    @override
    def close(self) -> None:
        if self._uses:
            self._file.attempt(self._write_uses_apart, otherwise=None)
        self._file.close()

    def _read(
        self,
        connection: sqlite3.Connection,
        model_id: int,
        is_query: bool,  # noqa: FBT001 - a column's value, not an option
        shas: Sequence[bytes],
    ) -> Mapping[bytes, NDArray[np.float32]]:
        found: dict[bytes, NDArray[np.float32]] = {}
        now = int(self._clock())
        for part in _parts(list(dict.fromkeys(shas))):
            marks = ", ".join("?" * len(part))
            rows = connection.execute(
                f"SELECT text_sha, vector, id, used_at FROM entries WHERE text_sha IN ({marks})"  # noqa: S608 - only question marks
                " AND model_id = ? AND is_query = ?",
                (*part, model_id, is_query),
            )
            for sha, vector, row_id, used_at in rows:
                found[sha] = np.frombuffer(vector, dtype="<f4").astype(np.float32)
                if used_at < now - _USE_IS_NEWS_AFTER_S:
                    self._uses[row_id] = now
        return found

    def _write(
        self,
        connection: sqlite3.Connection,
        model_id: int,
        kind: PromptKind,
        vectors: Mapping[bytes, NDArray[np.float32]],
    ) -> None:
        now = int(self._clock())
        connection.executemany(
            "INSERT INTO entries (text_sha, model_id, is_query, used_at, vector)"
            " VALUES (?, ?, ?, ?, ?) ON CONFLICT (text_sha, model_id, is_query)"
            " DO UPDATE SET used_at = excluded.used_at, vector = excluded.vector",
            [
                (sha, model_id, kind == "query", now, vector.astype("<f4").tobytes())
                for sha, vector in vectors.items()
            ],
        )

    def _write_uses_apart(self, connection: sqlite3.Connection) -> None:
        with transaction(connection):
            self._write_uses(connection)

    def _write_uses(self, connection: sqlite3.Connection) -> None:
        connection.executemany(
            "UPDATE entries SET used_at = ? WHERE id = ?",
            [(used_at, row_id) for row_id, used_at in self._uses.items()],
        )
        self._uses.clear()

    def _evict(self, connection: sqlite3.Connection) -> None:
        """Delete what was used longest ago until the file's used pages fit again."""
        if _used_bytes(connection) <= self._max_bytes:
            return
        while _used_bytes(connection) > self._max_bytes * _KEPT_SHARE:
            evicted = connection.execute(
                "DELETE FROM entries WHERE id IN"
                " (SELECT id FROM entries ORDER BY used_at, id LIMIT ?)",
                (_EVICTED_PER_STEP,),
            )
            if evicted.rowcount == 0:
                return


def _model_id(connection: sqlite3.Connection, model_key: str) -> int | None:
    row = connection.execute("SELECT id FROM models WHERE key = ?", (model_key,)).fetchone()
    return row[0] if row else None


def _made_model_id(connection: sqlite3.Connection, model_key: str) -> int:
    connection.execute("INSERT OR IGNORE INTO models (key) VALUES (?)", (model_key,))
    (model_id,) = connection.execute("SELECT id FROM models WHERE key = ?", (model_key,)).fetchone()
    return model_id


def _used_bytes(connection: sqlite3.Connection) -> int:
    (n_pages,) = connection.execute("PRAGMA page_count").fetchone()
    (n_free,) = connection.execute("PRAGMA freelist_count").fetchone()
    (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
    return (n_pages - n_free) * page_bytes


def _parts(shas: list[bytes]) -> Iterator[list[bytes]]:
    for start in range(0, len(shas), _SHAS_PER_STATEMENT):
        yield shas[start : start + _SHAS_PER_STATEMENT]
