"""Where characters of a chunk stand in its document: span, page, paragraph, headings."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from citewell.answering.quoting.units import Unit
from citewell.domain.passage import VisibleChunk

if TYPE_CHECKING:
    from citewell.domain.document import Span

_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n\s*(?=\S)")


class Place(NamedTuple):
    """Page and paragraph on that page, both from 1; None where pages have no meaning."""

    page: int | None
    paragraph: int | None


def document_span(chunk: VisibleChunk, start: int, end: int) -> Span:
    """Return the characters of the document's text that a range of the chunk's content shows.

    Args:
        chunk: That holds the range.
        start: First character in the content.
        end: One past the last.

    Raises:
        ValueError: The range is empty, leaves the content, or reaches from the repeated table
            header into the text below, which stand apart in the document.
    """
    header_length = _header_length(chunk)
    if not 0 <= start < end <= len(chunk.content) or start < header_length < end:
        raise ValueError("the range is not one range of the document")
    if end <= header_length and chunk.header_span:
        return chunk.header_span[0] + start, chunk.header_span[0] + end
    shift = chunk.span[0] - header_length
    return start + shift, end + shift


def content_range(chunk: VisibleChunk, span: Span) -> Span | None:
    """Return the range of the chunk's content that shows a span of the document, or None."""
    header_length = _header_length(chunk)
    parts = ((chunk.span, header_length), (chunk.header_span, 0))
    for part, start in parts:
        if part and part[0] <= span[0] < span[1] <= part[1]:
            return span[0] - part[0] + start, span[1] - part[0] + start
    return None


def place_of(chunk: VisibleChunk, offset: int) -> Place:
    """Return page and paragraph of a character of the chunk's content.

    Paragraphs are parted by blank lines and counted within the page. One that goes on from the page
    before is the first of its page. A repeated table header counts as the beginning of the text.
    """
    if chunk.page_start is None:
        return Place(None, None)
    header_length = _header_length(chunk)
    index = bisect_right([start for start, _ in chunk.page_breaks], max(offset, header_length)) - 1
    if index >= 0:
        start, page = chunk.page_breaks[index]
        paragraph = 1
    else:
        start, page, paragraph = header_length, chunk.page_start, chunk.paragraph_start or 1
    text = chunk.content[start:]
    ink = start + len(text) - len(text.lstrip())
    breaks = _PARAGRAPH_BREAK.finditer(chunk.content, ink)
    n_breaks = sum(1 for match in breaks if match.end() <= offset)
    return Place(page, paragraph + n_breaks)


def heading_path_of(chunk: VisibleChunk, unit: Unit) -> tuple[str, ...]:
    """Return the headings above a unit, those inside the chunk included, outermost first."""
    path, inner = chunk.heading_path, unit.headings
    for shared in range(min(len(path), len(inner)), 0, -1):
        if _bare(path[-shared:]) == _bare(inner[:shared]):
            return (*path, *inner[shared:])
    return (*path, *inner)


def _bare(headings: tuple[str, ...]) -> list[str]:
    """Return letters and digits only: the two readers of headings may differ in markup."""
    return ["".join(c for c in heading.casefold() if c.isalnum()) for heading in headings]


def _header_length(chunk: VisibleChunk) -> int:
    return len(chunk.content) - (chunk.span[1] - chunk.span[0])
