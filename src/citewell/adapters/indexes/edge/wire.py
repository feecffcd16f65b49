"""Messages between the index process and its owner: a length, then MessagePack.

Vectors travel as raw bytes in native byte order, because both ends run on one machine. Nothing is
pickled.
"""

from __future__ import annotations

import socket
import struct
from importlib import import_module
from typing import Any

Message = dict[str, Any]

_msgpack: Any = import_module("msgpack")  # it has no types

_ODD_NAMES = "surrogatepass"  # paths that are not UTF-8 hold lone surrogates
_LENGTH = struct.Struct("<I")
MAX_MESSAGE_BYTES = 2**28


def send_message(connection: socket.socket, message: Message) -> None:
    """Send one message.

    Raises:
        OSError: The other end is gone, or the time-out of the socket has passed.
        ValueError: It is larger than 256 MiB.
    """
    body: bytes = _msgpack.packb(message, unicode_errors=_ODD_NAMES)
    if len(body) > MAX_MESSAGE_BYTES:
        raise ValueError(f"a message of {len(body)} bytes is too large")
    connection.sendall(_LENGTH.pack(len(body)) + body)


def receive_message(connection: socket.socket) -> Message:
    """Wait for one message.

    Raises:
        EOFError: The other end is closed.
        OSError: The other end is gone, or the time-out of the socket has passed.
        ValueError: The bytes are not a message.
    """
    (length,) = _LENGTH.unpack(_receive_exactly(connection, _LENGTH.size))
    if length > MAX_MESSAGE_BYTES:
        raise ValueError(f"a message of {length} bytes is too large")
    body = _receive_exactly(connection, length)
    try:
        return _msgpack.unpackb(body, unicode_errors=_ODD_NAMES)
    except Exception as error:
        raise ValueError("the bytes are not a message") from error


def _receive_exactly(connection: socket.socket, n_bytes: int) -> bytearray:
    data = bytearray(n_bytes)
    view = memoryview(data)
    received = 0
    while received < n_bytes:
        count = connection.recv_into(view[received:])
        if count == 0:
            raise EOFError("the other end is closed")
        received += count
    return data
