"""Trim spans of text."""

from __future__ import annotations

from citewell.domain.document import Span


def trim_span(text: str, start: int, end: int) -> Span:
    """Leave out blank lines before, and white space after; the first line keeps its indentation.

    Returns:
        The trimmed span; `(start, start)` when there is nothing but white space.
    """
    piece = text[start:end]
    body = piece.lstrip()
    if not body:
        return start, start
    lead = len(piece) - len(body)
    return start + piece.rfind("\n", 0, lead) + 1, start + len(piece.rstrip())
