"""Cutting a chunk into what can be quoted: sentences, list items, table rows, code blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from citewell.answering.quoting.blocks import Line, TextBlock, mask_quote_marks, read_blocks
from citewell.answering.quoting.sentences import cut_at_clauses, sentence_spans, trim
from citewell.answering.quoting.typeset_lines import split_typeset_lines

if TYPE_CHECKING:
    from citewell.domain.document import Span

UnitKind = Literal["sentence", "item", "field", "row", "code", "title", "pair"]

MAX_ITEM = 800
"""Characters of a list item, or of a question with its answer, up to which it stays whole."""
MAX_CODE = 900
"""Characters of a code block up to which it stays whole."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest part of a chunk that is quoted alone.

    Attributes:
        start: First character in the chunk's content.
        end: One past the last.
        kind: What it is. A `title` names what is below it, such as a callout; a `pair` is a
            question with its answer, or with the beginning of a long one; a `field` is a sentence
            of paragraphs that begin with a label in bold.
        header: Column names above a table row, or "".
        block: Number of the paragraph, list, table or code block in the chunk, from 0. Numbers of
            neighbouring blocks may differ by more than 1.
        headings: Headings inside the chunk's content that the unit stands under, outermost first.
    """

    start: int
    end: int
    kind: UnitKind
    header: str
    block: int
    headings: tuple[str, ...] = ()


def quotable_units(content: str) -> list[Unit]:
    """Return the units of a chunk's content, in order, without headings, rules and column names.

    Units do not overlap. Each starts and ends at a character that is not white space, and starts
    after the marks of a block quote, but before those of a list.
    """
    masked, lines = mask_quote_marks(content)
    units = [
        replace(unit, headings=block.headings) if block.headings else unit
        for block in read_blocks(lines)
        for unit in _units_of(masked, block)
        if unit.start < unit.end
    ]
    return sorted(units, key=lambda unit: unit.start)


def _units_of(masked: str, block: TextBlock) -> Iterator[Unit]:
    match block.kind:
        case "table":
            yield from _rows(masked, block)
        case "list":
            yield from _items(masked, block)
        case "fields":
            yield from _fields(masked, block)
        case "code":
            yield from _code(masked, block)
        case "pair":
            yield from _pair(masked, block)
        case "title":
            yield Unit(*_title(block.lines[0]), "title", "", block.number)
        case "prose":
            yield from _prose(masked, block)


def _trimmed(masked: str, lines: list[Line]) -> Span:
    return trim(masked, (lines[0].start, lines[-1].end))


def _title(line: Line) -> Span:
    start, end = trim(line.text, (0, len(line.text)))
    return line.start + start, line.start + end


def _rows(masked: str, block: TextBlock) -> Iterator[Unit]:
    header = "\n".join(line.text.strip() for line in block.header)
    for line in block.lines:
        if any(c.isalnum() for c in line.text):
            yield Unit(*_trimmed(masked, [line]), "row", header, block.number)


def _items(masked: str, block: TextBlock) -> Iterator[Unit]:
    ends = [*block.starts[1:], len(block.lines)]
    for first, end in zip(block.starts, ends, strict=True):
        for lines in _without_gaps(block.lines[first:end]):
            span = _trimmed(masked, lines)
            for piece in _sentences_if_long(masked, span):
                yield Unit(*piece, "item", "", block.number)


def _fields(masked: str, block: TextBlock) -> Iterator[Unit]:
    ends = [*block.starts[1:], len(block.lines)]
    for first, end in zip(block.starts, ends, strict=True):
        start, stop = _trimmed(masked, block.lines[first:end])
        for piece in _shifted(sentence_spans(masked[start:stop]), start):
            yield Unit(*piece, "field", "", block.number)


def _without_gaps(lines: list[Line]) -> Iterator[list[Line]]:
    """Yield an item's lines in runs between which code or another block stands."""
    run: list[Line] = []
    for line in lines:
        if run and line.start > run[-1].end + 2:
            yield run
            run = []
        run.append(line)
    yield run


def _sentences_if_long(masked: str, span: Span) -> list[Span]:
    if span[1] - span[0] <= MAX_ITEM:
        return [span]
    return _shifted(sentence_spans(masked[span[0] : span[1]]), span[0])


def _shifted(spans: list[Span], by: int) -> list[Span]:
    return [(start + by, end + by) for start, end in spans]


def _code(masked: str, block: TextBlock) -> Iterator[Unit]:
    """Yield the code between its fences, a long one in pieces of whole lines."""
    piece: list[Line] = []
    for line in block.lines:
        if piece and line.end - piece[0].start > MAX_CODE:
            yield Unit(*_trimmed(masked, piece), "code", "", block.number)
            piece = []
        piece.append(line)
    if piece:
        yield Unit(*_trimmed(masked, piece), "code", "", block.number)


def _pair(masked: str, block: TextBlock) -> Iterator[Unit]:
    start, end = _trimmed(masked, block.lines)
    if end - start <= MAX_ITEM:
        yield Unit(start, end, "pair", "", block.number)
        return
    spans = _shifted(sentence_spans(masked[start:end]), start)
    together = next((i for i, span in enumerate(spans) if span[1] - start > MAX_ITEM // 2), 1)
    yield Unit(start, spans[max(together - 1, 0)][1], "pair", "", block.number)
    for span in spans[max(together, 1) :]:
        yield Unit(*span, "sentence", "", block.number)


def _prose(masked: str, block: TextBlock) -> Iterator[Unit]:
    for run in split_typeset_lines(block.lines):
        span = (run.lines[0].start, run.lines[-1].end)
        if run.is_row:
            for piece in cut_at_clauses(masked, span):
                yield Unit(*piece, "row", run.header, block.number)
        else:
            for piece in _shifted(sentence_spans(masked[span[0] : span[1]]), span[0]):
                yield Unit(*piece, "sentence", "", block.number)
