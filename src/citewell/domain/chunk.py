"""A chunk: an indexed part of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from citewell.domain.document import Span

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "rule"]


@dataclass(frozen=True, slots=True)
class Block:
    """One structural unit of a document's text, in order of the text.

    Attributes:
        kind: What it is.
        start: First character.
        end: One past its last character.
        level: Heading level from 1; 0 for other kinds.
        title: Heading text without markup; "" for other kinds.
        header_end: For a table, one past the header rows (column names and rule); else `start`.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    title: str = ""
    header_end: int = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """An indexed part of a document.

    Attributes:
        ordinal: Place in the document, from 0.
        span: The characters it covers; `content` ends with exactly this slice of the text.
        content: The slice, preceded by the repeated table header if `header_span` is set.
        heading_path: Headings above it, outermost first.
        n_tokens: `cl100k_base` tokens of `content`.
        page_start: First page, from 1, or None where pages have no meaning.
        page_end: Last page, or None.
        paragraph_start: First paragraph on `page_start`, from 1, or None.
        paragraph_end: Last paragraph on `page_end`, or None.
        header_span: Where the repeated table header stands in the text, or None.
        page_breaks: Where in `content` a page after the first one starts: (character from 0,
            page number), in order.
    """

    ordinal: int
    span: Span
    content: str
    heading_path: tuple[str, ...]
    n_tokens: int
    page_start: int | None = None
    page_end: int | None = None
    paragraph_start: int | None = None
    paragraph_end: int | None = None
    header_span: Span | None = None
    page_breaks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Weights of hashed terms.

    Attributes:
        indices: Hashed terms as unsigned 32-bit integers, ascending, no repetition.
        values: One finite weight above 0 per index.

    Vectors of chunks hold arrays (`I` and `f`), a tenth of the memory of tuples.
    """

    indices: Sequence[int]
    values: Sequence[float]
