"""Take out of documents what a reader cannot see but a model or a search would."""

from __future__ import annotations

import re
from dataclasses import replace

from citewell.adapters.converters.notes import removed_note
from citewell.domain.document import ConvertedDocument, PageSpan
from citewell.domain.visible_text import clean_text

_BLANKS = re.compile(r"\s+")
_EMPTY_LINES = re.compile(r"\n{3,}")
_MAX_TITLE_CHARACTERS = 300


def clean_title(text: str) -> str:
    """Return a title on one line, without invisible characters, at most 300 characters."""
    return _BLANKS.sub(" ", clean_text(text)[0]).strip()[:_MAX_TITLE_CHARACTERS].strip()


def clean_document(document: ConvertedDocument) -> ConvertedDocument:
    """Return the document with clean text and strings; page spans follow the text.

    A note says how many characters were removed.
    """
    if document.pages:
        text, pages, n_removed = _clean_pages(document.text, document.pages)
    else:
        pages = document.pages
        text, n_removed = clean_text(document.text)
    notes = [clean_title(note) for note in document.notes]
    if n_removed:
        notes.append(removed_note(n_removed))
    return replace(
        document, text=text, pages=pages, title=clean_title(document.title), notes=tuple(notes)
    )


def _clean_pages(text: str, pages: tuple[PageSpan, ...]) -> tuple[str, tuple[PageSpan, ...], int]:
    parts: list[str] = []
    cleaned_pages: list[PageSpan] = []
    position = n_removed = previous_end = 0
    for page in pages:
        between, n_between = clean_text(text[previous_end : page.start])
        inside, n_inside = clean_text(text[page.start : page.end])
        if n_inside:  # a line may have held nothing else
            inside = _EMPTY_LINES.sub("\n\n", inside)
        start = position + len(between)
        position = start + len(inside)
        cleaned_pages.append(PageSpan(page.number, start, position))
        parts += [between, inside]
        n_removed += n_between + n_inside
        previous_end = page.end
    rest, n_rest = clean_text(text[previous_end:])
    return "".join([*parts, rest]), tuple(cleaned_pages), n_removed + n_rest
