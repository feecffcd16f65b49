"""The port to the part of the catalog that knows what must still be erased."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from citewell.domain.erasure import ErasureRecord, ErasureWork, Store


@dataclass(frozen=True, slots=True)
class LiveChunk:
    """A chunk whose text is rightly in the stores.

    Attributes:
        chunk_key: The catalog's key.
        document_key: Of its document.
        tier: Of its document.
        text_sha: Its name in the embedding cache.
    """

    chunk_key: int
    document_key: int
    tier: str
    text_sha: bytes


class ErasureLog(Protocol):
    """What went and is not yet erased everywhere: keys and hashes, never text.

    Entries are made in the transaction that deletes, replaces or moves. A text that comes back, in
    whatever document, leaves the log in the transaction that makes it live again.
    """

    def oldest_pending(self) -> datetime | None:
        """Return when the oldest of what is not yet erased went, or None; cheap."""
        ...

    def work(self, store: Store) -> ErasureWork:
        """Return what a store must still erase."""
        ...

    def note_erased(self, store: Store, *, up_to: int) -> None:
        """Record that a store holds no trace of what went up to an erasure."""
        ...

    def drop_hashes(self, *, up_to: int) -> None:
        """Delete the hashes and keys of erasures that only the catalog has still to do."""
        ...

    def wipe(self) -> bool:
        """Empty the catalog's write-ahead log.

        Returns:
            True when nothing older than the present is left in it; False when something else reads:
            call again later.
        """
        ...

    def compact(self) -> bool:
        """Rewrite the catalog's file, leaving out what lies between live rows; else as `wipe`."""
        ...

    def records_of(self, relative_path: str) -> Sequence[ErasureRecord]:
        """Return what is known of documents that went from a path, the newest first."""
        ...

    def texts_of(self, document_keys: Sequence[int]) -> Sequence[str]:
        """Return all text that is kept of documents and their members: chunks, titles, metadata."""
        ...

    def n_leftovers(self) -> int:
        """Return how many chunks and documents an interrupted sync left behind, unseen."""
        ...

    def live_tiers(self, chunk_keys: Sequence[int]) -> Mapping[int, str]:
        """Return the tiers of those chunks that `live_chunks` yields, by key."""
        ...

    def live_tiers_of(self, chunk_ids: Sequence[str]) -> Mapping[str, str]:
        """Return the same as `live_tiers`, by the ids that citations have."""
        ...

    def known_documents(self, document_ids: Sequence[str]) -> frozenset[str]:
        """Return those of the documents that are there, hidden ones too."""
        ...

    def live_chunks(self) -> Iterator[LiveChunk]:
        """Yield every chunk of the current versions, by key; those of hidden documents too."""
        ...
