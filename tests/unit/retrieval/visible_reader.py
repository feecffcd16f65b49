"""A reader of chunks that a test names, for tests of what asks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from typing_extensions import override

from citewell.domain.clearance import Clearance
from citewell.domain.passage import VisibleChunk
from citewell.ports.passage_reader import PassageReader

STAFF = Clearance(("staff",))


def visible_chunk(key: int, content: str = "alpha", *, tier: str = "staff") -> VisibleChunk:
    """Return a chunk that is the only one of its document."""
    return VisibleChunk(
        chunk_key=key,
        chunk_id=f"c{key}",
        document_key=key,
        document_id=f"d{key}",
        ordinal=0,
        content=content,
        span=(0, len(content)),
        header_span=None,
        heading_path=("Heading",),
        title="Title",
        n_tokens=1,
        page_start=None,
        page_end=None,
        paragraph_start=None,
        paragraph_end=None,
        page_breaks=(),
        tier=tier,
        source_name="handbook",
        source_type="folder",
        relative_path=f"{key}.md",
        tags=(),
        modified_at="2026-01-31T00:00:00.000Z",
    )


class NamedReader(PassageReader):
    """Shows the chunks that it is given, if their tier is in the clearance."""

    def __init__(self, *chunks: VisibleChunk) -> None:
        self.chunks = {chunk.chunk_key: chunk for chunk in chunks}

    @override
    def visible_chunks(
        self, clearance: Clearance, chunk_keys: Sequence[int]
    ) -> Mapping[int, VisibleChunk]:
        return {
            key: self.chunks[key]
            for key in chunk_keys
            if key in self.chunks and clearance.allows(self.chunks[key].tier)
        }

    @override
    def sample_chunk_keys(self, clearance: Clearance, *, limit: int) -> Sequence[int]:
        return list(self.visible_chunks(clearance, list(self.chunks)))[:limit]
