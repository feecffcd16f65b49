"""What was deleted and must be erased from the stores, and what a look into them found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ErasureKind = Literal["deleted", "replaced", "moved", "orphaned"]
"""A document went; a version gave way to the next; a document changed its tier; a projection held
something that the catalog did not know."""

Store = Literal["index", "vectors", "embedding cache", "answer cache", "conversations", "catalog"]
"""Where text, or what was made of text, is kept."""


@dataclass(frozen=True, slots=True)
class ErasureWork:
    """What one store must still erase.

    Attributes:
        up_to: Key of the newest erasure among it; 0 when there is nothing to do.
        tiers: Whose indexes had points removed, in order.
        chunk_keys: Chunks that no longer exist, ascending.
        text_shas: Names in the embedding cache of texts that are no longer live.
        document_ids: Of the documents of which something went, in order.
    """

    up_to: int = 0
    tiers: tuple[str, ...] = ()
    chunk_keys: tuple[int, ...] = ()
    text_shas: tuple[bytes, ...] = ()
    document_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ErasureRecord:
    """When something went and when it was erased; the catalog keeps no text of it.

    Attributes:
        kind: What happened.
        source_id: Source of the document.
        document_id: Of the document.
        generation: Of its last version that held the text.
        at: ISO 8601 in UTC, when it became unreadable.
        erased_at: The same, when it was erased from every store; None while that is to do.
    """

    kind: ErasureKind
    source_id: str
    document_id: str
    generation: int
    at: str
    erased_at: str | None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a store that belongs to no live document.

    Attributes:
        store: Where.
        place: File, table, tier or page; no text.
        reason: What is wrong with it, one sentence without document text.
    """

    store: str
    place: str
    reason: str
