"""A linear reader of Markdown blocks for texts that are too large for a full parser."""

from __future__ import annotations

import re

from citewell.domain.chunk import Block, BlockKind

_HEADING = re.compile(r" {0,3}(#{1,6})(?=\s|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?=\s|$)")
_DELIMITER_ROW = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_MARKUP = re.compile(r"!?\[([^\]\[]*)\]\([^)\s]*\)|[*_`~]{1,3}")

# Longer delimiter rows and titles than these do not occur; the bounds keep patterns linear.
_MAX_PATTERN_LENGTH = 1_000
_MAX_TITLE_LENGTH = 300


def outline_markdown_lines(text: str) -> list[Block]:
    """Return the blocks of a Markdown text, judging each line by its beginning.

    Knows headings with `#`, fenced code, tables with outer pipes, lists and paragraphs. Linear.
    """
    reader = _LineReader(text)
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        reader.read(start, end)
        start = end + 1
    reader.close()
    return reader.blocks


class _LineReader:
    """Collects lines into the block that is open."""

    def __init__(self, text: str) -> None:
        self.blocks: list[Block] = []
        self._text = text
        self._kind: BlockKind | None = None
        self._start = 0
        self._end = 0
        self._fence = ""

    def read(self, start: int, end: int) -> None:
        """Take the line from `start` to `end`, without its line break."""
        beginning = self._text[start : min(end, start + _MAX_PATTERN_LENGTH)]
        if self._fence:
            self._end = end
            if beginning.strip().startswith(self._fence) and not beginning.strip(" `~"):
                self.close()
            return
        if not beginning.strip() and not self._text[start:end].strip():
            self.close()
            return
        kind = self._kind_of(beginning)
        if kind != self._kind or kind == "heading":
            self.close()
            self._kind, self._start = kind, start
        self._end = end
        if kind == "code" and (match := _FENCE.match(beginning)):
            self._fence = match[1]

    def _kind_of(self, beginning: str) -> BlockKind:
        if _FENCE.match(beginning):
            return "code"
        if _HEADING.match(beginning):
            return "heading"
        if beginning.lstrip().startswith("|"):
            return "table"
        if _ITEM.match(beginning) or self._kind == "list":
            return "list"
        return "paragraph"

    def close(self) -> None:
        """End the open block, if there is one."""
        if self._kind is not None:
            self.blocks.append(self._block(self._kind))
        self._kind, self._fence = None, ""

    def _block(self, kind: BlockKind) -> Block:
        start = self._start
        end = start + len(self._text[start : self._end].rstrip())
        if kind == "heading":
            line = self._text[start : min(end, start + _MAX_PATTERN_LENGTH)].strip()
            level = len(line) - len(line.lstrip("#"))
            return Block(kind, start, end, level, _plain_title(line[level:]), header_end=start)
        if kind == "table":
            return Block(kind, start, end, header_end=self._header_end(start, end))
        return Block(kind, start, end, header_end=start)

    def _header_end(self, start: int, end: int) -> int:
        """Return the end of the column names and the rule below them; `start` without a rule."""
        first = self._text.find("\n", start, end) + 1
        if not first:
            return start
        second = self._text.find("\n", first, end) + 1 or end
        row = self._text[first : min(second, first + _MAX_PATTERN_LENGTH)]
        return second if _DELIMITER_ROW.fullmatch(row) else start


def _plain_title(title: str) -> str:
    plain = _MARKUP.sub(lambda match: match[1] or "", title.strip()[:_MAX_TITLE_LENGTH].rstrip("#"))
    return " ".join(plain.split())
