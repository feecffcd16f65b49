"""What a table is about, without its figures."""

from __future__ import annotations

import re

_FIGURE = r"(?:[-+–—−$€£¥%)(*~]*[0-9][0-9.,]*[)%*]*|[-+–—−$€£¥%)(*]+|[nN]/?[aAmM])"
_GAP = r"[ \t|]+"
_FIGURES_AT_THE_END = re.compile(
    rf"({_GAP}|^)({_FIGURE}(?:{_GAP}{_FIGURE})+)[ \t|]*$", re.MULTILINE
)
_NUMBER = re.compile(r"[0-9][0-9.,]*")
_SPACED_THOUSANDS = re.compile(r"[^0-9]*[0-9]{1,3}[ \t][0-9]{3}\Z")
_YEAR = re.compile(r"(?<![0-9.,])(?:19|20)[0-9]{2}(?![0-9]|[.,][0-9])")
_LETTER = re.compile(r"[^\W\d_]")


def leave_out_table_figures(text: str) -> str:
    """Return a text without the figures that end the rows of its tables.

    Two or more figures at the end of a line are cells of a row, whether the table is drawn with
    bars or set with spaces. Years stay, as they head columns; so does a lone number, since prose
    may end a line with one. A text of nothing but figures stays as it is.
    """
    thinned = _FIGURES_AT_THE_END.sub(_only_years, text)
    return thinned if _LETTER.search(thinned) else text


def _only_years(match: re.Match[str]) -> str:
    gap, figures = match.groups()
    if len(_NUMBER.findall(figures)) < 2 or _SPACED_THOUSANDS.match(figures):
        return match.group()
    years = " ".join(_YEAR.findall(figures))
    return gap + years if years else ""
