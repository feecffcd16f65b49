"""Where the next page of a list starts, as a text that says nothing of other people's rows."""

from __future__ import annotations

import base64
import binascii

from citewell.domain.errors import UsageError

_FIRST = ("~", "")  # after every moment


def cursor_after(at: str, name: str) -> str:
    """Return the cursor for what comes after a row with this time and id."""
    return base64.urlsafe_b64encode(f"{at} {name}".encode()).decode().rstrip("=")


def place_of_cursor(cursor: str | None) -> tuple[str, str]:
    """Return the time and id that all rows of a page come before; of the first page without one.

    Raises:
        UsageError: The cursor is none of ours.
    """
    if cursor is None:
        return _FIRST
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        at, name = base64.b64decode(padded, b"-_", validate=True).decode().split(" ")
    except (UnicodeError, ValueError, binascii.Error) as error:
        raise UsageError("this cursor is not from an earlier page: leave it out") from error
    return at, name
