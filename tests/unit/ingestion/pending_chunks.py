"""Pending work in memory, for tests of what does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from citewell.domain.record import OutboxEntry, PendingVector
from citewell.ports.embedder import EmbeddingModel
from citewell.ports.pending_work import PendingWork
from citewell.ports.vector_store import StoredVectors, VectorStore


def chunk(
    key: int, content: str, *, tier: str = "staff", source_id: str = "s1", **more: object
) -> PendingVector:
    """Return a chunk of document 10 * key."""
    values = {
        "heading_path": (),
        "title": "",
        "relative_path": f"{key}.md",
        "tags": (),
        "links": (),
    } | more
    return PendingVector(key, 10 * key, source_id, tier, content, **values)  # type: ignore[arg-type]


class MemoryPending(PendingWork):
    """An outbox and chunks that a test puts there.

    Attributes:
        chunks: Those that exist.
        waiting: Keys of those without a vector.
        texts_read: Keys of the chunks whose text was read, in order.
        refused: Why a chunk got no vector, by key.
    """

    def __init__(self, *chunks: PendingVector) -> None:
        self.chunks = {chunk.chunk_key: chunk for chunk in chunks}
        self.waiting = set(self.chunks)
        self.texts_read: list[int] = []
        self.refused: dict[int, str] = {}
        self._entries: list[OutboxEntry] = []

    def ask_for(
        self,
        operation: Literal["upsert_lexical", "upsert_dense", "delete"],
        *chunk_keys: int,
        tier: str = "staff",
    ) -> None:
        """Enter writes into the outbox."""
        for key in chunk_keys:
            sequence = self._entries[-1].sequence + 1 if self._entries else 1
            self._entries.append(OutboxEntry(sequence, operation, tier, key, 10 * key))

    @override
    def outbox(self, *, after: int, limit: int) -> Sequence[OutboxEntry]:
        return [entry for entry in self._entries if entry.sequence > after][:limit]

    @override
    def clear_outbox(self, *, up_to: int) -> None:
        self._entries = [entry for entry in self._entries if entry.sequence > up_to]

    @override
    def chunks_to_index(self, chunk_keys: Sequence[int]) -> Sequence[PendingVector]:
        self.texts_read += chunk_keys
        return [self.chunks[key] for key in sorted(chunk_keys) if key in self.chunks]

    @override
    def pending_vectors(self, *, limit: int) -> Sequence[PendingVector]:
        return [self.chunks[key] for key in sorted(self.waiting, reverse=True)[:limit]]

    @override
    def n_pending_vectors(self) -> int:
        return len(self.waiting)

    @override
    def vectors_made(self, chunk_keys: Sequence[int]) -> None:
        self.waiting -= set(chunk_keys)
        self.ask_for("upsert_dense", *chunk_keys)

    @override
    def vectors_refused(self, reasons: Mapping[int, str]) -> None:
        self.waiting -= set(reasons)
        self.refused |= reasons

    @override
    def request_index(self) -> int:
        raise NotImplementedError

    @override
    def request_vectors(self) -> int:
        raise NotImplementedError


class MemoryVectors(VectorStore):
    """Vectors in a dictionary."""

    def __init__(self, model: EmbeddingModel) -> None:
        self.rows: dict[int, NDArray[np.float32]] = {}
        self._model = model

    @property
    @override
    def model(self) -> EmbeddingModel:
        return self._model

    @override
    def put(self, chunk_keys: Sequence[int], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        self.rows |= dict(zip(chunk_keys, vectors, strict=True))
        return vectors

    @override
    def get(self, chunk_keys: Sequence[int]) -> StoredVectors:
        found = [key for key in chunk_keys if key in self.rows]
        rows = np.array([self.rows[key] for key in found], dtype=np.float32)
        missing = [key for key in chunk_keys if key not in self.rows]
        return StoredVectors(found, rows.reshape(len(found), self._model.dim), missing)

    @override
    def delete(self, chunk_keys: Sequence[int]) -> None:
        for key in chunk_keys:
            self.rows.pop(key, None)

    @override
    def erase_deleted(self) -> bool:
        raise NotImplementedError

    @override
    def keys(self) -> list[int]:
        return sorted(self.rows)

    @override
    def count(self) -> int:
        return len(self.rows)

    @override
    def sample(
        self, n: int, *, seed: int = 0, chunk_keys: Sequence[int] | None = None
    ) -> NDArray[np.float32]:
        raise NotImplementedError

    @override
    def close(self) -> None:
        raise NotImplementedError
