"""What the catalog knows of documents, runs and pending work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from citewell.domain.chunk import Chunk
from citewell.domain.document import DocumentState

Stage = Literal["read", "convert", "chunk", "tag", "embed", "index"]
Trigger = Literal["schedule", "watch", "manual"]
"""What starts a sync."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a document could not be ingested.

    Attributes:
        stage: Where it failed.
        type: Name of the error class.
        reason: One sentence, without document text.
        attempts: Tries so far, from 1.
        next_retry_at: ISO 8601 in UTC, or None when it waits for a change or a manual retry.
    """

    stage: Stage
    type: str
    reason: str
    attempts: int = 1
    next_retry_at: str | None = None


@dataclass(frozen=True, slots=True)
class KnownItem:
    """An item as of the last sync.

    Attributes:
        document_key: The catalog's key.
        relative_path: In the source.
        fingerprint: Of the item when it was last read.
        content_sha256: Hex digest of its bytes; "" when it was never read.
        recipe: Converter, chunking and analysis that made the current version.
        tier: Access level.
        state: What became of it.
        failure: Why it failed last time, or None.
        size_bytes: Of the item when it was last read.
        missing_since: When a scan first did not find it, ISO 8601 in UTC: it is hidden. None while
            it is there.
        held_until: It is one of too many that went at once: not erased before, unless confirmed.
    """

    document_key: int
    relative_path: str
    fingerprint: str
    content_sha256: str
    recipe: str
    tier: str
    state: DocumentState
    failure: Failure | None = None
    size_bytes: int = 0
    missing_since: str | None = None
    held_until: str | None = None


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """How many items of a source the catalog knows.

    Attributes:
        known: All of them, without members of archives.
        missing: Those among them that are hidden since a scan did not find them.
    """

    known: int
    missing: int


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk of a version that is being written.

    Attributes:
        chunk: The chunk.
        digest: Hash of heading path, text and occurrence in the document; with the document it
            gives the chunk's id.
        terms: Hashed terms of its lexical vector, ascending, each once.
    """

    chunk: Chunk
    digest: bytes
    terms: Sequence[int]


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version of a document, ready to be switched to.

    Attributes:
        source_id: Of the source.
        relative_path: Of the document; for a member, path of the archive and of the member.
        parent_key: Key of the archive that holds it, or None.
        tier: Access level.
        title: For display.
        type: File type, e.g. `pdf`.
        size_bytes: Of the item.
        modified_ns: Of the item.
        fingerprint: Of the item.
        content_sha256: Of the item's bytes.
        recipe: Converter, chunking and analysis that made it.
        version: SHA-256 of what the document was made from.
        state: `searchable`, or a state without chunks.
        n_pages: Pages, or None.
        frontmatter: JSON values.
        tags: Without `#`.
        links: Targets of wiki links.
        notes: For the operator.
        chunks: In order of the document; empty for states without text.
        failure: For a state that is a failure, why.
    """

    source_id: str
    relative_path: str
    parent_key: int | None
    tier: str
    title: str
    type: str
    size_bytes: int
    modified_ns: int
    fingerprint: str
    content_sha256: str
    recipe: str
    version: str
    state: DocumentState
    n_pages: int | None = None
    frontmatter: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    chunks: Sequence[NewChunk] = ()
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class StagedVersion:
    """A version whose new chunks are stored but not yet visible.

    Attributes:
        document_key: The catalog's key of the document.
        generation: The generation that will be current after the switch.
        chunk_keys: Keys of all chunks, in order.
        new_keys: Those that were not part of the version before: what must be indexed.
    """

    document_key: int
    generation: int
    chunk_keys: tuple[int, ...]
    new_keys: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document as an operator lists it; fields as in `NewVersion` and `KnownItem`."""

    key: int
    id: str
    source: str
    relative_path: str
    title: str
    type: str
    state: DocumentState
    tier: str
    version: str
    n_pages: int | None
    n_chunks: int
    n_vectors: int
    notes: tuple[str, ...]
    failure: Failure | None
    missing_since: str | None = None
    held_until: str | None = None


@dataclass(frozen=True, slots=True)
class PendingVector:
    """A chunk whose vector is missing."""

    chunk_key: int
    document_key: int
    source_id: str
    tier: str
    content: str
    heading_path: tuple[str, ...]
    title: str
    relative_path: str
    tags: tuple[str, ...]
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """A write to the index that is not known to be durable yet.

    Attributes:
        sequence: Ascending.
        operation: `upsert_lexical`, `upsert_dense` or `delete`.
        tier: Index that it concerns.
        chunk_key: Point that it concerns.
        document_key: Document of the point.
    """

    sequence: int
    operation: Literal["upsert_lexical", "upsert_dense", "delete"]
    tier: str
    chunk_key: int
    document_key: int


@dataclass(frozen=True, slots=True)
class RunCounts:
    """What one sync run did; all at least 0.

    `deleted` counts the documents that went; `hidden` those that went too many at once, which wait
    to be erased; `restored` those that came back before they were erased.
    """

    added: int = 0
    updated: int = 0
    moved: int = 0
    deleted: int = 0
    hidden: int = 0
    restored: int = 0
    skipped: int = 0
    failed: int = 0
    chunks_written: int = 0
    embeddings_computed: int = 0
    embeddings_reused: int = 0
    drift_repaired: int = 0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One sync run of one source.

    Attributes:
        id: Random, 128 bits.
        source: Name of the source.
        trigger: What started it.
        state: How it stands; `interrupted` when its process died.
        started_at: ISO 8601 in UTC.
        finished_at: The same, or None while it runs.
        counts: What it did.
        error: Why it failed, or None.
    """

    id: str
    source: str
    trigger: Trigger
    state: Literal["running", "succeeded", "failed", "cancelled", "interrupted"]
    started_at: str
    finished_at: str | None
    counts: RunCounts
    error: str | None = None

    @property
    def duration_s(self) -> float | None:
        """How long it took, in seconds, or None while it runs or when its process died."""
        if self.finished_at is None:
            return None
        took = datetime.fromisoformat(self.finished_at) - datetime.fromisoformat(self.started_at)
        return round(took.total_seconds(), 3)
