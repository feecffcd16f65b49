"""Telling wrapped prose from table rows and headings in the lines of typeset pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citewell.answering.quoting.blocks import SENTENCE_END, Line, ends_on_purpose

_NUMBER = re.compile(r"[-–(]?[$€£¥₹]?[-–(]?\d(?:[\d.,:/]*\d)?(?:%|\)%?)?\Z|[-–—]\Z")
_SIGN = re.compile(r"[$€£¥₹%()]+\Z|[A-Z]{3}\Z")
_YEAR = re.compile(r"(?:19|20)\d\d\Z|Q[1-4]\Z|FY\d{2,4}\Z")
_MIN_NUMBERS = 2
_NUMBER_SHARE = 0.5
"""Share of a line's words that are numbers from which on it is a row; also if its last two are."""


@dataclass(frozen=True, slots=True)
class LineRun:
    """Lines of a paragraph that are read together.

    Attributes:
        lines: At least one; exactly one for a row.
        is_row: Whether it is a row of a table without marks.
        header: Column names above a row, a line of years among them, or "".
    """

    lines: list[Line]
    is_row: bool
    header: str


def split_typeset_lines(lines: list[Line]) -> list[LineRun]:
    """Return the lines of a paragraph as runs of prose and single table rows.

    Pages of a PDF come as lines without any mark of headings, paragraphs and tables. A line of
    mostly numbers, or that ends with several, is a row; a line that is much shorter than the
    widest and is followed by a capital or a digit ends what it belongs to. A line of years above
    rows, and a lone line without an end mark, are their column names and left out.
    """
    runs: list[LineRun] = []
    years = names = ""
    for run in _runs(lines):
        text = run.lines[0].text.strip()
        if not run.is_row:
            runs.append(run)
        elif _is_header(text):
            years, names = text, _take_names(runs) or names
        else:
            names = _take_names(runs) or names
            header = "\n".join(part for part in (names, years) if part)
            runs.append(LineRun(run.lines, is_row=True, header=header))
    return runs


def _runs(lines: list[Line]) -> Iterator[LineRun]:
    """Yield runs of prose, and rows one by one, without headers."""
    widest = max(len(line.text) for line in lines)
    prose: list[Line] = []
    for line, following in zip(lines, [*lines[1:], None], strict=True):
        if len(lines) > 1 and _is_row(line.text):
            yield LineRun([line], is_row=True, header="")
            continue
        prose.append(line)
        if following is None or _ends_run(line.text, following.text, widest):
            yield LineRun(prose, is_row=False, header="")
            prose = []


def _take_names(runs: list[LineRun]) -> str:
    """Remove and return the line just above a table that is no sentence, or ""."""
    if not runs or runs[-1].is_row or len(runs[-1].lines) > 1:
        return ""
    text = runs[-1].lines[0].text.strip()
    if text.endswith(SENTENCE_END):
        return ""
    runs.pop()
    return text


def _is_row(text: str) -> bool:
    words = [word for word in text.split() if not _SIGN.match(word)]
    are_numbers = [bool(_NUMBER.match(word)) for word in words]
    n_numbers = sum(are_numbers)
    if n_numbers < _MIN_NUMBERS:
        return False
    return all(are_numbers[-_MIN_NUMBERS:]) or n_numbers >= _NUMBER_SHARE * len(words)


def _is_header(text: str) -> bool:
    """Whether all numbers of a row are years or quarters."""
    numbers = [word for word in text.split() if _NUMBER.match(word) or _YEAR.match(word)]
    return bool(numbers) and all(_YEAR.match(word) for word in numbers)


def _ends_run(text: str, following: str, widest: int) -> bool:
    return _is_row(following) or ends_on_purpose(text, following, widest=widest)
