"""Reading a chunk's lines into paragraphs, lists, tables and code, for quoting."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

BlockKind = Literal["prose", "list", "fields", "table", "code", "title", "pair"]

_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:\s+(?P<title>.*?))?(?:\s+#+)?\s*$")
_MARKUP = re.compile(
    r"!?\[\[(?:[^\[\]|]*\|)?(?P<page>[^\[\]|]*)\]\]"
    r"|!?\[(?P<label>[^\[\]]*)\]\([^()\s]*\)|[*_`~]{1,3}"
)
_UNDERLINE = re.compile(r" {0,3}(?:={2,}|-{2,})\s*$")
_RULE = re.compile(r"\s*(?:-\s*){3,}$|\s*(?:\*\s*){3,}$|\s*(?:_\s*){3,}$")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_DELIMITER_ROW = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_ROW = re.compile(r"\s*\|.*\S")
_BULLET = re.compile(r"\s*[-*+•◦▪‣●○·–—\uf0b7]\s+\S")
_NUMBERED = re.compile(
    r"\s*(?:\(?(?P<number>\d{1,3})[.)](?=\s)|(?P<wide>\d{1,3})[、．]|\(?[a-z]\)(?=\s)"
    r"|[（(][一二三四五六七八九十]{1,3}[)）]|[一二三四五六七八九十]{1,3}、|[①-⑳])\s*\S"
)
_BARE_NUMBER = re.compile(r"\s*(\d{1,2})\s+(?=[^\W\d_])")
_QUOTE_MARK = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_CALLOUT = re.compile(r"\s*\[![\w-]+\][+-]?[ \t]*")
_QUESTION = re.compile(
    r"\s*[*_]{0,3}(?:Q|Question|问题?|問題?|質問|Frage|Вопрос|Soru)\s?\d{0,3}[*_]{0,3}\s?[:：.)]",
    re.IGNORECASE,
)
_ANSWER = re.compile(
    r"\s*[*_]{0,3}(?:A|Answer|答案?|回答|Antwort|Ответ|Cevap)\s?\d{0,3}[*_]{0,3}\s?[:：.)]",
    re.IGNORECASE,
)
_FIELD = re.compile(r"\s*(?:\*\*|__)[^*_]{1,40}(?:[:：](?:\*\*|__)|(?:\*\*|__)[:：])\s*\S")
_KEY = re.compile(r"[\w -]+:(?:\s|$)")
_CODE_INDENT = 4
SENTENCE_END = (".", "!", "?", "。", "！", "？", "。”", ":", "：")
_FULL_WIDTH = 40
"""Characters of the widest line from which on lines count as wrapped."""
_SHORT_SHARE = 0.6
"""Share of the widest line below which a line was ended on purpose, not for lack of room."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chunk's content.

    Attributes:
        start: First character in the content.
        text: Without line break; block quote marks are spaces, so that positions stay.
        depth: Number of block quote marks.
        indent: Spaces after the block quote marks; a tab counts as four.
    """

    start: int
    text: str
    depth: int
    indent: int

    @property
    def end(self) -> int:
        """One past the last character."""
        return self.start + len(self.text)

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing but white space."""
        return not self.text.strip()


@dataclass(slots=True)
class TextBlock:
    """Lines that belong together.

    Attributes:
        kind: `title` is the title of a callout, or a numbered heading without marks; `pair` a
            question with its answer; `fields` paragraphs that begin with a label in bold.
        number: Its place among the blocks of the chunk, from 0. A code block in a list is a block
            of its own, and the list goes on with its number after it.
        lines: At least one; blank lines only inside pairs and code.
        header: Lines of column names above the rows, for a table; empty where it has none.
        starts: For a list and fields, indexes in `lines` where an item or paragraph starts.
        headings: Those above it in the chunk, outermost first.
        last_number: For a list whose numbers stand bare, without a dot, the last one; else 0.
    """

    kind: BlockKind
    number: int
    lines: list[Line]
    header: list[Line] = field(default_factory=list[Line])
    starts: list[int] = field(default_factory=list[int])
    headings: tuple[str, ...] = ()
    last_number: int = 0


def mask_quote_marks(content: str) -> tuple[str, list[Line]]:
    """Return the content with spaces for block quote marks and callout types, and its lines."""
    lines: list[Line] = []
    start = 0
    for text in content.split("\n"):
        mark = _QUOTE_MARK.match(text)
        width = mark.end() if mark else 0
        rest = text[width:]
        indent = sum(4 if c == "\t" else 1 for c in rest[: len(rest) - len(rest.lstrip(" \t"))])
        depth = text[:width].count(">")
        lines.append(Line(start, " " * width + rest, depth, indent))
        start += len(text) + 1
    return "\n".join(line.text for line in lines), lines


