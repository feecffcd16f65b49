"""Other processes search the index of the one that holds it, and only search."""

import socket
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from citewell.adapters.indexes.edge.client import EdgeIndex
from citewell.adapters.indexes.edge.guest import IndexGuest
from citewell.adapters.indexes.edge.guests import call_host
from citewell.adapters.indexes.edge.layout import IndexIdentity
from citewell.adapters.indexes.edge.process import ProcessDiedError
from citewell.adapters.indexes.edge.wire import receive_message, send_message
from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance
from citewell.domain.errors import IndexUnavailableError, UsageError
from citewell.ports.index import Candidate, LexicalPoint

STAFF = Clearance(("staff",))
TERMS = SparseVector((1, 2), (0.5, 0.25))


def open_index(root: Path) -> EdgeIndex:
    return EdgeIndex(root, model=None, analyzer_version=1)


def open_as_guest(root: Path) -> EdgeIndex:
    def start(folder: Path, _: IndexIdentity) -> IndexGuest:
        return IndexGuest(folder)

    return EdgeIndex(root, model=None, analyzer_version=1, start=start)


def found(index: EdgeIndex) -> list[Candidate]:
    return index.search_lexical(STAFF, TERMS, limit=10)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[EdgeIndex]:
    index = open_index(tmp_path / "index")
    index.upsert_lexical("staff", [LexicalPoint(7, 1, TERMS)])
    yield index
    index.close()


def test_guest_finds_what_the_host_has_written(host: EdgeIndex, tmp_path: Path) -> None:
    guest = open_as_guest(tmp_path / "index")
    assert found(guest) == found(host) != []
    host.upsert_lexical("staff", [LexicalPoint(8, 1, TERMS)])
    assert [candidate.chunk_key for candidate in found(guest)] == [7, 8]
    assert guest.chunk_keys("staff", "lexical") == [7, 8]
    guest.close()
    assert len(found(host)) == 2


def test_guest_cannot_write(host: EdgeIndex, tmp_path: Path) -> None:
    guest = open_as_guest(tmp_path / "index")
    for write in (
        lambda: guest.upsert_lexical("staff", [LexicalPoint(9, 1, TERMS)]),
        lambda: guest.delete("staff", [7]),
        guest.flush,
    ):
        with pytest.raises(UsageError, match="guests may only search"):
            write()
    with closing(IndexGuest(tmp_path / "index")) as bare, pytest.raises(UsageError):
        bare.ask({"do": "close"})
    guest.close()
    assert host.chunk_keys("staff", "lexical") == [7]


def test_guest_is_told_when_its_host_ends(tmp_path: Path) -> None:
    host = open_index(tmp_path / "index")
    host.start()
    guest = open_as_guest(tmp_path / "index")
    assert found(guest) == []
    host.close()
    with pytest.raises(ProcessDiedError, match="no process holds the index"):
        found(guest)


def test_guest_goes_on_with_the_next_host(tmp_path: Path) -> None:
    first = open_index(tmp_path / "index")
    first.upsert_lexical("staff", [LexicalPoint(7, 1, TERMS)])
    guest = open_as_guest(tmp_path / "index")
    before = found(guest)
    first.close()
    second = open_index(tmp_path / "index")
    second.start()
    assert found(guest) == before != []
    guest.close()
    second.close()


def test_guest_that_falls_silent_in_the_middle_of_a_message_holds_nobody_up(
    host: EdgeIndex, tmp_path: Path
) -> None:
    silent = call_host(tmp_path / "index")
    silent.sendall(b"\xff")
    assert len(found(host)) == 1
    assert silent.recv(1) == b""  # the host has hung up
    silent.close()


def test_guest_that_does_not_listen_holds_nobody_up(host: EdgeIndex, tmp_path: Path) -> None:
    deaf = call_host(tmp_path / "index")
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    keys = range(1, 30_001)
    for start in range(0, len(keys), 1_000):
        points = [LexicalPoint(key, 1, TERMS) for key in keys[start : start + 1_000]]
        host.upsert_lexical("staff", points)
    page = {"do": "keys_after", "tier": "staff", "leg": "lexical", "after": -1, "limit": 10_000}
    for _ in range(40):
        send_message(deaf, page)
    assert len(found(host)) == 10
    deaf.close()


def test_guests_may_come_at_once(host: EdgeIndex, tmp_path: Path) -> None:
    guests = [IndexGuest(tmp_path / "index") for _ in range(20)]
    request = {"do": "keys_after", "tier": "staff", "leg": "lexical", "after": -1, "limit": 10}
    assert [guest.ask(request, timeout_s=60) for guest in guests] == [[7]] * 20
    for guest in guests:
        guest.close()


def test_socket_is_for_the_owner_only_and_goes_with_the_process(tmp_path: Path) -> None:
    host = open_index(tmp_path / "index")
    host.start()
    path = tmp_path / "index" / "guests"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    host.close()
    assert not path.exists()


def test_path_may_be_longer_than_a_socket_address(tmp_path: Path) -> None:
    root = tmp_path / ("x" * 120) / "index"
    host = open_index(root)
    host.start()
    guest = open_as_guest(root)
    assert found(guest) == []
    guest.close()
    host.close()


def test_stale_socket_is_replaced(tmp_path: Path) -> None:
    root = tmp_path / "index"
    root.mkdir()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(root / "guests"))
    with pytest.raises(ProcessDiedError):
        IndexGuest(root)
    host = open_index(root)
    host.start()
    IndexGuest(root).close()
    host.close()


def test_answer_that_takes_too_long_is_an_error_of_its_own(tmp_path: Path) -> None:
    root = tmp_path / "index"
    root.mkdir()
    with socket.socket(socket.AF_UNIX) as slow:
        slow.bind(str(root / "guests"))
        slow.listen()
        with (
            closing(IndexGuest(root)) as guest,
            pytest.raises(IndexUnavailableError, match=r"did not answer within 0\.05 s"),
        ):
            guest.ask({"do": "opened"}, timeout_s=0.05)
        connection, _ = slow.accept()
        assert receive_message(connection) == {"do": "opened"}
        connection.close()
