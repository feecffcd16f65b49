"""Keeps the index process running and remembers whether a crash lost writes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from citewell.adapters.indexes.edge.process import ProcessDiedError
from citewell.adapters.indexes.edge.wire import Message
from citewell.domain.errors import IndexRestartedError, IndexUnavailableError

Ask = Callable[[Message], Any]

_MOST_TRIES = 20  # a dozen questions at once take turns in owning the index


class RunningIndex(Protocol):
    """A process that answers requests; `IndexProcess` says more."""

    @property
    def id(self) -> int:
        """Process id."""
        ...

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether it belongs to another process, with which it ends."""
        ...

    @property
    def fate(self) -> str:
        """How it ended, for messages."""
        ...

    def ask(self, request: Message, *, timeout_s: float | None = None) -> Any:
        """Send a request and return its result."""
        ...

    def close(self) -> None:
        """Let it flush everything and end."""
        ...

    def end(self) -> None:
        """End it at once."""
        ...


class Supervisor:
    """Starts the process at the first request and again at the next one after it died; thread-safe.

    A read is repeated once on the new process, and oftener where others end that share their index
    for a moment. A write or flush is not: if any write since the last
    flush may be lost, the next write or flush raises `IndexRestartedError`, once.
    """

    def __init__(self, start: Callable[[], RunningIndex]) -> None:
        """Take how to start a process."""
        self._start = start
        self._process: RunningIndex | None = None
        self._lock = threading.RLock()
        self._starts = 0
        self._writes_begun = 0
        self._writes_ended = 0
        self._unflushed = False
        self._lost_by = ""
        self._closed = False

    @property
    def restarts(self) -> int:
        """How many times a process was started after one had died."""
        return max(0, self._starts - 1)

    @property
    def process_id(self) -> int | None:
        """Of the running process, or None."""
        process = self._process
        return process.id if process is not None and process.is_alive else None

    def read(self, request: Message, *, timeout_s: float | None = None) -> Any:
        """Ask for something that changes nothing.

        Raises:
            IndexUnavailableError: The process died twice, cannot be started, or is too slow.
        """
        n_died = 0
        for _ in range(_MOST_TRIES):
            process = self._running()
            try:
                return process.ask(request, timeout_s=timeout_s)
            except ProcessDiedError as error:
                n_died += not process.is_shared
                if n_died == 2:
                    raise IndexUnavailableError(f"the index process died twice: {error}") from error
        raise IndexUnavailableError("the processes that share their index end again and again")

    def write(self, request: Message) -> Any:
        """Ask for a change.

        Raises:
            IndexRestartedError: Writes since the last flush are lost, this one among them.
            IndexUnavailableError: The process cannot be started.
        """
        with self._lock:
            process = self._running()
            self._raise_if_lost()
            self._writes_begun += 1
            self._unflushed = True
        try:
            return process.ask(request)
        except ProcessDiedError as error:
            self._restart_after(error)
        finally:
            with self._lock:
                self._writes_ended += 1

    def flush(self, steps: Callable[[Ask], None], *, start: bool = False) -> None:
        """Run requests that make every write so far durable.

        Args:
            steps: The requests; none is made if no process was ever needed.
            start: Make them all the same.

        Raises:
            IndexRestartedError: Writes since the last flush are lost.
            IndexUnavailableError: The process cannot be started.
        """
        with self._lock:
            idle = self._process is None and not self._closed and not self._lost_by
            if idle and not start:
                return
            process = self._running()
            self._raise_if_lost()
            begun = self._writes_begun
            quiet = begun == self._writes_ended
        try:
            steps(process.ask)
        except ProcessDiedError as error:
            self._restart_after(error)
        with self._lock:
            if quiet and begun == self._writes_begun:
                self._unflushed = False

    def close(self) -> None:
        """Let the process flush and end; later requests raise `IndexUnavailableError`.

        Raises:
            IndexRestartedError: The process died before it had flushed all writes.
        """
        with self._lock:
            self._closed = True
            process, self._process = self._process, None
        if process is None:
            return
        try:
            process.close()
        except ProcessDiedError as error:
            if self._unflushed:
                self._lost_by = str(error)
        self._raise_if_lost()

    def _running(self) -> RunningIndex:
        with self._lock:
            if self._closed:
                raise IndexUnavailableError("the index is closed")
            if self._process is not None and not self._process.is_alive:
                self._process.end()
                if self._unflushed:
                    self._lost_by = self._process.fate
                self._process, self._unflushed = None, False
            if self._process is None:
                self._process = self._start()
                self._starts += 1
            return self._process

    def _restart_after(self, error: ProcessDiedError) -> NoReturn:
        with self._lock:
            self._running()
            reason, self._lost_by = self._lost_by or str(error), ""
        raise _lost(reason)

    def _raise_if_lost(self) -> None:
        with self._lock:
            reason, self._lost_by = self._lost_by, ""
        if reason:
            raise _lost(reason)


def _lost(reason: str) -> IndexRestartedError:
    return IndexRestartedError(
        f"the index process was started anew ({reason}): writes since the last flush are lost and"
        " must be made again"
    )
