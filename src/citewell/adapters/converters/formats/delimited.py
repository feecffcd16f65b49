"""CSV and TSV to a Markdown table."""

from __future__ import annotations

import csv
import io
import sys

from citewell.adapters.converters.encodings.decode import decode_text
from citewell.adapters.converters.formats.cell_blocks import Row, block_to_markdown
from citewell.adapters.converters.notes import add_notes, removed_note
from citewell.domain.document import ConvertedDocument
from citewell.domain.visible_text import clean_text

_DELIMITERS = ",;\t|"
_SAMPLE_LINES = 50


def convert_delimited(data: bytes) -> ConvertedDocument:
    """Return the rows as a table with the first as header; without columns, the plain text."""
    decoded = decode_text(data)
    text, n_removed = clean_text(decoded.text)
    delimiter = _delimiter(text)
    rows = _rows(text, delimiter) if delimiter else []
    if rows:
        document = ConvertedDocument(block_to_markdown(rows), "markdown", converter="csv-1")
    else:
        document = ConvertedDocument(text, "plain", converter="csv-1")
    return add_notes(document, decoded.note, removed_note(n_removed))


def _rows(text: str, delimiter: str) -> list[Row]:
    """Return the filled cells of all rows that have some."""
    csv.field_size_limit(sys.maxsize)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        rows = [{i: cell for i, cell in enumerate(row) if cell.strip()} for row in reader]
    except csv.Error:
        return []
    return [row for row in rows if row]


def _delimiter(text: str) -> str:
    """Return the sign that cuts the first lines into the same number of columns, or ""."""
    best, best_score = "", 0.0
    sample = "\n".join(text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES])
    for delimiter in _DELIMITERS:
        widths = [max(row) + 1 for row in _rows(sample, delimiter)]
        if not widths or max(widths) < 2:
            continue
        usual = max(set(widths), key=widths.count)
        score = widths.count(usual) / len(widths) * (usual > 1) * min(usual, 10)
        if score > best_score:
            best, best_score = delimiter, score
    return best
