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
        count_reused: Returns how many vectors came from a cache so far, not from the embedder.
        record: Told after each batch, by source id, how many were computed and how many reused.
    """

    pending: PendingWork
    embedder: Embedder
    vectors: VectorStore
    writer: IndexWriter
    batch_size: int = 32
    count_reused: Callable[[], int] = lambda: 0
    record: Callable[[str, int, int], None] = lambda _source_id, _computed, _reused: None

    def fill_vectors(
        self,
        *,
        progress: Callable[[int], None],
        should_stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Make the vectors that are missing and return how many there were.

        Every batch is kept before the next one starts, so an interruption loses at most one.

        Args:
            progress: Told after each batch how many were made since the last time.
            should_stop: Asked before each batch; the rest is left to the next call.

        Raises:
            EmbedderError: The embedder cannot be reached; what was made stays.
        """
        n_made = 0
        n_batches = 0
        while not should_stop():
            batch = self.pending.pending_vectors(limit=self.batch_size)
            if not batch:
                break
            for source_id in sorted({chunk.source_id for chunk in batch}):
                self._fill(source_id, [c for c in batch if c.source_id == source_id])
            n_made += len(batch)
            n_batches += 1
            if n_batches % _BATCHES_BETWEEN_FLUSHES == 0:
                self.writer.settle()
            progress(len(batch))
        self.writer.settle()
        return n_made

    def _fill(self, source_id: str, batch: Sequence[PendingVector]) -> None:
        n_reused = self.count_reused()
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
        n_reused = self.count_reused() - n_reused
        self.record(source_id, max(0, len(keys) - n_reused), n_reused)


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
