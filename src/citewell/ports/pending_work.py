"""The port to the part of the catalog that knows what the projections lack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from citewell.domain.record import OutboxEntry, PendingVector
from citewell.ports.index import Leg


class PendingWork(Protocol):
    """What the index and the vector store do not have yet."""

    def outbox(self, *, after: int, limit: int) -> Sequence[OutboxEntry]:
        """Return the oldest writes after a sequence that are not known to be durable."""
        ...

    def clear_outbox(self, *, up_to: int) -> None:
        """Forget writes up to and including a sequence: they are durable."""
        ...

    def chunks_to_index(self, chunk_keys: Sequence[int]) -> Sequence[PendingVector]:
        """Return what the index needs of chunks that still exist, in order of the key."""
        ...

    def pending_vectors(self, *, limit: int) -> Sequence[PendingVector]:
        """Return live chunks without a vector, newest first."""
        ...

    def n_pending_vectors(self) -> int:
        """Return how many live chunks have no vector."""
        ...

    def vectors_made(self, chunk_keys: Sequence[int]) -> None:
        """Record that these chunks have vectors; their upserts enter the outbox."""
        ...

    def vectors_refused(self, reasons: Mapping[int, str]) -> None:
        """Record that the embedder cannot take these chunks, as a note of their documents.

        Args:
            reasons: By chunk key; one sentence each, without document text.
        """
        ...

    def request_index(self) -> int:
        """Enter all live chunks into the outbox, and return how many: the index was lost."""
        ...

    def request_vectors(self) -> int:
        """Ask for the vectors of all live chunks anew, and return how many."""
        ...

    def current_keys(self) -> Sequence[int]:
        """Return the keys of all chunks of current versions, also of hidden documents."""
        ...

    def expected_keys(self, tier: str, leg: Leg) -> Sequence[int]:
        """Return the keys of the chunks that a leg of a tier's index must hold, ascending.

        They belong to current versions, also of documents that are hidden. For the lexical leg they
        have terms; for the dense leg they wait for no vector, though some may have none.
        """
        ...

    def request_points(self, tier: str, leg: Leg, chunk_keys: Sequence[int]) -> None:
        """Enter these chunks of a tier into the outbox: their points are missing in a leg."""
        ...

    def request_removal(self, tier: str, chunk_keys: Sequence[int]) -> None:
        """Enter the removal of these points of a tier into the outbox, from both legs.

        Their traces are to be erased then.
        """
        ...

    def record_orphans(self, chunk_keys: Sequence[int]) -> None:
        """Record that the vectors of these unknown chunks are removed: traces are to be erased."""
        ...
