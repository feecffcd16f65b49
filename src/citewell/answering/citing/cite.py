"""Turning quotes into sentences with citations, and checking citations before they leave."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from citewell.answering.citing.citation_tag import format_tag
from citewell.answering.citing.place import content_range, document_span, heading_path_of, place_of
from citewell.answering.output.plain_words import plain_words
from citewell.answering.quoting.quote import Quote
from citewell.domain.answer import Citation, Sentence
from citewell.domain.clearance import Clearance
from citewell.ports.passage_reader import PassageReader

if TYPE_CHECKING:
    from citewell.domain.document import Span

_QUOTE_MARKS = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_ITEM_MARK = re.compile(r"(?:[-*+•◦▪‣●○·–—\uf0b7]|\(?(?:\d{1,3}|[a-z])[.)])\s+")
_BULLET = re.compile(r"[*+•◦▪‣●○·–—\uf0b7]\s+")
_WIDE = "\u3000-\u30ff\u3400-\u9fff\uff01-\uff60"  # scripts without spaces, and their marks
_WIDE_LINE_BREAK = re.compile(f"(?<=[{_WIDE}])[^\\S\\n]*\\n\\s*(?=[{_WIDE}])")


def cite_quotes(quotes: Sequence[Quote]) -> tuple[tuple[Sentence, ...], tuple[Citation, ...]]:
    """Return one sentence and one citation per quote, in order, numbered from 1.

    A quote whose words another quote gave from the same place is left out.
    """
    sentences: list[Sentence] = []
    citations: list[Citation] = []
    seen: set[tuple[str, Span]] = set()
    for quote in quotes:
        citation = cite_quote(quote, n=len(citations) + 1)
        place = (citation.document_id, citation.span)
        if place in seen:
            continue
        seen.add(place)
        citations.append(citation)
        sentences.append(Sentence(plain_words(readable_text(quote)), "quote", (citation.n,)))
    return tuple(sentences), tuple(citations)


def cite_quote(quote: Quote, *, n: int) -> Citation:
    """Return the citation of a quote, numbered `n`."""
    chunk = quote.chunk
    start, end = document_span(chunk, quote.start, quote.end)
    place = place_of(chunk, quote.start)
    heading_path = heading_path_of(chunk, quote.units[0])
    location = heading_path
    if place.page is not None:
        location = (str(place.page), str(place.paragraph))
    return Citation(
        n=n,
        citation_id=f"{chunk.chunk_id}-{start:x}-{end:x}",
        tag=format_tag(chunk.source_type, chunk.relative_path, location),
        source_name=chunk.source_name,
        source_type=chunk.source_type,
        source_id=chunk.relative_path,
        location="/".join(location),
        document_id=chunk.document_id,
        chunk_id=chunk.chunk_id,
        heading_path=heading_path,
        page=place.page,
        paragraph=place.paragraph,
        span=(start, end),
        quote=quote.text,
        tier=chunk.tier,
        score=quote.passage_score,
        table_header=quote.header,
    )


def answer_text(sentences: Sequence[Sentence], citations: Sequence[Citation]) -> str:
    """Return the sentences with their markers, e.g. `It lasts 21 days. [1]`.

    Each quote is a paragraph of its own; claims and notices follow each other in one line. Only
    numbers of `citations` become markers.
    """
    known = {citation.n for citation in citations}
    text = ""
    previous = None
    for sentence in sentences:
        markers = "".join(f"[{n}]" for n in sentence.citations if n in known)
        gap = "\n\n" if "quote" in {sentence.kind, previous} else " "
        text += (gap if text else "") + sentence.text + (f" {markers}" if markers else "")
        previous = sentence.kind
    return text


def verify_citations(
    citations: Sequence[Citation], clearance: Clearance, reader: PassageReader
) -> list[Citation]:
    """Return the citations that do not hold now; empty when all do.

    A citation holds if its chunk is visible to `clearance` as the catalog stands, belongs to the
    same document and tier, and has exactly the quoted words at the span.
    """
    return [citation for citation in citations if not _holds(citation, clearance, reader)]


def readable_text(quote: Quote) -> str:
    """Return a quote as shown: white space folded, marks of block quotes and bullets removed.

    Items of a list keep their numbers, or a dash, if there are several; table rows stand under
    their column names; code keeps its lines.
    """
    kinds = [unit.kind for unit in quote.units]
    several_items = len(kinds) > 1 and "item" in kinds
    parts: list[str] = [_fold(line) for line in quote.header.split("\n") if line]
    previous = None
    for unit in quote.units:
        text = quote.chunk.content[unit.start : unit.end]
        if unit.kind == "code":
            parts.append(f"```\n{text}\n```" if "\n" in text else f"`{text}`")
        else:
            text = _fold(_QUOTE_MARKS.sub("", text))
            if unit.kind == "item":
                text = _BULLET.sub("- ", text, 1) if several_items else _ITEM_MARK.sub("", text, 1)
            follows = previous is not None and previous == (unit.kind, unit.block)
            if follows and unit.kind in {"sentence", "field"}:
                parts[-1] = _joined(parts[-1], text)
            else:
                parts.append(text)
        previous = (unit.kind, unit.block)
    return "\n".join(parts)


def _fold(text: str) -> str:
    """Fold white space; a line break between characters that need no space goes."""
    return " ".join(_WIDE_LINE_BREAK.sub("", text).split())


def _joined(before: str, after: str) -> str:
    is_wide = re.search(f"[{_WIDE}]\\Z", before) and re.match(f"[{_WIDE}]", after)
    return before + after if is_wide else f"{before} {after}"


def _holds(citation: Citation, clearance: Clearance, reader: PassageReader) -> bool:
    chunk = reader.find_chunk(clearance, citation.chunk_id)
    if chunk is None or not clearance.allows(chunk.tier):
        return False
    if (chunk.document_id, chunk.tier) != (citation.document_id, citation.tier):
        return False
    found = content_range(chunk, citation.span)
    return found is not None and chunk.content[found[0] : found[1]] == citation.quote
