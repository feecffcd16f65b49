"""The vectors of live chunks in an SQLite file beside the catalog."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from citewell.domain.errors import (
    ConfigurationError,
    EmbeddingMismatchError,
    InvalidDocumentError,
    UnavailableError,
)
from citewell.ports.vector_store import StoredVectors, VectorStore
from citewell.sqlite_file import (
    BUSY_TIMEOUT_S,
    FileKind,
    ForeignFileError,
    OtherVersionError,
    compact,
    open_sqlite,
    remove_sqlite,
    transaction,
    truncate_log,
)

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from citewell.ports.embedder import EmbeddingModel

_KIND = FileKind(
    application_id=0x43575653,  # "CWVS"
    version=2,
    schema=(
        "CREATE TABLE model (key TEXT NOT NULL)",
        "CREATE TABLE catalog (id TEXT)",
        "CREATE TABLE vectors (chunk_key INTEGER PRIMARY KEY, vector BLOB NOT NULL)",
        # Counting and listing the keys would otherwise read all vectors.
        "CREATE INDEX vectors_by_key ON vectors (chunk_key)",
    ),
)

_LARGEST_CODE = 127
_DRAWN_PER_STEP = 500


class SqliteVectors(VectorStore):
    """Vectors as signed bytes: each number over the largest of its vector, in 127 steps.

    With the vectors of the default embedder a cosine changes by 0.0003 (root mean square) and by
    0.0017 at most, and the first of 240 passages stays the first for 99.7-100 % of the questions
    (XQuAD, five languages). No scale is kept: unit length restores it.
    """

    def __init__(
        self,
        path: Path,
        model: EmbeddingModel,
        *,
        catalog_id: str | None = None,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
    ) -> None:
        """Open or make the file.

        Args:
            path: The file; its folder exists.
            model: Whose vectors it holds.
            catalog_id: Of the catalog whose chunk keys it holds; None: it does not matter whose.
            busy_timeout_s: How long another process is waited for.

        Raises:
            EmbeddingMismatchError: It holds vectors of another model or dimension.
            ConfigurationError: The file is a database of something else.
            UnavailableError: It cannot be read, or holds vectors for another catalog.
        """
        self._path = path
        self._model = model
        self._catalog_id = catalog_id
        self._lock = threading.Lock()
        with self._errors_explained():
            self._connection = open_sqlite(path, _KIND, busy_timeout_s=busy_timeout_s)
        try:
            self._check_owner()
        except BaseException:
            self._connection.close()
            raise

    @classmethod
    def as_they_are(cls, path: Path) -> SqliteVectors:
        """Open a file that exists, whatever model its vectors are of.

        Raises:
            ConfigurationError: The file is a database of something else.
            UnavailableError: It cannot be read, or names no model.
        """
        from citewell.ports.embedder import EmbeddingModel

        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
                (key,) = file.execute("SELECT key FROM model").fetchone()
            return cls(path, EmbeddingModel.from_key(key))
        except (sqlite3.DatabaseError, TypeError, ValueError) as error:
            raise UnavailableError(f"the vectors in {path} cannot be read ({error})") from error

    @property
    @override
    def model(self) -> EmbeddingModel:
        return self._model

    @override
    def put(self, chunk_keys: Sequence[int], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        codes = self._encode(chunk_keys, vectors)
        with self._opened() as connection, transaction(connection):
            connection.executemany(
                "INSERT OR REPLACE INTO vectors (chunk_key, vector) VALUES (?, ?)",
                [(int(key), row.tobytes()) for key, row in zip(chunk_keys, codes, strict=True)],
            )
        return _decode(codes)

    @override
    def get(self, chunk_keys: Sequence[int]) -> StoredVectors:
        with self._opened() as connection:
            found_rows: list[tuple[int, bytes]] = connection.execute(
                "SELECT chunk_key, vector FROM vectors"
                " WHERE chunk_key IN (SELECT value FROM json_each(?))",
                (_as_json(chunk_keys),),
            ).fetchall()
        rows = dict(found_rows)
        found = [key for key in chunk_keys if key in rows]
        joined = b"".join(rows[key] for key in found)
        codes = np.frombuffer(joined, dtype=np.int8).reshape(len(found), self._model.dim)
        return StoredVectors(found, _decode(codes), [key for key in chunk_keys if key not in rows])

    @override
    def delete(self, chunk_keys: Sequence[int]) -> None:
        with self._opened() as connection, transaction(connection):
            connection.execute(
                "DELETE FROM vectors WHERE chunk_key IN (SELECT value FROM json_each(?))",
                (_as_json(chunk_keys),),
            )

    @override
    def erase_deleted(self) -> bool:
        with self._opened() as connection:
            return truncate_log(connection)

    @override
    def compact(self) -> bool:
        with self._opened() as connection:
            return compact(connection)

    @override
    def keys(self) -> list[int]:
        with self._opened() as connection:
            rows = connection.execute("SELECT chunk_key FROM vectors ORDER BY chunk_key")
            return [key for (key,) in rows]

    @override
    def count(self) -> int:
        with self._opened() as connection:
            (n_vectors,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
            return n_vectors

    @override
    def sample(
        self, n: int, *, seed: int = 0, chunk_keys: Sequence[int] | None = None
    ) -> NDArray[np.float32]:
        keys: list[int] = self.keys() if chunk_keys is None else sorted(set(chunk_keys))
        order: list[int] = np.random.default_rng(seed).permutation(len(keys)).tolist()
        parts = [np.zeros((0, self._model.dim), dtype=np.float32)]
        n_missing = n
        # Keys without a vector are passed over, so a lag of the vectors does not thin the sample.
        for start in range(0, len(keys), _DRAWN_PER_STEP):
            if n_missing <= 0:
                break
            drawn = order[start : start + _DRAWN_PER_STEP]
            parts.append(self.get([keys[place] for place in drawn]).vectors[:n_missing])
            n_missing -= len(parts[-1])
        return np.concatenate(parts)

    @override
    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _encode(self, chunk_keys: Sequence[int], vectors: NDArray[np.float32]) -> NDArray[np.int8]:
        if vectors.ndim != 2 or vectors.shape[1] != self._model.dim:
            raise EmbeddingMismatchError(
                f"vectors of shape {vectors.shape} do not fit the dimension {self._model.dim} of "
                f"{self._model.key}"
            )
        if len(chunk_keys) != len(vectors):
            raise ValueError(f"{len(chunk_keys)} chunk keys for {len(vectors)} vectors")
        largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
        if not (np.isfinite(largest).all() and (largest > 0).all()):
            raise InvalidDocumentError("a vector is zero or not finite, so it cannot be found")
        return np.rint(vectors / largest * _LARGEST_CODE).astype(np.int8)

    def _check_owner(self) -> None:
        with self._opened() as connection, transaction(connection):
            row = connection.execute("SELECT key FROM model").fetchone()
            if row is None:
                connection.execute("INSERT INTO model (key) VALUES (?)", (self._model.key,))
                connection.execute("INSERT INTO catalog (id) VALUES (?)", (self._catalog_id,))
            (owner,) = connection.execute("SELECT id FROM catalog").fetchone()
        if self._catalog_id not in {None, owner}:
            raise UnavailableError(
                f"the vectors in {self._path} are of another catalog: the next `rag sync` makes "
                "them anew"
            )
        if row is not None and row[0] != self._model.key:
            raise EmbeddingMismatchError(
                f"the vectors kept in {self._path} are of {row[0]}, not of {self._model.key}: set "
                "EMBEDDING_PROVIDER, EMBEDDING_MODEL and EMBEDDING_DIM back, or run "
                "`rag embeddings rebuild`, which computes all vectors again"
            )

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        with self._lock, self._errors_explained():
            yield self._connection

    @contextmanager
    def _errors_explained(self) -> Generator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            name = getattr(error, "sqlite_errorname", type(error).__name__)
            raise UnavailableError(
                f"the vectors in {self._path} cannot be read or written ({name}). If the file is "
                "damaged, delete it and run `rag sync`, which computes them again"
            ) from error
        except ForeignFileError as error:
            raise ConfigurationError(f"{self._path} is the database of something else") from error
        except OtherVersionError as error:
            raise UnavailableError(
                f"the vectors in {self._path} were written by another version: delete the file and "
                "run `rag sync`, which computes them again"
            ) from error


def discard_foreign_vectors(path: Path, catalog_id: str, *, last_chunk_key: int) -> bool:
    """Delete a file of vectors for another catalog, and say whether it was so.

    Of the catalog's own, those go whose chunks the catalog has not made yet: it is an older state
    of itself, and will give their keys to other chunks. What is no file of vectors, or cannot be
    read, stays. No other process may have it open.

    Args:
        path: The file; it may be missing.
        catalog_id: Of the catalog.
        last_chunk_key: The highest that the catalog ever gave to a chunk.
    """
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            is_foreign = _is_of_other_catalog(connection, catalog_id)
            if not is_foreign:
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute("DELETE FROM vectors WHERE chunk_key > ?", (last_chunk_key,))
    except (sqlite3.DatabaseError, ForeignFileError):
        return False  # whoever opens it says what is wrong
    if is_foreign:
        remove_sqlite(path)
    return is_foreign


def _is_of_other_catalog(connection: sqlite3.Connection, catalog_id: str) -> bool:
    """Return whose vectors a file holds; one of an older version does not say, so it is another's.

    Raises:
        ForeignFileError: It holds something else.
        sqlite3.DatabaseError: It cannot be read, or is of a newer version.
    """
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    if application_id != _KIND.application_id:
        raise ForeignFileError
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version < _KIND.version:
        return True
    return connection.execute("SELECT id FROM catalog").fetchone() != (catalog_id,)


def _decode(codes: NDArray[np.int8]) -> NDArray[np.float32]:
    vectors = codes.astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _as_json(chunk_keys: Sequence[int]) -> str:
    return json.dumps([int(key) for key in chunk_keys])
