"""PDF to text with its pages, in pdfium's reading order."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

from citewell.adapters.converters.formats.number_ranges import describe_ranges
from citewell.adapters.converters.formats.pdf_lines import Line, join_lines, rejoin_words
from citewell.adapters.converters.formats.titles import is_sensible_title
from citewell.domain.document import ConvertedDocument, PageSpan
from citewell.domain.errors import ConversionError, ProtectedDocumentError

_PAGE_SEPARATOR = "\n\n"


@cache
def _converter_name() -> str:
    return f"pdf-1 pypdfium2-{version('pypdfium2')}"


def convert_pdf(data: bytes) -> ConvertedDocument:
    """Return the text of all pages, joined by a blank line, with one span per page.

    Lines are those of the page, a table row is one line, paragraphs are separated by a blank
    line where the distance of the lines shows it. A page without a text layer has an empty span
    and is named in the notes; if that is every page, the text is empty.

    Raises:
        ProtectedDocumentError: A password is needed.
        ConversionError: The file is damaged beyond reading.
    """
    document = _open(data)
    try:
        title: str = document.get_metadata_value("Title")
        texts: list[str] = []
        unreadable: list[int] = []
        for number, text in enumerate(_read_pages(document), 1):
            if text is None:
                unreadable.append(number)
            texts.append(text or "")
    finally:
        document.close()
    if not texts:
        raise ConversionError("the PDF has no pages; it is damaged")
    text, pages = _join_pages(rejoin_words(texts))
    return ConvertedDocument(
        text=text,
        syntax="plain",
        title=title if is_sensible_title(title) else "",
        pages=pages,
        notes=_notes(pages, unreadable),
        converter=_converter_name(),
    )


def _open(data: bytes) -> Any:
    helpers: Any = import_module("pypdfium2")
    pdfium: Any = import_module("pypdfium2.raw")
    try:
        return helpers.PdfDocument(data)
    except helpers.PdfiumError as error:
        if error.err_code in {pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY}:
            raise ProtectedDocumentError("the PDF needs a password") from error
        if b"/Encrypt" in data:
            message = "the PDF is encrypted by a method that cannot be read"
            raise ProtectedDocumentError(message) from error
        raise ConversionError("the PDF is damaged: its structure cannot be read") from error


def _read_pages(document: Any) -> Iterator[str | None]:
    """Yield the text of each page; None for one that cannot be loaded.

    The raw functions of pdfium are called for speed: per page this adds a twentieth to the time
    that pdfium itself takes.
    """
    pdfium: Any = import_module("pypdfium2.raw")
    for index in range(len(document)):
        page = pdfium.FPDF_LoadPage(document, index)
        if not page:
            yield None
            continue
        text_page = pdfium.FPDFText_LoadPage(page)
        if text_page:
            yield join_lines(_lines(pdfium, text_page))
            pdfium.FPDFText_ClosePage(text_page)
        else:
            yield None
        pdfium.FPDF_ClosePage(page)


def _lines(pdfium: Any, text_page: object) -> list[Line]:
    """Return the lines of a page with the place of their first character."""
    n_characters = pdfium.FPDFText_CountChars(text_page)
    if n_characters <= 0:
        return []
    buffer = (ctypes.c_ushort * (n_characters + 1))()
    n_units = pdfium.FPDFText_GetText(text_page, 0, n_characters, buffer)
    text = bytes(buffer)[: 2 * max(0, n_units - 1)].decode("utf-16-le", "replace")
    x, y = ctypes.c_double(), ctypes.c_double()
    x_place, y_place = ctypes.byref(x), ctypes.byref(y)
    is_narrow = len(text) == n_units - 1  # else some characters take two units
    lines: list[Line] = []
    unit = 0
    for line in text.split("\r\n"):
        character = pdfium.FPDFText_GetCharIndexFromTextIndex(text_page, unit)
        if pdfium.FPDFText_GetCharOrigin(text_page, character, x_place, y_place):
            lines.append(Line(line, x.value, y.value))
        else:
            lines.append(Line(line, None, None))
        unit += 2 + (len(line) if is_narrow else len(line.encode("utf-16-le")) // 2)
    return lines


def _join_pages(texts: Sequence[str]) -> tuple[str, tuple[PageSpan, ...]]:
    parts: list[str] = []
    pages: list[PageSpan] = []
    position = 0
    for number, text in enumerate(texts, 1):
        if text and position:
            parts.append(_PAGE_SEPARATOR)
            position += len(_PAGE_SEPARATOR)
        parts.append(text)
        pages.append(PageSpan(number, position, position + len(text)))
        position += len(text)
    return "".join(parts), tuple(pages)


def _notes(pages: Sequence[PageSpan], unreadable: Sequence[int]) -> tuple[str, ...]:
    without_text = [
        page.number for page in pages if page.start == page.end and page.number not in unreadable
    ]
    notes: list[str] = []
    if without_text:
        notes.append(f"no text on {describe_ranges('page', without_text)}")
    if unreadable:
        notes.append(f"{describe_ranges('page', unreadable)} could not be read")
    return tuple(notes)
