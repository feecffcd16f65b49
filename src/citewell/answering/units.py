"""Cutting a chunk into what can be quoted: sentences, list items, table rows, code blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

UnitKind = Literal["sentence", "item", "row", "code"]

_HEADING = re.compile(r" {0,3}#{1,6}\s")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-*+•]|\d{1,3}[.)、])\s+\S")
_ROW = re.compile(r"\s*\|.*\|\s*$")
_RULE = re.compile(r"\s*\|?[\s:|-]+\|?\s*$")
_FENCE = re.compile(r"\s*(```|~~~)")
_CALLOUT = re.compile(r"\s*>\s*\[![\w-]+\][+-]?\s*")


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest part of a chunk that is quoted alone.

    Attributes:
        start: First character in the chunk's content.
        end: One past the last.
        kind: What it is.
        header: Column names above a table row, or "".
        block: Number of the paragraph, list, table or code block in the chunk, from 0.
    """

    start: int
    end: int
    kind: UnitKind
    header: str
    block: int


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def quotable_units(content: str) -> list[Unit]:
    """Return the units of a chunk's content, in order, without headings and rules.

    Every unit starts and ends at a character that is not white space.
    """
    units: list[Unit] = []
    for number, block in enumerate(_blocks(_lines(content))):
        units += [unit for unit in _units_of(content, block, number) if unit.end > unit.start]
    return units


def _lines(content: str) -> list[_Line]:
    lines: list[_Line] = []
    position = 0
    for text in content.split("\n"):
        lines.append(_Line(position, text))
        position += len(text) + 1
    return lines


def _blocks(lines: list[_Line]) -> Iterator[list[_Line]]:
    """Yield runs of lines that belong together: split at blank lines, headings and kinds."""
    block: list[_Line] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line.text)
        if fence:
            block.append(line)
            if mark and mark[1] == fence:
                fence = ""
                yield block
                block = []
            continue
        splits = not line.text.strip() or _HEADING.match(line.text)
        if block and (splits or mark or _kind(line) != _kind(block[0])):
            if not _continues_item(line, block) or splits or mark:
                yield block
                block = []
        if mark:
            fence = mark[1]
        if not splits:
            block.append(line)
    if block:
        yield block


def _kind(line: _Line) -> UnitKind:
    if _ROW.match(line.text):
        return "row"
    return "item" if _ITEM.match(line.text) else "sentence"


def _continues_item(line: _Line, block: list[_Line]) -> bool:
    return _kind(block[0]) == "item" and _kind(line) == "sentence"


def _units_of(content: str, block: list[_Line], number: int) -> Iterator[Unit]:
    if _FENCE.match(block[0].text):
        yield _trimmed(content, Unit(block[0].start, block[-1].end, "code", "", number))
        return
    kind = _kind(block[0])
    if kind == "row":
        yield from _rows(content, block, number)
    elif kind == "item":
        yield from _items(content, block, number)
    else:
        yield from _sentences(content, block, number)


def _rows(content: str, block: list[_Line], number: int) -> Iterator[Unit]:
    header = ""
    rows = block
    if len(block) > 1 and _RULE.match(block[1].text):
        header = block[0].text.strip()
        rows = block[2:]
    for line in rows:
        if not _RULE.match(line.text):
            yield _trimmed(content, Unit(line.start, line.end, "row", header, number))


def _items(content: str, block: list[_Line], number: int) -> Iterator[Unit]:
    starts = [line for line in block if _ITEM.match(line.text)]
    for line, following in zip(starts, [*starts[1:], None], strict=True):
        end = following.start if following else block[-1].end
        yield _trimmed(content, Unit(line.start, end, "item", "", number))


def _sentences(content: str, block: list[_Line], number: int) -> Iterator[Unit]:
    from sentencex import get_sentence_boundaries

    start = block[0].start
    if callout := _CALLOUT.match(block[0].text):
        start += callout.end()
    text = content[start : block[-1].end]
    position = 0
    for boundary in get_sentence_boundaries("en", text):
        sentence = boundary["text"].strip()
        found = text.find(sentence, position) if sentence else -1
        if found < 0:
            continue
        position = found + len(sentence)
        yield _trimmed(content, Unit(start + found, start + position, "sentence", "", number))


def _trimmed(content: str, unit: Unit) -> Unit:
    text = content[unit.start : unit.end]
    start = unit.start + len(text) - len(text.lstrip())
    return replace(unit, start=start, end=max(start, unit.start + len(text.rstrip())))