def read_blocks(lines: list[Line]) -> list[TextBlock]:
    """Return the blocks of a chunk in order of their first line, without headings and rules."""
    reader = _BlockReader()
    for line in lines[_front_matter_length(lines) :]:
        reader.read(line)
    return [block for block in reader.blocks if block.lines]


def _front_matter_length(lines: list[Line]) -> int:
    """Return the number of lines of YAML front matter at the beginning, or 0."""
    if len(lines) < 3 or lines[0].text.rstrip() != "---" or not _KEY.match(lines[1].text):
        return 0
    closing = (i for i, line in enumerate(lines) if i and line.text.rstrip() in {"---", "..."})
    return next(closing, -1) + 1


class _BlockReader:
    """Sorts lines into blocks, one after the other."""

    def __init__(self) -> None:
        self.blocks: list[TextBlock] = []
        self._open: TextBlock | None = None
        self._fence = ""
        self._list: TextBlock | None = None  # a list that code inside an item interrupted
        self._after_blank = True
        self._headings: list[tuple[int, str]] = []  # level and title, outermost first
        self._readers = (self._read_structure, self._read_row, self._read_item, self._read_field)

    def read(self, line: Line) -> None:
        if self._fence:
            self._read_code(line)
        elif fence := _FENCE.match(line.text):
            self._open_fence(line, fence[1])
        elif line.is_blank:
            self._read_blank(line)
        elif not any(read(line) for read in self._readers):
            self._read_prose(line)
        self._after_blank = line.is_blank

    def _start(self, kind: BlockKind, *lines: Line) -> TextBlock:
        headings = tuple(title for _, title in self._headings)
        self._open = TextBlock(kind, len(self.blocks), list(lines), headings=headings)
        self.blocks.append(self._open)
        return self._open

    def _close(self) -> None:
        self._open = None
        self._list = None

    def _open_fence(self, line: Line, fence: str) -> None:
        inside_list = line.indent > 1 and self._current_list()
        self._start("code")
        self._list = inside_list or None
        self._fence = fence

    def _read_code(self, line: Line) -> None:
        fence = line.text.strip()
        if fence.startswith(self._fence) and not fence.strip(self._fence[0]):
            self._fence = ""
            self._open = self._list
        elif self._open:
            self._open.lines.append(line)

    def _current_list(self) -> TextBlock | None:
        return self._open if self._open and self._open.kind == "list" else self._list

    def _read_blank(self, line: Line) -> None:
        block = self._open
        if block is None or block.kind in {"list", "fields"}:
            return
        waits_for_answer = block.kind == "pair" and not _has_answer(block)
        if block.kind == "code" or waits_for_answer:
            block.lines.append(line)
        else:
            self._open = None

    def _read_structure(self, line: Line) -> bool:
        """Take headings, rules, callout titles and the marks of questions and answers."""
        block = self._open
        if block and block.kind in {"prose", "list", "table"} and line.depth > _depth(block):
            self._close()
            block = None
        if block and block.kind == "prose" and _UNDERLINE.match(line.text):
            if len(block.lines) == 1:
                level = 1 if "=" in line.text else 2
                self._enter_heading(level, block.lines.pop().text)
            self._close()
            return True
        heading = _HEADING.match(line.text)
        if heading or _RULE.match(line.text):
            self._close()
            if heading:
                self._enter_heading(len(heading["marks"]), heading["title"] or "")
            return True
        if line.depth and (mark := _CALLOUT.match(line.text)):
            self._close()
            self._start("title", _without_prefix(line, mark.end()))
            self._open = None
            return True
        if _QUESTION.match(line.text):
            self._close()
            self._start("pair", line)
            return True
        return False

    def _enter_heading(self, level: int, title: str) -> None:
        self._headings = [entry for entry in self._headings if entry[0] < level]
        plain = _MARKUP.sub(lambda match: match["page"] or match["label"] or "", title)
        self._headings.append((level, " ".join(plain.split())))

    def _read_row(self, line: Line) -> bool:
        block = self._open
        is_delimiter = "|" in line.text and _DELIMITER_ROW.match(line.text)
        if block and block.kind == "table" and "|" in line.text:
            if is_delimiter and len(block.lines) == 1 and not block.header:
                block.header, block.lines = block.lines, []
            elif not is_delimiter:
                block.lines.append(line)
            return True
        if block and is_delimiter and block.kind == "prose" and "|" in block.lines[-1].text:
            header = block.lines.pop()
            self._start("table").header = [header]
            return True
        if not _ROW.match(line.text):
            return False
        if block is None or block.kind != "table":
            self._close()
            self._start("table")
        if self._open:
            self._open.lines.append(line)
        return True

    def _read_item(self, line: Line) -> bool:
        block = self._current_list()
        if not self._starts_item(line, block):
            return False
        if block is None:
            self._close()
            block = self._start("list")
        self._open, self._list = block, None
        block.starts.append(len(block.lines))
        block.lines.append(line)
        if bare := _BARE_NUMBER.match(line.text):
            block.last_number = int(bare[1])
        return True

    def _starts_item(self, line: Line, block: TextBlock | None) -> bool:
        if _BULLET.match(line.text):
            return True
        mark = _NUMBERED.match(line.text)
        if not mark:
            return self._starts_bare_item(line, block)
        number = mark["number"] or mark["wide"]
        interrupts = self._open is not None and self._open.kind == "prose" and block is None
        if not interrupts or number is None or int(number) == 1:
            return True
        before = self._open.lines if self._open else []
        widest = max(len(other.text) for other in before)
        return before[-1].text.rstrip().endswith((":", "：")) or ends_on_purpose(
            before[-1].text, line.text, widest=widest
        )

    def _starts_bare_item(self, line: Line, block: TextBlock | None) -> bool:
        """Whether a number without a dot goes on with a list, or begins one after a colon."""
        bare = _BARE_NUMBER.match(line.text)
        if not bare:
            return False
        if block and block.last_number:
            return int(bare[1]) == block.last_number + 1
        before = self._open.lines[-1].text.rstrip() if self._open and self._open.lines else ""
        return int(bare[1]) == 1 and before.endswith((":", "："))

    def _read_field(self, line: Line) -> bool:
        block = self._open
        is_inside = block and (block.kind == "pair" or (block.kind == "list" and line.indent > 1))
        if is_inside or not _FIELD.match(line.text):
            return False
        if block is None or block.kind != "fields":
            self._close()
            block = self._start("fields")
        block.starts.append(len(block.lines))
        block.lines.append(line)
        return True

    def _read_prose(self, line: Line) -> None:
        block = self._open or self._list
        if block and block.kind in {"list", "fields"}:
            if not self._ends_items(block, line):
                self._open, self._list = block, None
                block.lines.append(line)
                return
            self._close()
            block = None
        if block and (block.kind in {"prose", "pair"} or self._is_code(block, line)):
            block.lines.append(line)
            return
        self._close()
        is_code = self._after_blank and line.indent >= _CODE_INDENT and not line.depth
        self._start("code" if is_code else "prose", line)

    def _ends_items(self, block: TextBlock, line: Line) -> bool:
        """Whether a line without a mark no longer belongs to the list that is open."""
        last = block.lines[-1].text
        if self._after_blank:
            ends = block.kind == "fields" or line.indent <= 1
        else:
            ends = ends_on_purpose(last, line.text, widest=len(line.text))
        is_numbered_line = len(block.lines) == 1 and _NUMBERED.match(last)
        if ends and is_numbered_line and not last.rstrip().endswith(SENTENCE_END):
            block.kind = "title"  # a numbered heading on a page without marks
        return ends

    def _is_code(self, block: TextBlock, line: Line) -> bool:
        return block.kind == "code" and line.indent >= _CODE_INDENT


def ends_on_purpose(text: str, following: str, *, widest: int) -> bool:
    """Whether a line was ended for its sense: it is short, and the next one starts anew.

    Args:
        text: The line.
        following: The next line.
        widest: Characters of the widest line around.
    """
    stripped = text.strip()
    if widest < _FULL_WIDTH or len(stripped) >= _SHORT_SHARE * widest:
        return False
    if stripped.endswith(SENTENCE_END):
        return True
    starts_anew = not following.lstrip()[:1].islower()
    return starts_anew and not stripped.endswith((",", "，", "、", "-"))


def _depth(block: TextBlock) -> int:
    lines = block.lines or block.header
    return lines[0].depth if lines else 0


def _has_answer(block: TextBlock) -> bool:
    return any(_ANSWER.match(line.text) for line in block.lines)


def _without_prefix(line: Line, width: int) -> Line:
    return Line(line.start, " " * width + line.text[width:], line.depth, line.indent)
