"""Searching the index of another process of the same user."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

from citewell.adapters.indexes.edge.guests import call_host
from citewell.adapters.indexes.edge.process import ProcessDiedError, result_of
from citewell.adapters.indexes.edge.wire import Message, receive_message, send_message
from citewell.domain.errors import IndexUnavailableError


class IndexGuest:
    """The index process of another owner, as `IndexProcess` but for reading only; thread-safe."""

    def __init__(self, root: Path) -> None:
        """Connect to the process that holds the index folder.

        Raises:
            ProcessDiedError: There is none.
        """
        self._root = root
        self._lock = threading.Lock()
        self._dead = False
        self._idle = [self._connect()]

    @property
    def id(self) -> int:
        """Process id: unknown, 0."""
        return 0

    @property
    def is_alive(self) -> bool:
        """Whether it answered so far."""
        return not self._dead

    @property
    def is_shared(self) -> bool:
        """Whether it belongs to another process."""
        return True

    @property
    def fate(self) -> str:
        """How it ended, for messages."""
        return "the process that held the index has ended"

    def ask(self, request: Message, *, timeout_s: float | None = None) -> Any:
        """Send a request and return its result.

        Raises:
            ProcessDiedError: The process ended before it answered.
            CitewellError: What the process answered; `IndexUnavailableError` after `timeout_s`.
        """
        connection = self._borrow()
        try:
            connection.settimeout(timeout_s)
            send_message(connection, request)
            answer = receive_message(connection)
        except TimeoutError as error:
            connection.close()
            raise IndexUnavailableError(
                f"the index did not answer within {timeout_s:g} s: try again later"
            ) from error
        except (EOFError, OSError) as error:
            connection.close()
            self.end()
            raise ProcessDiedError(self.fate) from error
        except BaseException:
            connection.close()  # an answer may be on its way; nobody else must get it
            raise
        with self._lock:
            self._idle.append(connection)
        return result_of(answer)

    def close(self) -> None:
        """Take leave."""
        self.end()

    def end(self) -> None:
        """Take leave."""
        with self._lock:
            self._dead = True
            while self._idle:
                self._idle.pop().close()

    def _borrow(self) -> socket.socket:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _connect(self) -> socket.socket:
        try:
            return call_host(self._root)
        except OSError as error:
            raise ProcessDiedError("no process holds the index") from error
