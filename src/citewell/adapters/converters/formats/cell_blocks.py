"""Cells of a grid to Markdown: captions as lines, the rest as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from citewell.adapters.converters.formats.markdown_output import escape_cell, markdown_table

Row = Mapping[int, str]
"""Cells of a row: column from 0 and what is shown; empty cells may be missing."""


def split_blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield the runs of rows between empty ones, without their empty cells."""
    block: list[Row] = []
    for row in rows:
        filled = {column: cell for column, cell in row.items() if cell.strip()}
        if filled:
            block.append(filled)
        elif block:
            yield block
            block = []
    if block:
        yield block


def block_to_markdown(rows: Sequence[Row]) -> str:
    """Return leading rows of one cell as lines (captions), then the rest as one table.

    Its first row is the header; columns that are empty throughout are left out.

    Args:
        rows: Without empty cells.
    """
    n_captions = 0
    while n_captions < len(rows) and len(rows[n_captions]) == 1:
        n_captions += 1
    captions = [escape_cell(cell) for row in rows[:n_captions] for cell in row.values()]
    table = rows[n_captions:]
    columns = sorted({column for row in table for column in row})
    text = markdown_table([[row.get(column, "") for column in columns] for row in table])
    return "\n\n".join(filter(None, ["\n".join(captions), text]))
