"""Connections to an index process, over which one thread each asks and waits."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from typing import Any

from citewell.adapters.indexes.edge.wire import Message, receive_message, send_message
from citewell.domain.errors import (
    CitewellError,
    DataFolderBusyError,
    EmbeddingMismatchError,
    IndexUnavailableError,
    LowDiskSpaceError,
    UsageError,
)

_ERRORS: dict[str, type[CitewellError]] = {
    error.code: error
    for error in (
        DataFolderBusyError,
        EmbeddingMismatchError,
        IndexUnavailableError,
        LowDiskSpaceError,
        UsageError,
    )
}


class Connections:
    """As many connections as threads are waiting; those that are free are used again; thread-safe.

    Attributes:
        idle: Open and free.
    """

    def __init__(
        self, connect: Callable[[], socket.socket], idle: Sequence[socket.socket] = ()
    ) -> None:
        """Take what opens a connection, called by one thread at a time, and those open already."""
        self.idle = [*idle]
        self._connect = connect
        self._lock = threading.Lock()
        self._closed = False

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def ask(self, request: Message, *, timeout_s: float | None = None) -> Any:
        """Send a request and return its result.

        Raises:
            EOFError: The process ended before it answered.
            OSError: It cannot be reached.
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
                f"the index did not answer within {timeout_s:g} s, perhaps it is rebuilding:"
                " try again later"
            ) from error
        except BaseException:
            connection.close()  # an answer may be on its way; nobody else must get it
            raise
        self._give_back(connection)
        return result_of(answer)

    def close(self) -> None:
        """Close what is idle, and what is busy once it is free."""
        with self._lock:
            self._closed = True
            while self.idle:
                self.idle.pop().close()

    def _borrow(self) -> socket.socket:
        with self._lock:
            return self.idle.pop() if self.idle else self._connect()

    def _give_back(self, connection: socket.socket) -> None:
        with self._lock:
            if self._closed:
                connection.close()
            else:
                self.idle.append(connection)


def result_of(answer: Message) -> Any:
    """Return what a process answered, or raise the error that it told."""
    if "error" in answer:
        raise _ERRORS.get(answer["error"], IndexUnavailableError)(answer["message"])
    return answer["result"]
