"""Find tags, wiki links and comments in the text of an Obsidian note, but not in its code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from citewell.domain.document import Span

# A tag follows white space and consists of anything but white space and punctuation; `-`, `_` and
# `/` are part of it. It needs something that is not a digit, so that `#12` is a number.
_TAG = (
    r"(?<!\S)#(?P<tag>[^\s!-,.:-@\[-^`{-~"
    r"\u2000-\u200c\u200e-\u206f\u2e00-\u2e7f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]+)"
)
_MARK = re.compile(
    r"^[ \t>]*(?P<fence>`{3,}|~{3,})"
    r"|(?P<ticks>`+)"
    r"|(?P<comment>%%)"
    r"|(?P<html><!--)"
    r"|(?P<escaped>\\.)"
    r"|!?\[\[(?P<link>[^\[\]\n]{1,1000})\]\]"
    r"|(?P<url>\b[a-zA-Z][a-zA-Z0-9+.-]{0,20}://\S+)"
    rf"|{_TAG}",
    re.MULTILINE,
)

# Inline code that is longer than this is a stray backtick.
_MAX_INLINE_CODE = 2_000


@dataclass(slots=True)
class NoteMarks:
    """What a note marks, in order.

    Attributes:
        tags: Without `#`; may repeat.
        links: Targets of wiki links and embeds, without alias; may repeat.
        comments: Spans of `%%…%%`, marks included.
    """

    tags: list[str] = field(default_factory=list[str])
    links: list[str] = field(default_factory=list[str])
    comments: list[Span] = field(default_factory=list[Span])


def find_marks(text: str, *, start: int = 0) -> NoteMarks:
    """Return the tags, links and comments of a note from `start` on.

    Nothing is found inside code, HTML comments and URLs; what stands in a comment is not found
    either, for comments are private. A `%%` without its partner is text. Takes linear time.
    """
    marks = NoteMarks()
    ends = _Ends(text)
    position = start
    while match := _MARK.search(text, position):
        kind = match.lastgroup or ""
        position = ends.find(kind, match)
        if kind == "comment" and position > match.end():
            marks.comments.append((match.start(), position))
        elif kind == "tag" and (tag := clean_tag(match["tag"])):
            marks.tags.append(tag)
        elif kind == "link" and (target := _target(match["link"])):
            marks.links.append(target)
    return marks


def clean_tag(tag: str) -> str:
    """Return a tag without `#` and outer slashes; "" if it consists of digits."""
    tag = tag.strip().lstrip("#").strip("/")
    return "" if tag.replace("/", "").isdigit() else tag


def _target(link: str) -> str:
    """Return what a link leads to; "" for a place in the same note."""
    target = link.split("|", 1)[0].rstrip("\\").strip()
    return "" if target.startswith(("#", "^")) else target


class _Ends:
    """Finds where a mark ends; what has no end is an ordinary character."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._missing: set[str] = set()

    def find(self, kind: str, match: re.Match[str]) -> int:
        """Return the position after the mark."""
        if kind == "fence":
            return self._end_of_fence(match["fence"], match.end())
        if kind == "ticks":
            return self._end_of_inline_code(match["ticks"], match.end())
        if kind == "comment":
            return self._after("%%", match.end())
        if kind == "html":
            return self._after("-->", match.end())
        return match.end()

    def _after(self, closing: str, position: int) -> int:
        # Looking again and again for what is nowhere in the rest would take quadratic time.
        end = -1 if closing in self._missing else self._text.find(closing, position)
        if end < 0:
            self._missing.add(closing)
            return position
        return end + len(closing)

    def _end_of_fence(self, fence: str, position: int) -> int:
        closing = re.compile(rf"^[ \t>]*{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE)
        end = closing.search(self._text, position)
        return end.end() if end else len(self._text)

    def _end_of_inline_code(self, ticks: str, position: int) -> int:
        text = self._text
        limit = position + _MAX_INLINE_CODE
        paragraph_end = text.find("\n\n", position, limit)
        limit = limit if paragraph_end < 0 else paragraph_end
        start = position
        while (start := text.find(ticks, start, limit)) >= 0:
            end = start + len(ticks)
            if text[end : end + 1] != "`":
                return end
            while text[end : end + 1] == "`":
                end += 1
            start = end
        return position
