"""Cutting documents for the embedder in use."""

from __future__ import annotations

from dataclasses import astuple, replace

from citewell.domain.chunk import Chunk
from citewell.domain.document import ConvertedDocument
from citewell.ingestion.chunk import ChunkOptions, chunk_document
from citewell.ingestion.limits import EmbedderLimit
from citewell.ingestion.outline import outline_blocks
from citewell.lexical.analyze import ANALYZER_VERSION

_REVISION = 1
"""Raised when chunks of unchanged text come out differently."""


class DocumentChunker:
    """Cuts documents so that the embedder can read every chunk whole."""

    def __init__(self, options: ChunkOptions, embedder_limit: EmbedderLimit | None) -> None:
        """Take the sizes, and what the embedder reads whole where there is one."""
        self._options = options
        self._embedder_limit = embedder_limit

    def chunk(self, document: ConvertedDocument) -> list[Chunk]:
        """Return the chunks of a document, in order."""
        blocks = outline_blocks(document.text, document.syntax)
        limit = self._embedder_limit
        chunks = chunk_document(
            document,
            blocks,
            options=self._options,
            count_embedder_tokens=limit.count if limit else None,
            embedder_max_tokens=limit.max_tokens if limit else None,
        )
        return [replace(chunk, page_breaks=_page_breaks(chunk, document)) for chunk in chunks]

    def recipe(self, converter_version: str) -> str:
        """Return what, besides its bytes, decides a document's version."""
        limit = self._embedder_limit.max_tokens if self._embedder_limit else 0
        sizes = "/".join(str(size) for size in astuple(self._options))
        return f"{converter_version} chunks-{_REVISION}-{sizes}-{limit} terms-{ANALYZER_VERSION}"


def _page_breaks(chunk: Chunk, document: ConvertedDocument) -> tuple[tuple[int, int], ...]:
    """Return where in the chunk's content a page after its first one starts."""
    first, last = chunk.page_start, chunk.page_end
    if first is None or last is None or first == last:
        return ()
    shift = len(chunk.content) - chunk.span[1]
    pages = document.pages[first : document.pages[0].number + last - 1]
    return tuple((page.start + shift, page.number) for page in pages if page.start < page.end)
