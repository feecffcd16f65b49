"""Vectors follow in the background, newest chunks first."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citewell.domain.failpoints import reach
from citewell.domain.record import PendingVector
from citewell.ingestion.embed import embed_passages
from citewell.ingestion.write_index import IndexWriter
from citewell.ports.embedder import Embedder, PassageText
from citewell.ports.pending_work import PendingWork
from citewell.ports.vector_store import VectorStore

_HEADINGS = re.compile(r"\A(?:\s*#{1,6}\s[^\n]*(?:\n|\Z))+")
_BATCHES_BETWEEN_FLUSHES = 16


@dataclass(frozen=True, slots=True)
class VectorFilling:
    """The parts that make missing vectors.

    Attributes:
        pending: Which chunks have none.
        embedder: Makes them.
        vectors: Keeps them.
        writer: Brings them into the index.
        batch_size: Passages at once, at least 1.
    """

    pending: PendingWork
    embedder: Embedder
    vectors: VectorStore
    writer: IndexWriter
    batch_size: int = 32

    def fill_vectors(self, *, progress: Callable[[int], None]) -> int:
        """Make the vectors that are missing and return how many there were.

        Every batch is kept before the next one starts, so an interruption loses at most one.

        Args:
            progress: Told after each batch how many were made since the last time.

        Raises:
            EmbedderError: The embedder cannot be reached; what was made stays.
        """
        n_made = 0
        n_batches = 0
        while batch := self.pending.pending_vectors(limit=self.batch_size):
            self._fill(batch)
            n_made += len(batch)
            n_batches += 1
            if n_batches % _BATCHES_BETWEEN_FLUSHES == 0:
                self.writer.settle()
            progress(len(batch))
        self.writer.settle()
        return n_made

    def _fill(self, batch: Sequence[PendingVector]) -> None:
        made = embed_passages(self.embedder, [passage_text(chunk) for chunk in batch])
        reach("embedded")
        keys = [batch[row].chunk_key for row in made.rows]
        if keys:
            self.vectors.put(keys, made.vectors)
        reach("vectors-kept")
        refused = {batch[row].chunk_key: reason for row, reason in made.refused.items()}
        if refused:
            self.pending.vectors_refused(refused)
        done = [chunk.chunk_key for chunk in batch if chunk.chunk_key not in refused]
        self.pending.vectors_made(done)
        reach("vectors-recorded")
        self.writer.catch_up()
        reach("dense-written")


def passage_text(chunk: PendingVector) -> PassageText:
    """Return what is embedded of a chunk: headings in front come from the heading path."""
    return PassageText(
        content=_HEADINGS.sub("", chunk.content).strip() or chunk.content,
        title=chunk.title,
        heading_path=chunk.heading_path,
        relative_path=chunk.relative_path,
        tags=chunk.tags,
        links=chunk.links,
    )
