"""Trim spans of text."""

from __future__ import annotations

from citewell.domain.document import Span


def trim_span(text: str, start: int, end: int) -> Span:
    """Leave out white space at both ends; a line that is whole keeps its indentation.

    Returns:
        The trimmed span; `(start, start)` when there is nothing but white space.
    """
    piece = text[start:end]
    body = piece.lstrip()
    if not body:
        return start, start
    lead = len(piece) - len(body)
    break_before = text.rfind("\n", start - 1 if start else 0, start + lead)
    is_whole_line = break_before >= 0 or start == 0
    return break_before + 1 if is_whole_line else start + lead, start + len(piece.rstrip())
