"""Reading original files again, with code of its own, to check citations.

Nothing here uses the converters: a fault in them must not hide itself.
"""

from __future__ import annotations

import re
import unicodedata
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_ATX = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r"\s*(```|~~~)")
_LINK = re.compile(r"!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]|!?\[([^\]]*)\]\([^)]*\)")
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a file under one heading, or one page.

    Attributes:
        headings: Headings above it, outermost first; for a workbook the name of the sheet.
        page: From 1, or None.
        text: Its words.
    """

    headings: tuple[str, ...]
    page: int | None
    text: str


def reopen(path: Path) -> list[Section]:
    """Return the sections of an original file, in order."""
    suffix = path.suffix.lower()
    if suffix == ".pdf":
        return _pdf_sections(path)
    if suffix == ".docx":
        return _word_sections(path)
    if suffix == ".xlsx":
        return _workbook_sections(path)
    return list(_markdown_sections(path.read_text(encoding="utf-8")))


def letters(text: str) -> str:
    """Return the letters and digits of a text: what is left when markup and spacing differ."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())


def _pdf_sections(path: Path) -> list[Section]:
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs] - it has none

    with pypdfium2.PdfDocument(path) as document:
        return [
            Section((), number, page.get_textpage().get_text_range())
            for number, page in enumerate(document, 1)
        ]


def _markdown_sections(text: str) -> Iterator[Section]:
    stack: list[tuple[int, str]] = []
    lines: list[str] = []
    fenced = False
    for line in text.splitlines():
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _ATX.match(line)
        if heading:
            yield Section(tuple(title for _, title in stack), None, "\n".join(lines))
            lines = []
            level = len(heading[1])
            stack = [*(entry for entry in stack if entry[0] < level), (level, _title(heading[2]))]
        lines.append(line)
    yield Section(tuple(title for _, title in stack), None, "\n".join(lines))


def _title(markup: str) -> str:
    plain = _LINK.sub(lambda match: match[1] or match[2] or "", markup)
    return re.sub(r"[*_`~]", "", plain).strip()


def _word_sections(path: Path) -> list[Section]:
    with zipfile.ZipFile(path) as archive:
        body = _parse(archive, "word/document.xml")[0]
    sections: list[Section] = []
    stack: list[tuple[int, str]] = []
    lines: list[str] = []
    for block in body:
        text = "".join(node.text or "" for node in block.iter(f"{_WORD}t"))
        level = _word_level(block)
        if level:
            sections.append(Section(tuple(title for _, title in stack), None, "\n".join(lines)))
            lines = []
            stack = [*(entry for entry in stack if entry[0] < level), (level, text.strip())]
        lines.append(text)
    sections.append(Section(tuple(title for _, title in stack), None, "\n".join(lines)))
    return sections


def _word_level(block: Element) -> int:
    style = block.find(f"{_WORD}pPr/{_WORD}pStyle")
    name = "" if style is None else style.get(f"{_WORD}val", "")
    match = re.fullmatch(r"(?i)heading\s?(\d)|(title)", name)
    return 0 if match is None else int(match[1] or 1)


def _workbook_sections(path: Path) -> list[Section]:
    with zipfile.ZipFile(path) as archive:
        shared: list[str] = []
        if "xl/sharedStrings.xml" in archive.namelist():
            shared = ["".join(n.itertext()) for n in _parse(archive, "xl/sharedStrings.xml")]
        targets = {
            node.get("Id"): node.get("Target", "")
            for node in _parse(archive, "xl/_rels/workbook.xml.rels")
        }
        sheets = _parse(archive, "xl/workbook.xml").iter(f"{_SHEET}sheet")
        return [
            Section(
                (sheet.get("name", ""),),
                None,
                _sheet_text(_parse(archive, _inside(targets[sheet.get(_RELATION)])), shared),
            )
            for sheet in sheets
        ]


def _inside(target: str) -> str:
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _sheet_text(sheet: Element, shared: Sequence[str]) -> str:
    rows = [
        " ".join(_cell_text(cell, shared) for cell in row) for row in sheet.iter(f"{_SHEET}row")
    ]
    return "\n".join(rows)


def _cell_text(cell: Element, shared: Sequence[str]) -> str:
    if cell.get("t") == "inlineStr":
        return "".join(cell.itertext())
    value = cell.findtext(f"{_SHEET}v", "")
    return shared[int(value)] if cell.get("t") == "s" else value


def _parse(archive: zipfile.ZipFile, member: str) -> Element:
    from defusedxml.ElementTree import fromstring

    return fromstring(archive.read(member))
