"""Find the page and paragraph of a position in a document."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from typing import NamedTuple

from citewell.domain.document import PageSpan

_PARAGRAPH_START = re.compile(r"\n[^\S\n]*\n\s*(?=\S)")


class Place(NamedTuple):
    """Where a position lies.

    Attributes:
        page: From 1.
        paragraph: From 1 within the page; paragraphs are parted by blank lines.
    """

    page: int
    paragraph: int


def locate(text: str, pages: Sequence[PageSpan], position: int) -> Place | None:
    """Return the page and paragraph of a character.

    A position between two pages belongs to the page before it. A paragraph that goes on from the
    page before is the first of its page.

    Args:
        text: The document's text.
        pages: Of the document, in order.
        position: In [0, len(text)).

    Returns:
        None where pages have no meaning.
    """
    return PageMap(text, pages).locate(position)


class PageMap:
    """Answers `locate` for many positions of one document."""

    def __init__(self, text: str, pages: Sequence[PageSpan]) -> None:
        """Take a document's text and pages; nothing is computed yet."""
        self._text = text
        self._pages = pages
        self._starts = [page.start for page in pages]
        self._paragraphs: dict[int, list[int]] = {}

    def locate(self, position: int) -> Place | None:
        """Return the page and paragraph of a character, as `locate` does."""
        if not self._pages:
            return None
        index = max(0, bisect.bisect_right(self._starts, position) - 1)
        paragraphs = self._paragraphs_of(index)
        return Place(self._pages[index].number, bisect.bisect_right(paragraphs, position))

    def _paragraphs_of(self, index: int) -> list[int]:
        if index not in self._paragraphs:
            page = self._pages[index]
            # White space before the first paragraph counts as part of it.
            text = self._text[page.start : page.end]
            first = page.end - len(text.lstrip())
            last = page.start + len(text.rstrip())
            starts = (m.end() for m in _PARAGRAPH_START.finditer(self._text, first, last))
            self._paragraphs[index] = [page.start, *starts]
        return self._paragraphs[index]
