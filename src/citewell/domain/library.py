"""Documents as a reader sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citewell.domain.document import Span
from citewell.domain.passage import VisibleChunk
from citewell.domain.record import DocumentRecord


@dataclass(frozen=True, slots=True)
class ReadableDocument:
    """A document that a reader may see.

    Attributes:
        record: As an operator lists it; what of it is for operators, a door leaves out.
        source_type: `folder` or `vault`.
        tags: Without `#`.
        modified_at: When the item last changed, ISO 8601 in UTC.
    """

    record: DocumentRecord
    source_type: str
    tags: tuple[str, ...]
    modified_at: str


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Some documents, in order of source and path.

    Attributes:
        documents: At most as many as were asked for.
        next_cursor: Gives the documents after these; None after the last.
    """

    documents: Sequence[ReadableDocument]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A stretch of a document's text.

    Attributes:
        document: Whose.
        text: The characters at `span`; what no chunk holds (white space, as a rule) is white space
            of the same length.
        span: Characters in the document's text.
        chunks: Those that the text is made of, in order.
        next_start: Ordinal of the chunk after these; None after the last.
    """

    document: ReadableDocument
    text: str
    span: Span
    chunks: Sequence[VisibleChunk]
    next_start: int | None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What a citation points to, as it stands now.

    Attributes:
        citation_id: As it was asked for.
        chunk: That holds the first of it.
        text: The characters at `span`.
        span: Characters in the document's text.
    """

    citation_id: str
    chunk: VisibleChunk
    text: str
    span: Span
