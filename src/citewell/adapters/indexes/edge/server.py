"""The index process: answers requests about one index folder until its owner is gone.

Started as `python -m citewell.adapters.indexes.edge.server`. It inherits two file descriptors: a
socket on which the owner sends the sockets it will talk on, and the reading end of a pipe that
closes when the owner ends. The kernel ends this process at that moment, also in the middle of a
long engine call.
"""

from __future__ import annotations

import argparse
import errno
import fcntl
import json
import os
import selectors
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citewell.adapters.indexes.edge.guests import is_same_user, listen_for_guests, stop_listening
from citewell.adapters.indexes.edge.layout import IndexIdentity, check_identity, lock_folder
from citewell.adapters.indexes.edge.wire import Message, receive_message, send_message
from citewell.domain.errors import (
    CitewellError,
    IndexUnavailableError,
    LowDiskSpaceError,
    UsageError,
)

if TYPE_CHECKING:
    from citewell.adapters.indexes.edge.shards import Shards

_URGENT = ("search_lexical", "search_dense")  # somebody waits for these
_FULL_DISK = os.strerror(errno.ENOSPC)
_MAX_OVERTAKEN = 8  # searches that pass a write before it has its turn
_FOR_GUESTS = frozenset({"search_lexical", "search_dense", "keys_after"})
_GUEST_TIMEOUT_S = 1.0  # for one that stands still in the middle of a message


class Server:
    """Answers one request at a time; searches overtake everything else, up to a limit.

    Guests are other processes of the same user: they may read, not write.
    """

    def __init__(
        self, control: socket.socket, lifeline: int, shards: Shards, *, guests: socket.socket
    ) -> None:
        """Take the owner's descriptors, the shards, and the socket on which guests call."""
        self._control = control
        self._shards = shards
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ, self._accept)
        self._selector.register(lifeline, selectors.EVENT_READ, self._end)
        self._selector.register(guests, selectors.EVENT_READ, self._welcome)
        self._guests: set[socket.socket] = set()
        self._waiting: list[tuple[socket.socket, Message]] = []
        self._overtaken = 0
        self._ended = False
        self._handlers: dict[str, Callable[..., Any]] = {
            "upsert_lexical": shards.upsert_lexical,
            "upsert_dense": shards.upsert_dense,
            "delete": shards.delete,
            "search_lexical": shards.search_lexical,
            "search_dense": shards.search_dense,
            "keys_after": shards.keys_after,
            "opened": shards.opened,
            "unflushed": shards.unflushed,
            "stored": shards.stored,
            "flush": shards.flush,
            "optimize": shards.optimize,
            "vacuum": shards.vacuum,
            "close": self._close,
        }

    def serve(self) -> None:
        """Answer requests until `close` is asked for or the owner is gone."""
        while not self._ended:
            for key, _ in self._selector.select(0 if self._waiting else None):
                key.data(key.fileobj)
            if self._waiting and not self._ended:
                self._answer_next()
        for key in list(self._selector.get_map().values()):
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
        self._selector.close()

    def _accept(self, control: socket.socket) -> None:
        data, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not data:
            self._ended = True
        for descriptor in descriptors:
            connection = socket.socket(fileno=descriptor)
            self._selector.register(connection, selectors.EVENT_READ, self._receive)

    def _welcome(self, guests: socket.socket) -> None:
        with suppress(OSError):  # it has gone already
            connection, _ = guests.accept()
            if is_same_user(connection):
                connection.settimeout(_GUEST_TIMEOUT_S)
                self._guests.add(connection)
                self._selector.register(connection, selectors.EVENT_READ, self._receive)
            else:
                connection.close()

    def _receive(self, connection: socket.socket) -> None:
        try:
            self._waiting.append((connection, receive_message(connection)))
        except (EOFError, OSError, ValueError):
            self._part_with(connection)

    def _part_with(self, connection: socket.socket) -> None:
        self._selector.unregister(connection)
        self._guests.discard(connection)
        self._waiting = [entry for entry in self._waiting if entry[0] is not connection]
        connection.close()

    def _end(self, _lifeline: int) -> None:
        self._ended = True

    def _answer_next(self) -> None:
        connection, message = self._waiting.pop(self._next())
        if connection in self._guests and message.get("do") not in _FOR_GUESTS:
            answer: Message = {"error": UsageError.code, "message": "guests may only search"}
        else:
            answer = self._answer(message)
        try:
            send_message(connection, answer)
        except OSError:  # who asked does not wait any more
            if connection in self._guests:
                self._part_with(connection)

    def _next(self) -> int:
        """Return the place of the request that is answered next."""
        urgent = (i for i, (_, message) in enumerate(self._waiting) if message["do"] in _URGENT)
        place = 0 if self._overtaken >= _MAX_OVERTAKEN else next(urgent, 0)
        self._overtaken = self._overtaken + 1 if place else 0
        return place

    def _answer(self, message: Message) -> Message:
        try:
            return {"result": self._handlers[message.pop("do")](**message)}
        except Exception as error:  # noqa: BLE001 - the engine raises bare exceptions
            return _failure(error)

    def _close(self) -> None:
        stop_listening()  # now: the owner ends this process once it has the answer
        self._shards.close()
        self._ended = True


def main() -> None:
    """Hold the folder, tell the owner, and serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--control", type=int, required=True)
    parser.add_argument("--lifeline", type=int, required=True)
    parser.add_argument("--identity", required=True)
    arguments = parser.parse_args()
    _tie_to_owner(arguments.lifeline)
    control = socket.socket(fileno=arguments.control)
    try:
        root = Path(arguments.root)
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = lock_folder(root)
        shards = _open_shards(root, IndexIdentity(**json.loads(arguments.identity)))
    except (CitewellError, OSError, ImportError) as error:
        send_message(control, _failure(error))
        return
    with lock, listen_for_guests() as guests:
        send_message(control, {"result": os.getpid()})
        Server(control, arguments.lifeline, shards, guests=guests).serve()


def _open_shards(root: Path, identity: IndexIdentity) -> Shards:
    from citewell.adapters.indexes.edge.shards import Shards

    check_identity(root, identity)
    os.chdir(root)  # from here on paths are relative: the engine takes none that is not UTF-8
    return Shards(Path(), identity)


def _tie_to_owner(lifeline: int) -> None:
    """Let this process end with its owner only: not with its terminal, and not later."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)  # the owner gets them too, flushes and closes
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def _failure(error: Exception) -> Message:
    cause = error.__cause__ or error
    if _FULL_DISK in str(cause):
        full = "no space is left on the disk of the index: free some, then try again"
        return {"error": LowDiskSpaceError.code, "message": f"{full} ({cause})"}
    if isinstance(error, CitewellError):
        return {"error": error.code, "message": str(error)}
    return {"error": IndexUnavailableError.code, "message": f"the index failed: {error}"}


if __name__ == "__main__":
    main()
