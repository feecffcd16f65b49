from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.adapters.indexes.edge.wire import receive_message, send_message

Pair = tuple[socket.socket, socket.socket]

TEXT = st.text(st.characters())  # with lone surrogates
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | TEXT | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@pytest.fixture
def pair() -> Iterator[Pair]:
    one, other = socket.socketpair()
    with one, other:
        yield one, other


@given(st.dictionaries(TEXT, VALUES, max_size=5))
@settings(max_examples=50)
def test_messages_arrive_as_they_were_sent(message) -> None:
    one, other = socket.socketpair()
    with one, other:
        send_message(one, message)
        assert receive_message(other) == message


def test_messages_larger_than_the_buffers_arrive_whole(pair: Pair) -> None:
    message = {"vectors": bytes(range(256)) * 20_000, "then": 1}
    sender = threading.Thread(target=send_message, args=(pair[0], message))
    sender.start()
    assert receive_message(pair[1]) == message
    sender.join()


def test_a_closed_end_is_an_end_of_file_also_within_a_message(pair: Pair) -> None:
    pair[0].sendall(b"\x08\x00\x00\x00abc")
    pair[0].close()
    with pytest.raises(EOFError):
        receive_message(pair[1])


def test_an_absurd_length_is_refused_before_memory_is_taken(pair: Pair) -> None:
    pair[0].sendall(b"\xff\xff\xff\xff")
    with pytest.raises(ValueError, match="too large"):
        receive_message(pair[1])


def test_bytes_that_are_no_message_are_refused(pair: Pair) -> None:
    pair[0].sendall(b"\x01\x00\x00\x00\xc1")
    with pytest.raises(ValueError, match="not a message"):
        receive_message(pair[1])
