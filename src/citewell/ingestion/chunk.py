"""Divide a document into chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from citewell.domain.chunk import Block, Chunk
from citewell.domain.document import ConvertedDocument
from citewell.ingestion.divide import Draft, SectionDivider
from citewell.ingestion.limits import EmbedderLimit, SizeLimit
from citewell.ingestion.locate import PageMap
from citewell.ingestion.pieces import RANK_BLOCK, make_piece
from citewell.ingestion.sections import Section, SectionGroup, group_sections
from citewell.ingestion.tokens import count_tokens

# Sections below the first figure are joined with tiny neighbours up to the second: a vector of five
# tokens finds little, and the vector of a dozen short answers finds none of them.
_TINY_TOKENS = 24
_TINY_GROUP_TOKENS = 100


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """Sizes in `cl100k_base` tokens.

    Attributes:
        target_tokens: Text is divided until no part is above this, except units that stay whole;
            400 with overlap and headings fills the 512 tokens of common embedders.
        max_tokens: No chunk is above this; more would dilute what its vector says.
        overlap_tokens: At most this much is repeated from the chunk before.
    """

    target_tokens: int = 400
    max_tokens: int = 1200
    overlap_tokens: int = 80


def chunk_document(
    document: ConvertedDocument,
    blocks: Sequence[Block],
    *,
    options: ChunkOptions,
    count_embedder_tokens: Callable[[str], int] | None = None,
    embedder_max_tokens: int | None = None,
) -> list[Chunk]:
    """Divide a document into chunks, in order of the text.

    Sections by heading come first; inside them, cuts fall on the best border (page, block, sentence
    or row, line, word) of the text around them, so an edit changes the chunks beside it only. Each
    character that is not white space lies in the span of at least one chunk. A unit (list, table,
    code block, paragraph) is cut only if it is over the maximum; in a document with pages, whose
    paragraphs are guesses, if it is over the target.

    Args:
        document: Text and pages.
        blocks: Of its text, from `outline_blocks`.
        options: Sizes.
        count_embedder_tokens: Tokens of a text for the embedder, or an upper bound.
        embedder_max_tokens: The longest passage that the embedder reads whole, headings included.

    Returns:
        Empty for a document without text.
    """
    embedder = None
    if embedder_max_tokens is not None:
        embedder = EmbedderLimit(embedder_max_tokens, count_embedder_tokens)
    chunker = _Chunker(document, options, embedder)
    drafts = (
        (draft, group.path_before(draft.span[1]))
        for group in group_sections(_tile(blocks, document.text), is_tiny=chunker.is_tiny)
        for draft in chunker.divide(group)
    )
    return [chunker.finish(draft, path, i) for i, (draft, path) in enumerate(drafts)]


def _tile(blocks: Sequence[Block], text: str) -> list[Block]:
    """Let each block reach to the start of the next, so that nothing lies between them."""
    borders = [0, *(block.start for block in blocks[1:]), len(text)]
    return [
        Block(block.kind, start, end, block.level, block.title, block.header_end)
        for block, (start, end) in zip(blocks, pairwise(borders), strict=False)
    ]


class _Chunker:
    """What is the same for all sections of one document."""

    def __init__(
        self, document: ConvertedDocument, options: ChunkOptions, embedder: EmbedderLimit | None
    ) -> None:
        self._document = document
        self._options = options
        self._embedder = embedder
        self._page_map = PageMap(document.text, document.pages)
        self._page_starts = [page.start for page in document.pages]

    def is_tiny(self, section: Section) -> bool:
        length = section.end - section.start
        if length > _TINY_TOKENS * 8:
            return False
        return count_tokens(self._document.text[section.start : section.end]) < _TINY_TOKENS

    def divide(self, group: SectionGroup) -> list[Draft]:
        several = len(group.sections) > 1
        divider = SectionDivider(
            self._document.text,
            [block for section in group.sections for block in section.blocks],
            page_starts=self._page_starts,
            limit=self._limit(group.heading_path),
            target=min(self._options.target_tokens, _TINY_GROUP_TOKENS if several else 1 << 30),
            overlap=self._options.overlap_tokens,
        )
        if not several:
            return divider.divide(divider.pieces())
        text = self._document.text
        return divider.divide(
            [make_piece(text, section.start, section.end, RANK_BLOCK) for section in group.sections]
        )

    def _limit(self, heading_path: tuple[str, ...]) -> SizeLimit:
        maximum = self._options.max_tokens
        if self._embedder is None:
            return SizeLimit(maximum)
        title = self._document.title
        reserved = self._embedder.reserve(title=title, heading_path=heading_path)
        return SizeLimit(maximum, self._embedder, reserved)

    def finish(self, draft: Draft, heading_path: tuple[str, ...], ordinal: int) -> Chunk:
        text = self._document.text
        start, end = draft.span
        header_start, header_end = draft.header_span or (0, 0)
        content = text[header_start:header_end] + text[start:end]
        first_ink = end - len(text[start:end].lstrip())
        first, last = self._page_map.locate(first_ink), self._page_map.locate(end - 1)
        return Chunk(
            ordinal=ordinal,
            span=draft.span,
            content=content,
            heading_path=heading_path,
            n_tokens=draft.n_tokens,
            page_start=first.page if first else None,
            page_end=last.page if last else None,
            paragraph_start=first.paragraph if first else None,
            paragraph_end=last.paragraph if last else None,
            header_span=draft.header_span,
        )
