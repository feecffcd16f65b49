"""The index process as its owner sees it: start, talk, end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import weakref
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from citewell.adapters.indexes.edge.connections import Connections, result_of
from citewell.adapters.indexes.edge.layout import IndexIdentity
from citewell.adapters.indexes.edge.wire import Message, receive_message
from citewell.domain.errors import CitewellError, IndexUnavailableError

_START_TIMEOUT_S = 60.0  # takes some 0.2 s; a loaded machine is slower
_END_TIMEOUT_S = 10.0


class ProcessDiedError(Exception):
    """The index process ended while it was needed."""


class IndexProcess:
    """A running index process and the connections to it; thread-safe."""

    def __init__(self, root: Path, identity: IndexIdentity) -> None:
        """Start it and wait until it holds the folder.

        Raises:
            DataFolderBusyError: Another process holds the folder.
            EmbeddingMismatchError: The index is of another embedding model.
            IndexUnavailableError: It cannot be started, or the index is of another schema.
        """
        self._control, theirs = socket.socketpair()
        lifeline, self._lifeline = os.pipe()
        try:
            self._popen = _spawn(root, identity, control=theirs.fileno(), lifeline=lifeline)
        except OSError as error:
            os.close(self._lifeline)
            self._control.close()
            raise IndexUnavailableError(f"the index process cannot start: {error}") from error
        finally:
            theirs.close()
            os.close(lifeline)
        self._connections = Connections(partial(_connect, self._control))
        self._ending = threading.Lock()
        ties = (self._control, self._lifeline, self._connections)
        self._finalize = weakref.finalize(self, _end, self._popen, *ties)
        try:
            self._control.settimeout(_START_TIMEOUT_S)
            result_of(receive_message(self._control))
            self._control.settimeout(None)
        except (EOFError, OSError) as error:
            self.end()
            raise IndexUnavailableError(f"the index process did not start: {self.fate}") from error
        except CitewellError:
            self.end()
            raise

    @property
    def id(self) -> int:
        """Process id."""
        return self._popen.pid

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return not self._connections.is_closed and self._popen.poll() is None

    @property
    def is_shared(self) -> bool:
        """Whether it belongs to another process."""
        return False

    @property
    def fate(self) -> str:
        """How it ended, for messages."""
        code = self._popen.poll()
        if code is None:
            return "it does not answer"
        if code == -signal.SIGBUS:
            return "it was ended by SIGBUS, as happens when the disk is full"
        return f"it was ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

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
        """Let it flush everything and end.

        Raises:
            ProcessDiedError: It ended before it had flushed.
            CitewellError: It could not flush.
        """
        try:
            self.ask({"do": "close"})
        finally:
            self.end()

    def end(self) -> None:
        """End it at once; what it has not flushed is lost."""
        self._connections.close()
        with self._ending:
            self._finalize()


def _connect(control: socket.socket) -> socket.socket:
    """Open a connection by sending the process its other end."""
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            socket.send_fds(control, [b"\0"], [theirs.fileno()])
        except OSError:
            ours.close()
            raise
    return ours


def _spawn(
    root: Path, identity: IndexIdentity, *, control: int, lifeline: int
) -> subprocess.Popen[bytes]:
    command = [
        *(sys.executable, "-P", "-m", "citewell.adapters.indexes.edge.server"),
        *("--root", str(root.absolute()), "--identity", json.dumps(asdict(identity))),
        *("--control", str(control), "--lifeline", str(lifeline)),
    ]
    return subprocess.Popen(  # noqa: S603 - our own module, no shell
        command,
        pass_fds=(control, lifeline),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end(
    popen: subprocess.Popen[bytes], control: socket.socket, lifeline: int, connections: Connections
) -> None:
    """Close what ties the process to us, which ends it, and reap it."""
    os.close(lifeline)
    control.close()
    connections.close()
    try:
        popen.wait(_END_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        popen.kill()
        popen.wait()
