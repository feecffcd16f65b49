"""Plain text and Markdown."""

from __future__ import annotations

from citewell.adapters.converters.encodings.decode import decode_text
from citewell.adapters.converters.file_type import suffix_of
from citewell.adapters.converters.markdown import convert_markdown
from citewell.adapters.converters.notes import add_notes, removed_note
from citewell.domain.document import ConvertedDocument
from citewell.domain.visible_text import clean_text

_CONVERTER = "text-1"
_NOT_TEXT_SUFFIXES = frozenset({"pdf", "docx", "xlsx", "pptx", "doc", "xls", "ppt", "epub", "msg"})


def convert_text(data: bytes, relative_path: str) -> ConvertedDocument:
    """Return the text as it is; the encoding is found from the bytes.

    Raises:
        UnsupportedDocumentError: It is binary data.
    """
    decoded = decode_text(data)
    notes = [decoded.note] if decoded.note else []
    suffix = suffix_of(relative_path)
    if suffix in _NOT_TEXT_SUFFIXES:
        notes.append(f"named .{suffix} but the content is plain text")
    return ConvertedDocument(decoded.text, "plain", notes=tuple(notes), converter=_CONVERTER)


def convert_markdown_bytes(data: bytes, relative_path: str) -> ConvertedDocument:
    """Return a note with its front matter, tags and links."""
    decoded = decode_text(data)
    text, n_removed = clean_text(decoded.text)
    document = convert_markdown(text, relative_path=relative_path)
    return add_notes(document, decoded.note, removed_note(n_removed))
