"""OpenDocument text, spreadsheets and presentations to Markdown."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

from citewell.adapters.converters.formats.markdown_output import markdown_table, tidy_markdown
from citewell.adapters.converters.formats.titles import is_sensible_title
from citewell.adapters.converters.formats.xml_text import local_name, parse_xml
from citewell.domain.document import ConvertedDocument
from citewell.domain.errors import ConversionError, ProtectedDocumentError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_SKIPPED = frozenset({"tracked-changes", "annotation", "forms", "sequence-decls", "scripts"})
_MAX_REPEAT = 100
_MAX_SPACES = 40


def convert_open_document(data: bytes) -> ConvertedDocument:
    """Return headings, paragraphs, lists and tables in order.

    Raises:
        ProtectedDocumentError: It needs a password.
        ConversionError: It is damaged.
    """
    content, title = _read(data)
    root = parse_xml(content)
    if root is None:
        raise ConversionError("the OpenDocument file is damaged: its content cannot be read")
    text = tidy_markdown("\n\n".join(_blocks(root)))
    return ConvertedDocument(text, "markdown", title=title, converter="opendocument-1")


def _read(data: bytes) -> tuple[str, str]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = set(package.namelist())
            manifest = _part(package, "META-INF/manifest.xml", names)
            if "encryption-data" in manifest:
                raise ProtectedDocumentError("the document needs a password")
            content = _part(package, "content.xml", names)
            meta = parse_xml(_part(package, "meta.xml", names) or "<none/>")
    except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
        raise ConversionError("the OpenDocument file is damaged") from error
    found = (
        "" if meta is None else meta.findtext(".//{http://purl.org/dc/elements/1.1/}title") or ""
    )
    return content, found if is_sensible_title(found) else ""


def _part(package: zipfile.ZipFile, name: str, names: set[str]) -> str:
    if name not in names:
        return ""
    text = package.read(name).decode("utf-8", "replace")
    # Older writers name an external DTD, which is never fetched.
    return text.partition("?>")[2] if text.startswith("<?xml") else text


def _blocks(root: Element) -> Iterator[str]:
    """Yield one Markdown block per heading, paragraph, list item and table."""
    pending = [root]
    while pending:
        element = pending.pop()
        name = local_name(element)
        if name in _SKIPPED:
            continue
        if name == "h":
            level = _attribute(element, "outline-level")
            yield f"{'#' * min(6, int(level) if level.isdigit() else 1)} {_inline(element)}"
        elif name == "p":
            yield _inline(element)
        elif name == "list-item":
            yield from _list_item(element)
        elif name == "table":
            if heading := _attribute(element, "name"):
                yield f"**{heading}**"
            yield markdown_table(_rows(element))
        else:
            pending.extend(reversed(element))


def _list_item(item: Element) -> Iterator[str]:
    lines = [" ".join(block.split()) for child in item for block in _blocks(child)]
    if lines := [line for line in lines if line]:
        yield "\n".join(line if line.startswith("- ") else f"- {line}" for line in lines)


def _rows(table: Element) -> Iterator[list[str]]:
    for row in table.iter():
        if local_name(row) != "table-row":
            continue
        cells: list[str] = []
        for cell in row:
            if local_name(cell) not in {"table-cell", "covered-table-cell"}:
                continue
            text = " ".join(filter(None, (_inline(child) for child in cell)))
            repeat = _attribute(cell, "number-columns-repeated")
            cells += [text] * min(int(repeat) if repeat.isdigit() else 1, _MAX_REPEAT)
        while cells and not cells[-1].strip():
            cells.pop()
        if cells:
            yield cells


def _inline(element: Element) -> str:
    """Return the text of a paragraph with its spaces, tabs and line breaks; notes in brackets."""
    parts: list[str] = []
    pending: list[Element | str] = [element]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        name = local_name(item)
        if name in _SKIPPED:
            continue
        if name == "s":
            count = _attribute(item, "c")
            parts.append(" " * min(int(count) if count.isdigit() else 1, _MAX_SPACES))
        elif name in {"tab", "line-break"}:
            parts.append(" ")
        for child in reversed(item):
            if child.tail:
                pending.append(child.tail)
            pending.append(child)
        if item.text:
            pending.append(item.text)
    return "".join(parts).strip()


def _attribute(element: Element, name: str) -> str:
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return value
    return ""
