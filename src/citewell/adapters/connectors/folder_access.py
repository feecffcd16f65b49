"""Open files and folders below a root, one name at a time, following no link."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager

from citewell.adapters.connectors.names import Parts
from citewell.domain.errors import DocumentError, NotFoundError, SourceUnavailableError
from citewell.domain.failpoints import reach

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_BLOCK_BYTES = 1 << 20
_MAX_READS = 3

_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def kind_of(mode: int) -> str:
    """Return what a file is, for a message; "" for a regular file."""
    return _KINDS.get(stat.S_IFMT(mode), "")


@contextmanager
def open_root(root: bytes) -> Generator[int]:
    """Open the root of a source.

    Raises:
        SourceUnavailableError: It is missing, no folder, or cannot be read.
    """
    try:
        descriptor = os.open(root, _OPEN_FOLDER)
    except OSError as error:
        raise SourceUnavailableError(
            f"the source's folder cannot be read ({explain(error)}); nothing was deleted"
        ) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def open_folder(root: int, parts: Parts) -> Generator[int]:
    """Open a folder below the root, name by name.

    Raises:
        OSError: A part is missing, not readable, no folder, or a link.
    """
    descriptor = os.dup(root)
    try:
        for name in parts:
            below = os.open(name, _OPEN_FOLDER | os.O_NOFOLLOW, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def read_file(
    root: int,
    parts: Parts,
    *,
    max_bytes: int,
    read_block: Callable[[int, int], bytes] = os.read,
) -> bytes:
    """Return the content of a regular file, read again while it changes.

    Args:
        root: Descriptor of the root.
        parts: Of the path below it.
        max_bytes: The largest content.
        read_block: Reads from a descriptor at most so many bytes.

    Raises:
        NotFoundError: It is gone.
        DocumentError: It cannot be read; the message says why.
    """
    try:
        with open_folder(root, parts[:-1]) as folder:
            return _read_in(folder, parts[-1], max_bytes, read_block)
    except (FileNotFoundError, NotADirectoryError) as error:
        if _leads_through_link(root, parts):
            raise DocumentError("a symbolic link is not followed") from error
        raise NotFoundError("the file is gone") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in a forged name
        raise DocumentError(f"the file cannot be read: {explain(error)}") from error


def _read_in(
    folder: int, name: bytes, max_bytes: int, read_block: Callable[[int, int], bytes]
) -> bytes:
    # Looked at before it is opened: opening a device can have effects of its own.
    _require_regular(os.stat(name, dir_fd=folder, follow_symlinks=False))
    for _ in range(_MAX_READS):
        descriptor = os.open(name, _OPEN_FILE, dir_fd=folder)
        try:
            before = os.fstat(descriptor)
            _require_regular(before)
            reach("opened")
            data = _read_all(descriptor, before.st_size, max_bytes, read_block)
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if _stamp(before) == _stamp(after):
            return data
    raise DocumentError("the file keeps changing while it is read; it is tried again later")


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _require_regular(status: os.stat_result) -> None:
    if kind := kind_of(status.st_mode):
        raise DocumentError(f"not a regular file but {kind}")


def _read_all(
    descriptor: int, size: int, max_bytes: int, read_block: Callable[[int, int], bytes]
) -> bytes:
    blocks: list[bytes] = []
    n_read = 0
    while size <= max_bytes and n_read <= max_bytes:
        block = read_block(descriptor, min(_BLOCK_BYTES, max_bytes + 1 - n_read))
        if not block:
            return b"".join(blocks)
        reach("half-read")
        blocks.append(block)
        n_read += len(block)
    raise DocumentError(f"the file is larger than the limit of {max_bytes} bytes")


def is_gone(error: OSError) -> bool:
    """Return whether nothing is there any more, or a file or link where a folder was."""
    return isinstance(error, FileNotFoundError | NotADirectoryError) or error.errno == errno.ELOOP


def _leads_through_link(root: int, parts: Parts) -> bool:
    for depth in range(len(parts)):
        try:
            with open_folder(root, parts[:depth]) as folder:
                status = os.stat(parts[depth], dir_fd=folder, follow_symlinks=False)
        except OSError:
            return False
        if stat.S_ISLNK(status.st_mode):
            return True
    return False


def explain(error: OSError | ValueError) -> str:
    """Return what went wrong, without the path."""
    if isinstance(error, ValueError):
        return "its name is not valid"
    if error.errno == errno.ELOOP:
        return "it is a symbolic link"
    return (error.strerror or type(error).__name__).lower()
