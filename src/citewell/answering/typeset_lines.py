"""Telling wrapped prose from table rows and headings in the lines of typeset pages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.answering.blocks import Line

_NUMBER = re.compile(r"[-–(]?[$€£¥₹]?[-–(]?\d(?:[\d.,:/]*\d)?(?:%|\)%?)?\Z|[-–—]\Z")
_SIGN = re.compile(r"[$€£¥₹%()]+\Z")
_YEAR = re.compile(r"(?:19|20)\d\d\Z|Q[1-4]\Z|FY\d{2,4}\Z")
_SENTENCE_END = (".", "!", "?", "。", "！", "？", "。”", ":", "：")

_MIN_NUMBERS = 2
_NUMBER_SHARE = 0.5
"""Share of a line's words that are numbers from which on it is a row; also if its last two are."""
_FULL_WIDTH = 40
"""Characters of the widest line from which on lines count as wrapped."""
_SHORT_SHARE = 0.6
"""Share of the widest line below which a line was ended on purpose, not for lack of room."""


@dataclass(frozen=True, slots=True)
class LineRun:
    """Lines of a paragraph that are read together.

    Attributes:
        lines: At least one; exactly one for a row.
        is_row: Whether it is a row of a table without marks.
        header: The line of years above a row, or "".
    """

    lines: list[Line]
    is_row: bool
    header: str


def split_typeset_lines(lines: list[Line]) -> list[LineRun]:
    """Return the lines of a paragraph as runs of prose and single table rows.

    Pages of a PDF come as lines without any mark of headings, paragraphs and tables. A line of
    mostly numbers, or that ends with several, is a row; a line that is much shorter than the
    widest and is followed by a capital or a digit ends what it belongs to.
    """
    if len(lines) == 1:
        return [LineRun(lines, is_row=False, header="")]
    runs: list[LineRun] = []
    prose: list[Line] = []
    header = ""
    widest = max(len(line.text) for line in lines)
    for i, line in enumerate(lines):
        following = lines[i + 1] if i + 1 < len(lines) else None
        if _is_row(line.text):
            if prose:
                runs.append(LineRun(prose, is_row=False, header=""))
                prose = []
            if _is_header(line.text) and following and _is_row(following.text):
                header = line.text.strip()
            else:
                runs.append(LineRun([line], is_row=True, header=header))
            continue
        prose.append(line)
        if following is None or _ends_run(line.text, following.text, widest):
            runs.append(LineRun(prose, is_row=False, header=""))
            prose = []
    return runs


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
    if _is_row(following):
        return True
    stripped = text.strip()
    if widest < _FULL_WIDTH or len(stripped) >= _SHORT_SHARE * widest:
        return False
    first = following.lstrip()[:1]
    starts_anew = not first.islower() and not stripped.endswith((",", "，", "、", "-"))
    return starts_anew or stripped.endswith(_SENTENCE_END)
