"""File names as text: valid Unicode, and back to the bytes of the file system."""

from __future__ import annotations

import re

from citewell.domain.errors import DocumentError

# A backslash that looks like the start of an escape is escaped itself: no two names look the same.
_LOOKS_ESCAPED = re.compile(rb"\\(?=x[0-9a-f]{2})")
_ESCAPED = re.compile(rb"\\x([0-9a-f]{2})")

Parts = tuple[bytes, ...]
"""A path inside a source: names of folders, and of a file last."""


def printable_path(parts: Parts) -> str:
    r"""Return a path as valid Unicode with `/`; bytes that are not UTF-8 become `\xNN`.

    Nothing else is changed: no normalization, no trimming, so names that look alike stay apart.
    """
    path = b"/".join(parts)
    if b"\\" in path:
        path = _LOOKS_ESCAPED.sub(rb"\\x5c", path)
    return path.decode("utf-8", "backslashreplace")


def path_of_bytes(path: bytes) -> str:
    """Return a relative path of the file system as `printable_path` does."""
    return printable_path(tuple(path.split(b"/")))


def parts_of_path(relative_path: str) -> Parts:
    """Return the path that `printable_path` printed."""
    path = _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), relative_path.encode())
    return tuple(path.split(b"/"))


def is_plain(parts: Parts) -> bool:
    """Return whether a path stays inside the source."""
    return not any(part in {b"", b".", b".."} or b"\0" in part for part in parts)


def locator_of(parts: Parts) -> str:
    """Return the exact path as text that every store can keep."""
    path = b"/".join(parts)
    try:
        return "utf8:" + path.decode()
    except UnicodeDecodeError:
        return "hex:" + path.hex()


def parts_of(locator: str) -> Parts:
    """Return the path of a locator.

    Raises:
        DocumentError: It is none of ours, or leads out of the source.
    """
    kind, _, path = locator.partition(":")
    try:
        parts = tuple((bytes.fromhex(path) if kind == "hex" else path.encode()).split(b"/"))
    except ValueError as error:
        raise DocumentError("the locator is not valid") from error
    if kind not in {"utf8", "hex"} or not is_plain(parts):
        raise DocumentError("the locator is not valid")
    return parts
