"""A citation of an old answer, as it stands now."""

from __future__ import annotations

from dataclasses import replace

from citewell.answering.citing.citation_tag import format_tag
from citewell.answering.citing.place import content_range, document_span, place_of
from citewell.domain.answer import Citation
from citewell.domain.passage import VisibleChunk


def recite(citation: Citation, chunk: VisibleChunk | None) -> Citation | None:
    """Return the citation with path, place and tier of now, or None where it does not hold.

    It holds if its chunk is visible, of the same document, and has the quoted words. A chunk keeps
    its id as long as its text and headings are the same, so what is above it may have changed: then
    the quote stands elsewhere in the document.

    Args:
        citation: As it was given.
        chunk: The chunk of its id, as the reader may see it now; None where it is not visible.
    """
    if chunk is None or (chunk.chunk_id, chunk.document_id) != (
        citation.chunk_id,
        citation.document_id,
    ):
        return None
    found = _find(citation, chunk)
    if found is None:
        return None
    start, end = document_span(chunk, found, found + len(citation.quote))
    place = place_of(chunk, found)
    location = citation.heading_path
    if place.page is not None:
        location = (str(place.page), str(place.paragraph))
    return replace(
        citation,
        citation_id=f"{chunk.chunk_id}-{start:x}-{end:x}",
        tag=format_tag(chunk.source_type, chunk.relative_path, location),
        source_name=chunk.source_name,
        source_type=chunk.source_type,
        source_id=chunk.relative_path,
        location="/".join(location),
        page=place.page,
        paragraph=place.paragraph,
        span=(start, end),
        tier=chunk.tier,
    )


def _find(citation: Citation, chunk: VisibleChunk) -> int | None:
    """Return where the quote stands in the chunk's content: at its span, or else the first time."""
    known = content_range(chunk, citation.span)
    if known is not None and chunk.content[known[0] : known[1]] == citation.quote:
        return known[0]
    found = chunk.content.find(citation.quote) if citation.quote else -1
    while found >= 0:
        try:
            document_span(chunk, found, found + len(citation.quote))
        except ValueError:
            found = chunk.content.find(citation.quote, found + 1)
        else:
            return found
    return None
