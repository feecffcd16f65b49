"""Word, PowerPoint, e-books and Outlook messages, through markitdown's converters.

Its converter classes are called directly: what a file is has been decided already, and the front
end of markitdown would load a model that guesses it again and fall back to raw bytes on errors.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Mapping
from typing import Any

from citewell.adapters.converters.formats.html import markitdown_name
from citewell.adapters.converters.formats.markdown_output import tidy_markdown
from citewell.adapters.converters.formats.package import embedded_note, rewrite_package
from citewell.adapters.converters.formats.titles import is_sensible_title
from citewell.adapters.converters.notes import hidden_note
from citewell.domain.document import ConvertedDocument, PageSpan
from citewell.domain.errors import ConversionError, DocumentError

_SLIDE = re.compile(r"<!-- Slide number: (\d{1,6}) -->")
_HIDDEN_RUN = re.compile(rb'<w:vanish(?:\s*/>|\s+w:val="(?:true|1|on)"\s*/>)')
_WHITE_RUN = re.compile(rb'<w:color\s[^>]*w:val="(?:FFFFFF|ffffff)"')
_IMAGE_LINK = re.compile(rb"<Relationship\s[^>]*?/image\"[^>]*>")
_LINK_TARGET = re.compile(rb"Target=\"[^\"]*\"")
_LEFT_OUT = ("word/media/", "word/embeddings/", "word/fonts/", "docProps/thumbnail")
_HEAD_CHARACTERS = 5_000
_NO_IMAGE = "word/media/none.png"
_CORE_TITLE = re.compile(r"<dc:title>([^<]{1,500})</dc:title>")


def convert_docx(data: bytes) -> ConvertedDocument:
    """Return a Word document as Markdown with headings, lists and tables."""
    parts = _read_parts(data, ("word/document.xml", "docProps/core.xml"))
    body = parts.get("word/document.xml", b"")
    n_hidden = len(_HIDDEN_RUN.findall(body)) + len(_WHITE_RUN.findall(body))
    return ConvertedDocument(
        text=_convert("DocxConverter", _without_images(data), ".docx"),
        syntax="markdown",
        title=_core_title(parts),
        notes=tuple(filter(None, [hidden_note(n_hidden), embedded_note(data)])),
        converter=markitdown_name("docx"),
    )


def convert_pptx(data: bytes) -> ConvertedDocument:
    """Return a presentation as Markdown; each slide is a page."""
    text, pages = _split_slides(_convert("PptxConverter", _as_presentation(data), ".pptx"))
    return ConvertedDocument(
        text=text,
        syntax="markdown",
        title=_core_title(_read_parts(data, ("docProps/core.xml",))),
        pages=pages,
        notes=tuple(filter(None, [embedded_note(data)])),
        converter=markitdown_name("pptx"),
    )


def convert_epub(data: bytes) -> ConvertedDocument:
    """Return an e-book as Markdown, chapters in reading order."""
    text = _convert("EpubConverter", data, ".epub")
    return ConvertedDocument(
        text, "markdown", title=_labelled(text, "Title"), converter=markitdown_name("epub")
    )


def convert_msg(data: bytes) -> ConvertedDocument:
    """Return an Outlook message with its headers."""
    text = _convert("OutlookMsgConverter", data, ".msg")
    return ConvertedDocument(
        text, "markdown", title=_labelled(text, "Subject"), converter=markitdown_name("msg")
    )


def _labelled(markdown: str, label: str) -> str:
    """Return what markitdown wrote behind a label above the text, or ""."""
    found = re.search(rf"^\*\*{label}:\*\* (.+)$", markdown[:_HEAD_CHARACTERS], re.MULTILINE)
    return found.group(1) if found else ""


def _without_images(data: bytes) -> bytes:
    """Return a Word document whose pictures are all one empty file.

    Their description is kept. Otherwise each would be carried along as base64, and one that is
    missing or lies on the web would fail the document.
    """

    def change(name: str, content: bytes) -> bytes | None:
        if name.startswith(_LEFT_OUT):
            return None
        if name.startswith("word/_rels/"):
            return _IMAGE_LINK.sub(
                lambda link: _LINK_TARGET.sub(b'Target="media/none.png"', link.group()), content
            )
        return content

    return rewrite_package(data, change, more={_NO_IMAGE: b""})


def _as_presentation(data: bytes) -> bytes:
    """Return a slide show or template declared as a presentation, which is all that differs."""
    types = _read_parts(data, ("[Content_Types].xml",)).get("[Content_Types].xml", b"")
    if b"slideshow" not in types and b"template" not in types:
        return data

    def change(name: str, content: bytes) -> bytes:
        if name != "[Content_Types].xml":
            return content
        return re.sub(
            rb"(presentationml|powerpoint)\.(?:slideshow|template)", rb"\1.presentation", content
        )

    return rewrite_package(data, change, more={})


def _convert(class_name: str, data: bytes, extension: str) -> str:
    import markitdown.converters
    from markitdown import StreamInfo

    converter: Any = getattr(markitdown.converters, class_name)()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = converter.convert(
                io.BytesIO(data), StreamInfo(extension=extension), table_infer_header=True
            )
    except (MemoryError, RecursionError, DocumentError):
        raise
    except Exception as error:  # the libraries behind markitdown raise anything
        message = f"the {extension} file is damaged or unusual ({type(error).__name__})"
        raise ConversionError(message) from error
    return tidy_markdown(result.markdown)


def _read_parts(data: bytes, names: tuple[str, ...]) -> dict[str, bytes]:
    """Return parts of an office file whose sizes have been checked."""
    parts: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        for name in names:
            try:
                parts[name] = package.read(name)
            except (KeyError, zipfile.BadZipFile, OSError, NotImplementedError):
                continue
    return parts


def _core_title(parts: Mapping[str, bytes]) -> str:
    from html import unescape

    found = _CORE_TITLE.search(parts.get("docProps/core.xml", b"").decode("utf-8", "replace"))
    title = unescape(found.group(1)) if found else ""
    return title if is_sensible_title(title) else ""


def _split_slides(markdown: str) -> tuple[str, tuple[PageSpan, ...]]:
    """Cut at markitdown's slide comments; one that is out of sequence is text of a slide."""
    slides: list[str] = []
    position = 0
    for comment in _SLIDE.finditer(markdown):
        if int(comment.group(1)) != len(slides) + 1:
            continue
        if slides:
            slides[-1] = markdown[position : comment.start()].strip("\n")
        slides.append("")
        position = comment.end()
    if slides:
        slides[-1] = markdown[position:].strip("\n")
    text, pages = "", list[PageSpan]()
    for number, slide in enumerate(slides, 1):
        separator = "\n\n" if text and slide else ""
        start = len(text) + len(separator)
        text += separator + slide
        pages.append(PageSpan(number, start, len(text)))
    return text, tuple(pages)
