"""Put the lines of a PDF page together: rows, paragraphs, and words cut at line ends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median_low
from typing import NamedTuple

from citewell.domain.visible_text import unusual_characters

# Distances are in points (1/72 inch).
_SAME_ROW = 1.5
_PARAGRAPH_GAP = 1.3  # times the usual distance of lines
_MIN_LINES_TO_JUDGE = 3

_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st"}
_SYMBOL_FONT_SIGNS = {
    **dict.fromkeys((0xF0B7, 0xF0A7, 0xF076, 0xF0D8, 0xF06E, 0xF0BE), "•"),
    **dict.fromkeys((0xF078, 0xF0FE), "☒"),
    **dict.fromkeys((0xF06F, 0xF0A8), "☐"),
}
_REPLACEMENTS = {
    **_LIGATURES,
    **_SYMBOL_FONT_SIGNS,
    0xA0: " ",
    0x02: "\ufffe",
    **dict.fromkeys(range(0x2000, 0x200B), " "),
}
_TO_REPLACE = re.compile("[\x02\xa0\u2000-\u200a\uf000-\uf0ff\ufb00-\ufb05]")

_CUT = "\ufffe"  # how pdfium writes a hyphen at a line end, the line break dropped
_CUT_WORD = re.compile(r"(\w+)\ufffe(\w+)")


class Line(NamedTuple):
    """A line as pdfium gives it, and where its first character stands.

    Attributes:
        text: Without its end.
        x: Points from the left, or None if unknown.
        y: Baseline in points from the bottom, or None if unknown.
    """

    text: str
    x: float | None
    y: float | None


def join_lines(lines: Sequence[Line]) -> str:
    """Return the text of a page: pieces of one row joined, paragraphs set apart.

    A blank line is put where the distance to the previous line is clearly larger than usual on
    this page, or where the text jumps back up (next column).
    """
    rows = _join_rows([line for line in lines if line.text and not line.text.isspace()])
    if not rows:
        return ""
    gaps = [_gap(before, after) for before, after in pairwise(rows)]
    downward = [gap for gap in gaps if gap is not None and gap > _SAME_ROW]
    usual = median_low(downward) if len(downward) >= _MIN_LINES_TO_JUDGE else None
    parts: list[str] = []
    for row, gap in zip(rows, [None, *gaps], strict=True):
        if parts:
            parts.append("\n\n" if _starts_paragraph(gap, usual) else "\n")
        parts.append(row.text.rstrip())
    text = "".join(parts)
    has_odd_signs = _TO_REPLACE.search(unusual_characters(text))
    return _TO_REPLACE.sub(_replacement, text) if has_odd_signs else text


def _replacement(found: re.Match[str]) -> str:
    return _REPLACEMENTS.get(ord(found.group()), found.group())


def _join_rows(lines: Sequence[Line]) -> list[Line]:
    """Join neighbours on one baseline, the right one after the left: cells of a table row."""
    rows: list[Line] = []
    previous_x: float | None = None
    for line in lines:
        gap = _gap(rows[-1], line) if rows else None
        is_same_row = gap is not None and abs(gap) < _SAME_ROW
        if is_same_row and line.x is not None and previous_x is not None and line.x > previous_x:
            rows[-1] = rows[-1]._replace(text=f"{rows[-1].text.rstrip()} {line.text}")
        else:
            rows.append(line)
        previous_x = line.x
    return rows


def _gap(before: Line, after: Line) -> float | None:
    """Return the distance of two neighbours; a line with cuts in it was several on the page."""
    if before.y is None or after.y is None:
        return None
    return (before.y - after.y) / (1 + before.text.count(_CUT))


def _starts_paragraph(gap: float | None, usual: float | None) -> bool:
    if gap is None or usual is None:
        return False
    return gap > usual * _PARAGRAPH_GAP or gap < -usual


def rejoin_words(texts: Sequence[str]) -> list[str]:
    """Mend words that were cut at line ends.

    Whether the hyphen belongs to the word (`cloud-based`) or only marks the cut (`infor-mation`)
    is taken from the rest of the document: the spelling that occurs elsewhere. Where neither
    does, the document's habit decides; without a habit the hyphen stays.
    """
    if not any(_CUT in text for text in texts):
        return list(texts)
    cuts = [cut.groups() for text in texts if _CUT in text for cut in _CUT_WORD.finditer(text)]
    spellings = {f"{left}{mark}{right}".lower() for left, right in cuts for mark in ("", "-")}
    known = Counter(filter(spellings.__contains__, " ".join(texts).lower().split()))
    habit = sum(_votes_to_close(left, right, known) for left, right in cuts)

    def mend(cut: re.Match[str]) -> str:
        left, right = cut.groups()
        votes = _votes_to_close(left, right, known) or (habit if right.islower() else 0)
        return left + right if votes > 0 else f"{left}-{right}"

    return [
        _CUT_WORD.sub(mend, text).replace(_CUT, "-") if _CUT in text else text for text in texts
    ]


def _votes_to_close(left: str, right: str, known: Counter[str]) -> int:
    """Return 1 if the closed spelling is the more usual, -1 if the hyphenated is, else 0."""
    closed = known[f"{left}{right}".lower()]
    hyphenated = known[f"{left}-{right}".lower()]
    return (closed > hyphenated) - (closed < hyphenated)
