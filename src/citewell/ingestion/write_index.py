"""Bringing the index up to what the catalog says, and making it durable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from citewell.domain.chunk import SparseVector
from citewell.domain.errors import IndexRestartedError
from citewell.domain.failpoints import reach
from citewell.domain.record import OutboxEntry
from citewell.lexical.weigh import weigh_chunk
from citewell.ports.index import Index, LexicalPoint
from citewell.ports.pending_work import PendingWork
from citewell.ports.vector_store import VectorStore

_BATCH = 200  # points in one call: more would hold up a question for too long
_WRITES_BETWEEN_REBUILDS = 20_000
"""Points after which search is slow enough (60 ms at 100,000) for a rebuild to be worth it. One
of 100,000 at once would need 840 MiB instead of 290."""


class IndexWriter:
    """Applies the catalog's outbox to the index, in its order.

    An entry stays in the outbox until the index has flushed it, so that after a crash of either
    process the next writer applies it again; every write may be repeated.
    """

    def __init__(self, *, pending: PendingWork, index: Index, vectors: VectorStore | None) -> None:
        """Take the outbox, the index, and the store of vectors where there is an embedder."""
        self._pending = pending
        self._index = index
        self._vectors = vectors
        self._applied = 0
        self._n_writes = 0

    def catch_up(self, known: Mapping[int, SparseVector] | None = None) -> None:
        """Apply what the catalog has asked for since the last call; rebuild after many writes.

        Args:
            known: Lexical vectors by chunk key that need not be made again from the text.

        Raises:
            IndexUnavailableError: The index cannot be reached; the outbox keeps everything.
        """
        try:
            self._apply_all(known or {})
        except IndexRestartedError:
            self._applied = 0
            self._apply_all(known or {})

    def settle(self) -> None:
        """Catch up, make all writes durable and empty the outbox."""
        self.catch_up()
        if self._pending.outbox(after=0, limit=1):
            self._flush()

    def rebuild(self) -> None:
        """Build what makes searches fast, if anything was written since the last time."""
        if self._n_writes:
            self._index.optimize()
            self._n_writes = 0

    def _flush(self) -> None:
        try:
            self._index.flush()
        except IndexRestartedError:
            self._applied = 0
            self._apply_all({})
            self._index.flush()
        reach("flushed")
        self._pending.clear_outbox(up_to=self._applied)
        reach("settled")

    def _apply_all(self, known: Mapping[int, SparseVector]) -> None:
        while entries := self._pending.outbox(after=self._applied, limit=_BATCH):
            for (operation, tier), group in groupby(
                entries, key=lambda entry: (entry.operation, entry.tier)
            ):
                self._apply(operation, tier, list(group), known)
            self._applied = entries[-1].sequence
            self._n_writes += len(entries)
            if self._n_writes >= _WRITES_BETWEEN_REBUILDS:
                self._flush()
                self.rebuild()

    def _apply(
        self,
        operation: str,
        tier: str,
        entries: Sequence[OutboxEntry],
        known: Mapping[int, SparseVector],
    ) -> None:
        keys = [entry.chunk_key for entry in entries]
        if operation == "delete":
            self._delete(tier, keys)
            return
        if operation == "upsert_dense":
            self._upsert_dense(tier, entries)
            return
        documents = {entry.chunk_key: entry.document_key for entry in entries}
        points = [
            LexicalPoint(key, documents[key], vector)
            for key, vector in self._lexical_vectors(keys, known).items()
        ]
        self._index.upsert_lexical(tier, [point for point in points if point.terms.indices])

    def _delete(self, tier: str, keys: Sequence[int]) -> None:
        """Remove points; vectors go too, unless the chunk only moved to another tier."""
        self._index.delete(tier, keys)
        if self._vectors is not None:
            kept = {chunk.chunk_key for chunk in self._pending.chunks_to_index(keys)}
            self._vectors.delete([key for key in keys if key not in kept])

    def _lexical_vectors(
        self, keys: Sequence[int], known: Mapping[int, SparseVector]
    ) -> dict[int, SparseVector]:
        found = {key: known[key] for key in keys if key in known}
        missing = [key for key in keys if key not in known]
        if missing:
            for chunk in self._pending.chunks_to_index(missing):
                found[chunk.chunk_key] = weigh_chunk(
                    chunk.content, title=chunk.title, heading_path=chunk.heading_path
                )
        return found

    def _upsert_dense(self, tier: str, entries: Sequence[OutboxEntry]) -> None:
        if self._vectors is None:
            return
        live = {
            chunk.chunk_key: chunk.document_key
            for chunk in self._pending.chunks_to_index([entry.chunk_key for entry in entries])
        }
        stored = self._vectors.get(list(live))
        if stored.chunk_keys:
            self._index.upsert_dense(
                tier,
                chunk_keys=stored.chunk_keys,
                document_keys=[live[key] for key in stored.chunk_keys],
                vectors=stored.vectors,
            )
