"""Passages: chunks in a final ranking that one request may read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from citewell.domain.document import Span


@dataclass(frozen=True, slots=True)
class VisibleChunk:
    """A chunk as the catalog hands it to a request that may read it.

    Attributes:
        chunk_key: The catalog's key, for the index and the vector store.
        chunk_id: Keyed hash of 128 bits, stable as long as the chunk's text and place are.
        document_key: The catalog's key of the document.
        document_id: Random, 128 bits.
        ordinal: Place in the document, from 0.
        content: The text, with a repeated table header where it has one.
        span: Its characters in the document's text; `content` ends with that slice.
        header_span: Where the repeated table header stands, or None.
        heading_path: Outermost first.
        title: The document's title.
        n_tokens: `cl100k_base` tokens of `content`.
        page_start: First page from 1, or None.
        page_end: Last page, or None.
        paragraph_start: First paragraph on `page_start` from 1, or None.
        paragraph_end: Last paragraph on `page_end`, or None.
        page_breaks: Where in `content` a page after the first one starts: (character from 0,
            page number), in order.
        tier: Access level.
        source_name: Name of the source.
        source_type: `folder` or `vault`.
        relative_path: Of the document in its source.
        tags: Without `#`.
        modified_at: When the item last changed, ISO 8601 in UTC.
    """

    chunk_key: int
    chunk_id: str
    document_key: int
    document_id: str
    ordinal: int
    content: str
    span: Span
    header_span: Span | None
    heading_path: tuple[str, ...]
    title: str
    n_tokens: int
    page_start: int | None
    page_end: int | None
    paragraph_start: int | None
    paragraph_end: int | None
    page_breaks: tuple[tuple[int, int], ...]
    tier: str
    source_name: str
    source_type: str
    relative_path: str
    tags: tuple[str, ...]
    modified_at: str


@dataclass(frozen=True, slots=True)
class Passage:
    """One or more neighbouring chunks of a section, ranked for one request.

    Attributes:
        rank: From 1.
        chunk: The best-ranked chunk of the passage; gives the place in the document.
        content: The merged text.
        span: The characters of the document that `content` covers.
        score: Cosine similarity to the question in [0, 1], None while there is no vector.
        page_start: First page of the merged text, or None.
        page_end: Last page, or None.
        chunks: All chunks merged into it, in order of the document.
    """

    rank: int
    chunk: VisibleChunk
    content: str
    span: Span
    score: float | None
    page_start: int | None
    page_end: int | None
    chunks: tuple[VisibleChunk, ...]


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """What a search is narrowed to; all given conditions must hold.

    Attributes:
        source: Name of a source.
        path_prefix: Start of the relative path.
        tags: Any of these, each with its nested tags.
        types: Any of these file types, e.g. `pdf`, `md`.
        modified_after: ISO 8601 date or time, inclusive.
        modified_before: ISO 8601 date or time, exclusive.
    """

    source: str | None = None
    path_prefix: str | None = None
    tags: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    modified_after: str | None = None
    modified_before: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is narrowed."""
        return self == SearchFilters()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found.

    Attributes:
        confidence: Calibrated probability in [0, 1] that the passages answer the question.
        passages: Best first, at most `top_k`.
        is_sufficient: Whether the gate passes.
        notice: What the reader should know (e.g. vectors are still being made), or None.
        explain: The trace, when asked for.
    """

    confidence: float
    passages: Sequence[Passage]
    is_sufficient: bool
    notice: str | None = None
    explain: dict[str, Any] | None = field(default=None)
