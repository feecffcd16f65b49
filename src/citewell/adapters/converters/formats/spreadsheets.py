"""Spreadsheets to Markdown: one section per sheet, one table per block of cells."""

from __future__ import annotations

import datetime
import io
import warnings
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Any, Literal

from citewell.adapters.converters.formats.cell_blocks import Row, block_to_markdown, split_blocks
from citewell.adapters.converters.formats.markdown_output import escape_cell
from citewell.adapters.converters.formats.package import embedded_note
from citewell.domain.document import ConvertedDocument
from citewell.domain.errors import ConversionError, ProtectedDocumentError


def convert_xlsx(data: bytes) -> ConvertedDocument:
    """Return a workbook as Markdown; the values that were last computed, not the formulas.

    Rows are streamed and empty cells cost nothing, so that a sheet whose one cell lies at the far
    end of a million rows is read like any other.
    """
    import openpyxl

    sections: list[str] = []
    notes: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            workbook = openpyxl.load_workbook(
                io.BytesIO(data), read_only=True, data_only=True, keep_links=False
            )
            for sheet in workbook.worksheets:
                sheet.reset_dimensions()  # what the file claims is not to be trusted
                sections.append(_section(sheet.title, _xlsx_rows(sheet)))
                if sheet.sheet_state != "visible":
                    notes.append(f"sheet {sheet.title!r} is hidden in the original")
            workbook.close()
        except (MemoryError, RecursionError):
            raise
        except Exception as error:  # openpyxl raises anything on a damaged file
            message = f"the .xlsx file is damaged or unusual ({type(error).__name__})"
            raise ConversionError(message) from error
    return ConvertedDocument(
        "\n\n".join(filter(None, sections)),
        "markdown",
        notes=tuple(filter(None, [*notes, embedded_note(data)])),
        converter=f"xlsx-1 openpyxl-{version('openpyxl')}",
    )


def convert_xls(data: bytes) -> ConvertedDocument:
    """Return an Excel 97 workbook as Markdown.

    Raises:
        ProtectedDocumentError: It needs a password.
        ConversionError: It is damaged.
    """
    import xlrd

    try:
        workbook = xlrd.open_workbook(file_contents=data, logfile=io.StringIO())
        sections = [
            _section(sheet.name, _xls_rows(sheet, workbook.datemode)) for sheet in workbook.sheets()
        ]
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # xlrd raises anything on a damaged file
        if "encrypt" in str(error).lower() or "password" in str(error).lower():
            raise ProtectedDocumentError("the workbook needs a password") from error
        message = f"the .xls file is damaged or unusual ({type(error).__name__})"
        raise ConversionError(message) from error
    return ConvertedDocument(
        "\n\n".join(filter(None, sections)),
        "markdown",
        converter=f"xls-1 xlrd-{version('xlrd')}",
    )


def _xlsx_rows(sheet: Any) -> Iterator[Row]:
    for row in sheet.iter_rows():
        yield {
            cell.column - 1: _show(cell.value, cell.number_format)
            for cell in row
            if cell.value is not None
        }


def _xls_rows(sheet: Any, date_mode: Literal[0, 1]) -> Iterator[Row]:
    import xlrd

    for number in range(sheet.nrows):
        row: dict[int, str] = {}
        for column, cell in enumerate(sheet.row(number)):
            if cell.ctype in {xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK}:
                continue
            row[column] = _show_xls(cell, date_mode)
        yield row


def _show_xls(cell: Any, date_mode: Literal[0, 1]) -> str:
    import xlrd

    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            return _show(xlrd.xldate_as_datetime(cell.value, date_mode), "")
        except (xlrd.xldate.XLDateError, OverflowError, ValueError):
            return _show(cell.value, "")
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return _show(bool(cell.value), "")
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#ERROR"))
    return _show(cell.value, "")


def _show(value: object, number_format: str) -> str:
    """Return a value as a reader of the sheet would write it."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        if "%" in number_format:
            return f"{_number(float(value) * 100)}%"
        return _number(float(value)) if isinstance(value, float) else str(value)
    if isinstance(value, datetime.datetime):
        has_time = value.time() != datetime.time()
        return value.isoformat(" ", "seconds") if has_time else value.date().isoformat()
    return str(value)


def _number(value: float) -> str:
    """Return up to 12 significant digits: what is behind them is noise of binary fractions."""
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.12g}"


def _section(name: str, rows: Iterable[Row]) -> str:
    """Return a heading and the blocks of a sheet, "" if it is empty."""
    blocks = [block_to_markdown(block) for block in split_blocks(rows)]
    return "\n\n".join([f"## {escape_cell(name)}", *blocks]) if blocks else ""
