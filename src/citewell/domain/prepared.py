"""A document that is ready to be stored and indexed: its text, cut and weighed."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.domain.chunk import Chunk, SparseVector
from citewell.domain.document import ConvertedDocument


@dataclass(frozen=True, slots=True)
class WeighedChunk:
    """A chunk, and the terms by which the lexical leg finds it."""

    chunk: Chunk
    terms: SparseVector


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A converted document with its chunks.

    Attributes:
        document: As converted.
        chunks: In order of the document; empty if and only if its text is white space.
    """

    document: ConvertedDocument
    chunks: tuple[WeighedChunk, ...]

    @property
    def member_path(self) -> str:
        """Path inside an archive, "" when the item itself was converted."""
        return self.document.member_path
