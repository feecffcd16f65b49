"""Write Markdown: tables from rows, and what converters give made harmless."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_BLANKS = re.compile(r"\s+")
_IMAGE = re.compile(r"!\[([^\[\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"\n]*\")?\)")
_UNSAFE_LINK = re.compile(
    r"\[([^\[\]\n]*)\]\(\s*(?:data|javascript|vbscript|file):(?:[^()\s]|\([^()\s]*\))*"
    r"(?:\s+\"[^\"\n]*\")?\s*\)",
    re.IGNORECASE,
)
_DATA_URI = re.compile(
    r"data:[\w.+-]+/[\w.+-]+(?:;[\w=.+-]+)*,[A-Za-z0-9+/=%._~-]*(?:\.\.\.)?", re.IGNORECASE
)
_MANY_LINE_ENDS = re.compile(r"\n{3,}")


def markdown_table(rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first row is the header; short rows are filled, cells kept on a line."""
    cells = [[escape_cell(cell) for cell in row] for row in rows]
    width = max((len(row) for row in cells), default=0)
    if not width:
        return ""
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in cells]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


def escape_cell(cell: str) -> str:
    """Return the content of a table cell on one line."""
    return _BLANKS.sub(" ", cell).strip().replace("|", "\\|")


def tidy_markdown(markdown: str) -> str:
    """Return Markdown without pictures (their description stays), data and script links."""
    markdown = _IMAGE.sub(r"\1", markdown)
    markdown = _UNSAFE_LINK.sub(r"\1", markdown)
    if "data:" in markdown:
        markdown = _DATA_URI.sub("", markdown)
    lines = "\n".join(line.rstrip() for line in markdown.split("\n"))
    return _MANY_LINE_ENDS.sub("\n\n", lines).strip("\n")
