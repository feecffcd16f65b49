from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from citewell.adapters.indexes.edge.server import Server
from citewell.adapters.indexes.edge.wire import receive_message, send_message
from citewell.domain.errors import UsageError


class RecordingShards:
    """Stands where the engine's shards are and notes what is asked of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        def handle(**arguments: Any) -> Any:
            self.asked.append(name)
            if name == "vacuum":
                raise UsageError("not now")
            if name == "optimize":
                raise RuntimeError("engine trouble")
            if name == "flush":
                raise RuntimeError("cannot save: No space left on device (os error 28)")
            return arguments

        return handle


class Owner:
    """The other end of a server that runs in a thread."""

    def __init__(self) -> None:
        self.shards = RecordingShards()
        self.control, theirs = socket.socketpair()
        lifeline, self.lifeline = os.pipe()
        guests = socket.socket(socket.AF_UNIX)
        guests.bind("")  # a name of the system's choice
        guests.listen()
        self.guests_name = guests.getsockname()
        self.sockets = [self.control, theirs, guests]
        self.descriptors = [lifeline, self.lifeline]
        server = Server(theirs, lifeline, self.shards, guests=guests)  # type: ignore[arg-type]
        self.thread = threading.Thread(target=server.serve)

    def connect(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self.control, [b"\0"], [theirs.fileno()])
        self.sockets.append(ours)
        return ours

    def release(self) -> None:
        for connection in self.sockets:
            connection.close()
        for descriptor in self.descriptors:
            os.close(descriptor)


@pytest.fixture
def owner() -> Iterator[Owner]:
    owner = Owner()
    yield owner
    owner.thread.join()
    owner.release()


def test_answers_carry_results_and_errors(owner: Owner) -> None:
    owner.thread.start()
    connection = owner.connect()
    answers = []
    for what in ("keys_after", "vacuum", "optimize", "nonsense", "close"):
        send_message(
            connection, {"do": what, "tier": "staff"} if what == "keys_after" else {"do": what}
        )
        answers.append(receive_message(connection))
    assert answers == [
        {"result": {"tier": "staff"}},
        {"error": "invalid_request", "message": "not now"},
        {"error": "index_unavailable", "message": "the index failed: engine trouble"},
        {"error": "index_unavailable", "message": "the index failed: 'nonsense'"},
        {"result": None},
    ]


def test_a_full_disk_has_an_error_of_its_own(owner: Owner) -> None:
    owner.thread.start()
    connection = owner.connect()
    send_message(connection, {"do": "flush"})
    answer = receive_message(connection)
    assert answer["error"] == "low_disk_space"
    assert "free some" in answer["message"]
    send_message(connection, {"do": "close"})


def test_searches_overtake_a_write_but_not_for_ever(owner: Owner) -> None:
    searching, writing = owner.connect(), owner.connect()
    send_message(writing, {"do": "delete"})
    for _ in range(30):
        send_message(searching, {"do": "search_dense"})
    owner.thread.start()
    for _ in range(30):
        receive_message(searching)
    assert receive_message(writing) == {"result": {}}
    send_message(writing, {"do": "close"})
    owner.thread.join()
    assert owner.shards.asked.count("search_dense") == 30
    assert owner.shards.asked.index("delete") in {9, 10}  # one or two before it came, then eight


def test_a_connection_that_breaks_off_does_not_harm_others(owner: Owner) -> None:
    broken, whole = owner.connect(), owner.connect()
    broken.sendall(b"\x20\x00\x00\x00half a message")
    broken.close()
    owner.thread.start()
    send_message(whole, {"do": "opened"})
    assert receive_message(whole) == {"result": {}}
    send_message(whole, {"do": "close"})


def test_it_ends_when_its_owner_is_gone(owner: Owner) -> None:
    owner.thread.start()
    os.close(owner.descriptors.pop())
    owner.thread.join(timeout=20)
    assert not owner.thread.is_alive()
