"""Reading a document, or what a citation points to, as far as a reader may."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citewell.domain.clearance import Clearance
from citewell.domain.document import Span
from citewell.domain.errors import NotFoundError, UsageError
from citewell.domain.library import DocumentPart, Excerpt
from citewell.domain.passage import VisibleChunk
from citewell.ports.library_reader import LibraryReader
from citewell.ports.passage_reader import PassageReader

MAX_CHUNKS = 500
_AROUND = 40  # chunks before and after a cited one in which it may lie: passages merge neighbours
_CITATION_ID = re.compile(r"([0-9a-f]{32})-([0-9a-f]{1,15})-([0-9a-f]{1,15})")


def read_document(
    library: LibraryReader,
    passages: PassageReader,
    clearance: Clearance,
    document_id: str,
    *,
    ordinals: tuple[int, int],
) -> DocumentPart:
    """Return the text of a document's chunks in a half-open range of ordinals.

    Raises:
        NotFoundError: There is no such document, or it may not be seen.
        UsageError: The range is empty or longer than 500.
    """
    start, end = ordinals
    if not 0 <= start < end <= start + MAX_CHUNKS:
        raise UsageError(f"ask for 1 to {MAX_CHUNKS} chunks, from 0 on")
    document = library.find_document(clearance, document_id)
    if document is None:
        raise NotFoundError
    key = document.record.key
    chunks = passages.document_chunks(clearance, key, ordinals=(start, end + 1))
    shown = [chunk for chunk in chunks if chunk.ordinal < end]
    span = (shown[0].span[0], max(chunk.span[1] for chunk in shown)) if shown else (0, 0)
    next_start = end if len(chunks) > len(shown) else None
    return DocumentPart(document, text_at(span, shown), span, shown, next_start)


def open_citation(passages: PassageReader, clearance: Clearance, citation_id: str) -> Excerpt:
    """Return what a citation points to.

    Raises:
        NotFoundError: There is no such place, or it may not be seen.
    """
    named = _CITATION_ID.fullmatch(citation_id)
    chunk = passages.find_chunk(clearance, named[1]) if named else None
    if named is None or chunk is None:
        raise NotFoundError
    span = int(named[2], 16), int(named[3], 16)
    nearby = max(0, chunk.ordinal - _AROUND), chunk.ordinal + _AROUND
    around = passages.document_chunks(clearance, chunk.document_key, ordinals=nearby)
    if not _covers(around, span):
        raise NotFoundError
    return Excerpt(citation_id, chunk, text_at(span, around), span)


def text_at(span: Span, chunks: Sequence[VisibleChunk]) -> str:
    """Return the characters of a document at a span, as far as chunks in its order hold them.

    Between chunks there may be gaps; white space of the same length stands for them.
    """
    position, end = span
    text = ""
    for chunk in chunks:
        start, stop = chunk.span
        body = chunk.content[len(chunk.content) - (stop - start) :]
        if stop <= position or start >= end:
            continue
        gap = max(0, start - position)
        text += "\n" * min(2, gap) + " " * max(0, gap - 2)
        position = max(position, start)
        text += body[position - start : end - start]
        position = min(end, stop)
    return text


def _covers(chunks: Sequence[VisibleChunk], span: Span) -> bool:
    """Return whether both ends of a span lie in chunks."""
    start, end = span
    begins = any(chunk.span[0] <= start < chunk.span[1] for chunk in chunks)
    ends = any(chunk.span[0] < end <= chunk.span[1] for chunk in chunks)
    return start < end and begins and ends
