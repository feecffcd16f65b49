"""Chunks, passages and a reader for the tests of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from typing_extensions import override

from citewell.domain.clearance import Clearance
from citewell.domain.passage import Passage, SearchFilters, VisibleChunk
from citewell.lexical.analyze import analyze
from citewell.ports.passage_reader import PassageReader

EMPLOYEE = Clearance(("employee",))

_CHUNK = VisibleChunk(
    chunk_key=1,
    chunk_id="c1",
    document_key=1,
    document_id="d1",
    ordinal=0,
    content="",
    span=(0, 0),
    header_span=None,
    heading_path=(),
    title="",
    n_tokens=1,
    page_start=None,
    page_end=None,
    paragraph_start=None,
    paragraph_end=None,
    page_breaks=(),
    tier="employee",
    source_name="handbook",
    source_type="vault",
    relative_path="notes/a.md",
    tags=(),
    modified_at="2026-01-01T00:00:00Z",
)


def make_chunk(content: str, *, key: int = 1, start: int = 0, **fields: object) -> VisibleChunk:
    """Return a chunk of a document of its own, whose content stands at `start`."""
    chunk = replace(
        _CHUNK,
        chunk_key=key,
        chunk_id=f"c{key}",
        document_key=key,
        document_id=f"d{key}",
        content=content,
        span=(start, start + len(content)),
    )
    return replace(chunk, **fields)  # type: ignore[arg-type]


def make_passages(*chunks: VisibleChunk) -> list[Passage]:
    """Return one passage per chunk, best first."""
    return [
        Passage(
            rank=rank,
            chunk=chunk,
            content=chunk.content,
            span=chunk.span,
            score=1 - rank / 10,
            page_start=chunk.page_start,
            page_end=chunk.page_end,
            chunks=(chunk,),
        )
        for rank, chunk in enumerate(chunks, 1)
    ]


def equal_weights(question: str) -> dict[int, float]:
    """Return the question's terms with the same weight each."""
    return dict.fromkeys(analyze(question), 1.0)


class ListReader(PassageReader):
    """Reads from a list of chunks."""

    def __init__(self, *chunks: VisibleChunk) -> None:
        self._chunks = chunks

    @override
    def find_chunk(self, clearance: Clearance, chunk_id: str) -> VisibleChunk | None:
        found = (chunk for chunk in self._chunks if chunk.chunk_id == chunk_id)
        return next((chunk for chunk in found if clearance.allows(chunk.tier)), None)

    @override
    def visible_chunks(
        self, clearance: Clearance, chunk_keys: Sequence[int]
    ) -> Mapping[int, VisibleChunk]:
        raise NotImplementedError

    @override
    def document_chunks(
        self, clearance: Clearance, document_key: int, *, ordinals: tuple[int, int]
    ) -> Sequence[VisibleChunk]:
        raise NotImplementedError

    @override
    def document_frequencies(
        self, clearance: Clearance, terms: Sequence[int]
    ) -> tuple[Mapping[int, int], int]:
        raise NotImplementedError

    @override
    def documents_matching(
        self, clearance: Clearance, filters: SearchFilters
    ) -> Sequence[int] | None:
        raise NotImplementedError

    @override
    def sample_chunk_keys(self, clearance: Clearance, *, limit: int) -> Sequence[int]:
        raise NotImplementedError

    @override
    def n_pending_vectors(self, clearance: Clearance) -> int:
        raise NotImplementedError
