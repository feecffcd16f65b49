"""Connections to an index process: used again, and none left open."""

import socket
import threading
from collections.abc import Iterator

import pytest

from citewell.adapters.indexes.edge.connections import Connections
from citewell.adapters.indexes.edge.wire import receive_message, send_message
from citewell.domain.errors import IndexUnavailableError, UsageError


class Host:
    """Opens connections and remembers the other ends."""

    def __init__(self) -> None:
        self.ends: list[socket.socket] = []

    def connect(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        self.ends.append(theirs)
        return ours

    def answers(self, number: int, **answer: object) -> threading.Thread:
        def run() -> None:
            receive_message(self.ends[number])
            send_message(self.ends[number], answer)

        thread = threading.Thread(target=run)
        thread.start()
        return thread


@pytest.fixture
def host() -> Iterator[Host]:
    host = Host()
    yield host
    for end in host.ends:
        end.close()


def test_a_free_connection_is_used_again(host: Host) -> None:
    connections = Connections(host.connect, [host.connect()])
    for n in range(3):
        thread = host.answers(0, result=n)
        assert connections.ask({"do": "x"}) == n
        thread.join()
    assert (len(host.ends), len(connections.idle)) == (1, 1)
    connections.close()


def test_errors_of_the_process_are_raised_and_the_connection_is_kept(host: Host) -> None:
    connections = Connections(host.connect, [host.connect()])
    thread = host.answers(0, error=UsageError.code, message="no such tier")
    with pytest.raises(UsageError, match="no such tier"):
        connections.ask({"do": "x"})
    thread.join()
    assert len(connections.idle) == 1
    connections.close()


def test_a_connection_whose_answer_may_still_come_is_closed(host: Host) -> None:
    connections = Connections(host.connect)
    with pytest.raises(IndexUnavailableError, match=r"within 0\.01 s"):
        connections.ask({"do": "x"}, timeout_s=0.01)
    assert connections.idle == []
    receive_message(host.ends[0])
    with pytest.raises(EOFError):
        receive_message(host.ends[0])


def test_a_connection_that_is_busy_at_the_close_is_closed_afterwards(host: Host) -> None:
    connections = Connections(host.connect, [host.connect()])
    results: list[object] = []
    asking = threading.Thread(target=lambda: results.append(connections.ask({"do": "x"})))
    asking.start()
    receive_message(host.ends[0])
    connections.close()
    send_message(host.ends[0], {"result": 7})
    asking.join()
    assert (results, connections.idle, connections.is_closed) == ([7], [], True)
    with pytest.raises(EOFError):
        receive_message(host.ends[0])
