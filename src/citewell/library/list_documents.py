"""Listing the documents that a reader may see, page by page."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from citewell.domain.clearance import Clearance
from citewell.domain.errors import UsageError
from citewell.domain.library import DocumentPage
from citewell.ports.library_reader import LibraryReader

MAX_DOCUMENTS = 500


def list_documents(
    reader: LibraryReader,
    clearance: Clearance,
    *,
    source: str | None = None,
    cursor: str | None = None,
    limit: int = 100,
) -> DocumentPage:
    """Return the documents that may be read, by source and path.

    Args:
        reader: Knows them.
        clearance: What may be read.
        source: Only of the source of this name; an unknown one has none.
        cursor: From the page before; None for the first.
        limit: At most so many, in [1, 500].

    Raises:
        UsageError: The cursor is none, or the limit is out of range.
    """
    if not 1 <= limit <= MAX_DOCUMENTS:
        raise UsageError(f"limit is {limit}: it must be in [1, {MAX_DOCUMENTS}]")
    after = None if cursor is None else _read_cursor(cursor)
    found = reader.readable_documents(clearance, limit=limit + 1, source=source, after=after)
    documents = found[:limit]
    if len(found) <= limit:
        return DocumentPage(documents, None)
    last = documents[-1].record
    return DocumentPage(documents, _write_cursor(last.source, last.relative_path))


def _write_cursor(source: str, relative_path: str) -> str:
    place = json.dumps([source, relative_path], separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(place).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[str, str]:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        place: Any = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        place = None
    match place:
        case [str(source), str(relative_path)] if _is_text(source + relative_path):
            return source, relative_path
        case _:
            raise UsageError("the cursor is not one that this server gave")


def _is_text(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
