"""XML: feeds as Markdown, articles as their text, data as it stands."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from citewell.adapters.converters.encodings.declared import decode_xml
from citewell.adapters.converters.formats.html import markitdown_name
from citewell.adapters.converters.formats.markdown_output import tidy_markdown
from citewell.adapters.converters.notes import add_notes
from citewell.domain.document import ConvertedDocument
from citewell.domain.errors import ConversionError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_ENTITY = re.compile(r"<!ENTITY\b", re.IGNORECASE)
_MIN_TEXT_SHARE = 0.2
_SVG_TEXT = frozenset({"text", "tspan", "textPath", "title", "desc"})
_INLINE = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bold", "code", "command", "em", "emphasis", "filename"),
        *("i", "italic", "link", "literal", "mark", "math", "q", "quote", "ref", "s", "span"),
        *("strong", "sub", "sup", "tt", "u", "ulink", "underline", "xref"),
    )
)


def convert_xml(data: bytes) -> ConvertedDocument:
    """Return a feed as Markdown; of other XML its text, or all of it if that says little.

    Raises:
        ConversionError: It declares entities (bombs, reading of other files).
    """
    decoded = decode_xml(data)
    text = _DECLARATION.sub("", decoded.text)
    root = parse_xml(text)
    feed = _convert_feed(text) if root is not None and local_name(root) in {"rss", "feed"} else None
    if feed is not None:
        return add_notes(feed, decoded.note)
    content = "\n".join(_lines(root)) if root is not None else ""
    if len(content) < _MIN_TEXT_SHARE * len(text):
        content = text.strip()
    note = "" if root is not None else "not well-formed XML, read as text"
    document = ConvertedDocument(content, "plain", converter="xml-1")
    return add_notes(document, note, decoded.note)


def convert_svg(data: bytes) -> ConvertedDocument:
    """Return the text of a drawing; no scripts, no external content.

    Raises:
        ConversionError: It declares entities.
    """
    decoded = decode_xml(data)
    root = parse_xml(_DECLARATION.sub("", decoded.text))
    if root is None:
        raise ConversionError("the drawing is not well-formed XML")
    texts = [
        " ".join("".join(element.itertext()).split())
        for element in root.iter()
        if local_name(element) in _SVG_TEXT - {"tspan", "textPath"}
    ]
    document = ConvertedDocument("\n".join(filter(None, texts)), "plain", converter="svg-1")
    return add_notes(document, decoded.note)


def parse_xml(text: str) -> Element | None:
    """Return the root element, None if it is not well-formed.

    Raises:
        ConversionError: It declares entities.
    """
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    if _ENTITY.search(text):
        raise ConversionError("the XML declares entities, which is refused for safety")
    try:
        return fromstring(text)
    except ParseError:
        return None
    except DefusedXmlException as error:
        raise ConversionError("the XML declares entities, which is refused for safety") from error


def local_name(element: Element) -> str:
    """Return the name without its namespace, "" for a comment."""
    tag = cast("object", element.tag)  # comments have a function in its place
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _convert_feed(text: str) -> ConvertedDocument | None:
    from markitdown import StreamInfo
    from markitdown.converters import RssConverter

    stream = io.BytesIO(text.encode("utf-8", "replace"))
    info = StreamInfo(extension=".xml", charset="utf-8")
    try:
        converter = RssConverter()
        if not converter.accepts(stream, info):
            return None
        result = converter.convert(stream, info)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - an unusual feed is read as XML
        return None
    name = markitdown_name("feed")
    return ConvertedDocument(
        tidy_markdown(result.markdown), "markdown", title=str(result.title or ""), converter=name
    )


def _lines(root: Element) -> Iterator[str]:
    """Yield the text of each block element on a line of its own; without recursion."""
    pieces: list[str] = []
    pending: list[tuple[Element | str, bool]] = [(root, False)]
    while pending:
        item, is_closing = pending.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        if local_name(item) not in _INLINE and (line := " ".join("".join(pieces).split())):
            yield line
            pieces = []
        if is_closing:
            continue
        pending.append((item, True))
        for child in reversed(item):
            if child.tail:
                pending.append((child.tail, False))
            pending.append((child, False))
        if item.text:
            pending.append((item.text, False))
    if line := " ".join("".join(pieces).split()):
        yield line
