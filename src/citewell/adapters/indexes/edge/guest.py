"""Searching the index of another process of the same user."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from citewell.adapters.indexes.edge.connections import Connections
from citewell.adapters.indexes.edge.guests import call_host
from citewell.adapters.indexes.edge.process import ProcessDiedError
from citewell.adapters.indexes.edge.wire import Message


class IndexGuest:
    """The index process of another owner, as `IndexProcess` but for reading only; thread-safe."""

    def __init__(self, root: Path) -> None:
        """Connect to the process that holds the index folder.

        Raises:
            ProcessDiedError: There is none.
        """
        try:
            first = call_host(root)
        except OSError as error:
            raise ProcessDiedError("no process holds the index") from error
        self._connections = Connections(partial(call_host, root), [first])

    @property
    def id(self) -> int:
        """Process id: unknown, 0."""
        return 0

    @property
    def is_alive(self) -> bool:
        """Whether it answered so far."""
        return not self._connections.is_closed

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
        try:
            return self._connections.ask(request, timeout_s=timeout_s)
        except (EOFError, OSError) as error:
            self.end()
            raise ProcessDiedError(self.fate) from error

    def close(self) -> None:
        """Take leave."""
        self.end()

    def end(self) -> None:
        """Take leave."""
        self._connections.close()
