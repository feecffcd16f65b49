"""Messages over a socket: eight bytes of length, then the bytes."""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Callable

_LENGTH = struct.Struct("!Q")
_PIECE_BYTES = 1 << 20
_CHECK_INTERVAL_S = 0.05


class FrameTooLargeError(Exception):
    """The other side announces more bytes than are allowed."""


def write_frame(descriptor: int, payload: bytes) -> None:
    """Write one message to a blocking descriptor."""
    for part in (_LENGTH.pack(len(payload)), payload):
        view = memoryview(part)
        while view:
            view = view[os.write(descriptor, view) :]


def read_frame(descriptor: int) -> bytes | None:
    """Read one message from a blocking descriptor; None at the end of the stream."""
    header = _read_exactly(descriptor, _LENGTH.size)
    if header is None:
        return None
    return _read_exactly(descriptor, _LENGTH.unpack(header)[0])


def _read_exactly(descriptor: int, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = os.read(descriptor, min(_PIECE_BYTES, size))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def send_frame(connection: socket.socket, payload: bytes, *, check: Callable[[], None]) -> None:
    """Send one message; never block longer than 50 ms without a check.

    Args:
        connection: A stream socket.
        payload: What is sent.
        check: Called at least every 50 ms; whatever it raises ends the sending.

    Raises:
        OSError: The other side is gone (`ConnectionError`, `BrokenPipeError`).
    """
    connection.settimeout(_CHECK_INTERVAL_S)
    checked = _Checked(check)
    for part in (_LENGTH.pack(len(payload)), payload):
        view = memoryview(part)
        while view:
            try:
                view = view[connection.send(view[:_PIECE_BYTES]) :]
            except TimeoutError:
                checked.now()
            checked.when_due()


def receive_frame(
    connection: socket.socket, *, max_bytes: int, check: Callable[[], None]
) -> bytearray:
    """Receive one message of at most `max_bytes`; otherwise as `send_frame`.

    Raises:
        FrameTooLargeError: The other side announces more.
    """
    connection.settimeout(_CHECK_INTERVAL_S)
    checked = _Checked(check)
    (length,) = _LENGTH.unpack(_receive_exactly(connection, _LENGTH.size, checked))
    if length > max_bytes:
        raise FrameTooLargeError
    return _receive_exactly(connection, length, checked)


def _receive_exactly(connection: socket.socket, size: int, checked: _Checked) -> bytearray:
    parts = bytearray()
    while len(parts) < size:
        try:
            part = connection.recv(min(_PIECE_BYTES, size - len(parts)))
        except TimeoutError:
            checked.now()
            continue
        if not part:
            raise ConnectionError("the other side closed the connection")
        parts += part
        checked.when_due()
    return parts


class _Checked:
    """Calls a check now, or if the last call is 50 ms ago (a peer that dribbles bytes)."""

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check
        self._last = time.monotonic()

    def now(self) -> None:
        self._last = time.monotonic()
        self._check()

    def when_due(self) -> None:
        if time.monotonic() - self._last >= _CHECK_INTERVAL_S:
            self.now()
