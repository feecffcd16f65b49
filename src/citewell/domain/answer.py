"""Answers: sentences, and citations that were checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from citewell.domain.document import Span

CANONICAL_ABSTENTION = "I do not know the answer based on indexed documents."
"""The one sentence that says that the passages do not answer, in every language."""

Mode = Literal["rag", "no_answer", "fallback", "refused"]


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker's passage, place and exact words.

    Attributes:
        n: The number in the text, from 1.
        citation_id: Stable as long as the chunk and the span are.
        tag: `[s.<source_type>:<source_id>/<location>]`, percent-encoded where needed.
        source_name: Name of the source.
        source_type: `folder` or `vault`.
        source_id: The document's relative path.
        location: `page/paragraph` from 1, or the heading path joined with `/`.
        document_id: Of the document.
        chunk_id: Of the chunk that holds the quote.
        heading_path: Outermost first.
        page: Page of the quote's first character, from 1, or None.
        paragraph: Paragraph on that page, from 1, or None.
        span: Characters of the quote in the document's text.
        quote: The exact words at `span`.
        tier: Of the document.
        score: Cosine similarity of the passage in [0, 1], or None.
        table_header: Column names above a quoted table row, or "".
    """

    n: int
    citation_id: str
    tag: str
    source_name: str
    source_type: str
    source_id: str
    location: str
    document_id: str
    chunk_id: str
    heading_path: tuple[str, ...]
    page: int | None
    paragraph: int | None
    span: Span
    quote: str
    tier: str
    score: float | None
    table_header: str = ""

    @property
    def heading(self) -> str:
        """The innermost heading, or ""."""
        return self.heading_path[-1] if self.heading_path else ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One checkable unit of an answer.

    Attributes:
        text: As shown, without its markers.
        kind: A claim in the answer's words, a quote, or a notice about the answer.
        citations: Numbers of the citations that support it; empty for a notice.
    """

    text: str
    kind: Literal["claim", "quote", "notice"]
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Grounding:
    """Whether every sentence has a citation, and whether all citations were verified."""

    has_citations: bool
    citations_valid: bool

    @property
    def grounded(self) -> bool:
        """Both."""
        return self.has_citations and self.citations_valid


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said to a question.

    Attributes:
        mode: How it came about.
        confidence: Calibrated probability in [0, 1] that the passages answer the question.
        text: The sentences with their markers, or the canonical abstention.
        sentences: In order.
        citations: By number.
        grounding: What the check found.
        notice: What the reader should know, or None.
        timings_ms: Milliseconds by step; `model` is the time in which a language model was awaited.
        usage: `model_calls`, `prompt_tokens` and `reply_tokens`; empty without a model.
        trace: How it came about, when asked for.
        cached: Whether it was remembered from the same question, and checked again.
    """

    mode: Mode
    confidence: float
    text: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    grounding: Grounding
    notice: str | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict[str, float])
    usage: Mapping[str, int] = field(default_factory=dict[str, int])
    trace: Mapping[str, Any] | None = None
    cached: bool = False
