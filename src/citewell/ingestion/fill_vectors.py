"""Vectors follow in the background, newest chunks first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citewell.domain.errors import CitewellError
from citewell.domain.failpoints import reach
from citewell.domain.record import PendingVector
from citewell.ingestion.embed import EmbeddedPassages, embed_passages
from citewell.ingestion.write_index import IndexWriter
from citewell.ports.embedder import Embedder, passage_text
from citewell.ports.pending_work import PendingWork
from citewell.ports.tracer import UNTOLD, Tracer
from citewell.ports.vector_store import VectorStore

_BATCHES_BETWEEN_FLUSHES = 16


@dataclass(frozen=True, slots=True)
class MadeVectors:
    """The vectors of some chunks, not stored yet.

    Attributes:
        batch: The chunks, of one source, at least one.
        passages: Their vectors, by place in the batch.
        n_reused: How many came from a cache.
    """

    batch: tuple[PendingVector, ...]
    passages: EmbeddedPassages
    n_reused: int


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
        tracer: Told how long each batch takes, as a part of the source's last sync.
    """

    pending: PendingWork
    embedder: Embedder
    vectors: VectorStore
    writer: IndexWriter
    batch_size: int = 32
    count_reused: Callable[[], int] = lambda: 0
    record: Callable[[str, int, int], None] = lambda _source_id, _computed, _reused: None
    tracer: Tracer = UNTOLD

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
                self.keep(self.embed([c for c in batch if c.source_id == source_id]))
            n_made += len(batch)
            n_batches += 1
            if n_batches % _BATCHES_BETWEEN_FLUSHES == 0:
                self.writer.settle()
            progress(len(batch))
        self.writer.settle()
        return n_made

    def next_batch(self) -> Sequence[PendingVector]:
        """Return the newest chunks without a vector, of one source; none when there are none."""
        batch = self.pending.pending_vectors(limit=self.batch_size)
        return [chunk for chunk in batch if chunk.source_id == batch[0].source_id]

    def embed(self, batch: Sequence[PendingVector]) -> MadeVectors:
        """Return the vectors of chunks of one source; it may run beside everything else.

        Raises:
            EmbedderError: The embedder cannot be reached.
        """
        n_before = self.count_reused()
        span = self.tracer.join(
            batch[0].source_id,
            "vectors",
            attributes={
                "gen_ai.operation.name": "embeddings",
                "gen_ai.request.model": self.embedder.model.name,
                "citewell.passages": len(batch),
            },
        )
        error: str | None = None
        try:
            made = embed_passages(self.embedder, [passage_text(chunk) for chunk in batch])
        except CitewellError as failure:
            error = failure.code
            raise
        finally:
            span.end(error=error)
        reach("embedded")
        return MadeVectors(tuple(batch), made, self.count_reused() - n_before)

    def keep(self, made: MadeVectors) -> None:
        """Store the vectors of chunks that still exist, and bring them into the index."""
        batch, rows = made.batch, made.passages.rows
        chunk_keys = [chunk.chunk_key for chunk in batch]
        exist = {chunk.chunk_key for chunk in self.pending.chunks_to_index(chunk_keys)}
        kept = [place for place, row in enumerate(rows) if chunk_keys[row] in exist]
        if kept:
            keys = [chunk_keys[rows[place]] for place in kept]
            self.vectors.put(keys, made.passages.vectors[kept])
        reach("vectors-kept")
        refused = {chunk_keys[row]: reason for row, reason in made.passages.refused.items()}
        if refused:
            self.pending.vectors_refused(refused)
        self.pending.vectors_made([key for key in chunk_keys if key not in refused])
        reach("vectors-recorded")
        self.writer.catch_up()
        reach("dense-written")
        n_computed = max(0, len(rows) - made.n_reused)
        self.record(batch[0].source_id, n_computed, made.n_reused)
