"""The socket in the index folder on which other processes of the same user may search."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_NAME = "guests"
_WAITING = 16  # connections that the system holds while the server is busy
_MAX_PATH_BYTES = 100  # the system takes 107


@contextmanager
def listen_for_guests() -> Generator[socket.socket]:
    """Listen in the working directory, which must be the index folder and held by this process."""
    path = Path(_NAME)
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(_NAME)
        path.chmod(0o600)
        listening.listen(_WAITING)
        yield listening


def stop_listening() -> None:
    """Remove the socket's file from the working directory, so that copies of the folder are plain.

    One that a killed process left behind is replaced by the next.
    """
    Path(_NAME).unlink(missing_ok=True)


def is_same_user(connection: socket.socket) -> bool:
    """Return whether the other end is a process of our user, or of root."""
    size = struct.calcsize("3i")
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    _, user, _ = struct.unpack("3i", credentials)
    return user in {os.geteuid(), 0}


def call_host(root: Path) -> socket.socket:
    """Return a connection to the process that holds an index folder.

    Raises:
        OSError: There is none.
    """
    connection = socket.socket(socket.AF_UNIX)
    try:
        with _short_path(root) as path:
            connection.connect(path)
    except OSError:
        connection.close()
        raise
    return connection


@contextmanager
def _short_path(root: Path) -> Generator[bytes]:
    """Yield a path of the socket that is not too long for the system."""
    path = os.fsencode(root / _NAME)
    if len(path) <= _MAX_PATH_BYTES:
        yield path
        return
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{_NAME}".encode()
    finally:
        os.close(folder)
