"""An SQLite file that may be lost at any time: it never fails whoever uses it."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from citewell.domain.errors import ConfigurationError
from citewell.sqlite_file import (
    FileKind,
    ForeignFileError,
    OtherVersionError,
    open_sqlite,
    remove_sqlite,
)

if TYPE_CHECKING:
    from pathlib import Path

_Result = TypeVar("_Result")

_log = logging.getLogger(__name__)

# Result codes of SQLite for a file that is not, or no longer, a database.
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def _do_nothing() -> None:
    pass


class DisposableFile:
    """Opens a file and runs operations on it, one thread at a time.

    A file that is damaged or of another version is started anew, with a warning.
    """

    def __init__(
        self,
        path: Path,
        kind: FileKind,
        *,
        name: str,
        instead: str = "",
        busy_timeout_s: float,
        on_failure: Callable[[], None] = _do_nothing,
    ) -> None:
        """Open or make the file.

        Args:
            path: The file; its folder exists.
            kind: What it is for.
            name: What it is called in messages, e.g. `embedding cache`.
            instead: What to do where the file belongs to something else, besides moving it away.
            busy_timeout_s: How long another process is waited for.
            on_failure: Called when an operation fails.

        Raises:
            ConfigurationError: The file is a database of something else.
        """
        self.path = path
        self._kind = kind
        self._name = name
        self._instead = instead
        self._busy_timeout_s = busy_timeout_s
        self._on_failure = on_failure
        self._lock = threading.Lock()
        self._connection = self._open_or_start_anew()

    def attempt(
        self, operation: Callable[[sqlite3.Connection], _Result], *, otherwise: _Result
    ) -> _Result:
        """Return what an operation returns, or `otherwise` if the file does not allow it."""
        with self._lock:
            if self._connection is None:
                return otherwise
            try:
                return operation(self._connection)
            except sqlite3.Error as error:
                self._recover(self._connection, error)
                return otherwise

    def close(self) -> None:
        """Release the file; nothing is attempted afterwards."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _recover(self, connection: sqlite3.Connection, error: sqlite3.Error) -> None:
        self._on_failure()
        if not _is_damage(error):
            _log.warning("the %s was not used: %s", self._name, _code(error))
            return
        with suppress(sqlite3.Error):
            connection.close()
        self._start_anew(_code(error))
        self._connection = self._open_or_start_anew()

    def _open_or_start_anew(self) -> sqlite3.Connection | None:
        try:
            return self._open()
        except OtherVersionError:
            self._start_anew("it was written by another version")
        except sqlite3.Error as error:
            if not _is_damage(error):
                _log.warning("the %s is not used: %s", self._name, _code(error))
                return None
            self._start_anew(_code(error))
        try:
            return self._open()
        except (OtherVersionError, sqlite3.Error) as error:
            _log.warning("the %s is not used: %s", self._name, type(error).__name__)
            return None

    def _open(self) -> sqlite3.Connection:
        try:
            return open_sqlite(self.path, self._kind, busy_timeout_s=self._busy_timeout_s)
        except ForeignFileError as error:
            raise ConfigurationError(
                f"{self.path} is the database of something else: {self._instead}move that file away"
            ) from error

    def _start_anew(self, reason: str) -> None:
        _log.warning("the %s is damaged and is started anew: %s", self._name, reason)
        with suppress(OSError):
            remove_sqlite(self.path)


def _is_damage(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED


def _code(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", type(error).__name__)
