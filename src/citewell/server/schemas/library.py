"""Replies of `/sources`, `/sync`, `/documents` and `/citations`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class SourceReply(BaseModel):
    """A source; all but name, type and state is for operators."""

    name: str
    type: str
    state: str
    id: str | None = None
    root: str | None = None
    tier: str | None = None
    access: str | None = None
    scan_interval_s: int | None = None
    include: list[str] | None = None
    exclude: list[str] | None = None
    watch: dict[str, Any] | None = None
    last_run: dict[str, Any] | None = None
    reason: str | None = None


class SourcesReply(BaseModel):
    """The sources of which the caller may see something."""

    sources: list[SourceReply]


class SyncReply(BaseModel):
    """A run that has begun; with `wait`, the run as it ended."""

    run_id: str
    run: dict[str, Any] | None = None


class RunReply(BaseModel):
    """A sync run."""

    id: str
    source: str
    trigger: str
    state: str
    started_at: str
    finished_at: str | None
    duration_s: float | None
    added: int
    updated: int
    moved: int
    deleted: int
    hidden: int
    restored: int
    skipped: int
    failed: int
    chunks_written: int
    embeddings_computed: int
    embeddings_reused: int
    drift_repaired: int
    error: str | None = None


class RunsReply(BaseModel):
    """The newest runs first."""

    runs: list[RunReply]


class DocumentReply(BaseModel):
    """A document; counts, version, notes and failure are for operators."""

    id: str
    source: str
    source_type: str
    relative_path: str
    title: str
    type: str
    state: str
    tier: str
    tags: list[str]
    modified_at: str
    pages: int | None = None
    version: str | None = None
    chunks: int | None = None
    vectors: int | None = None
    notes: list[str] | None = None
    failure: dict[str, Any] | None = None


class DocumentsReply(BaseModel):
    """Some documents, by source and path."""

    documents: list[DocumentReply]
    next_cursor: str | None


class ChunkReply(BaseModel):
    """A chunk of a document."""

    chunk_id: str
    ordinal: int
    heading_path: list[str]
    span: list[int]
    page_start: int | None = None
    page_end: int | None = None


class DocumentTextReply(DocumentReply):
    """A document with a stretch of its text, and the chunks that it is made of."""

    text: str
    span: list[int]
    parts: list[ChunkReply]
    next_start: int | None


class ExcerptReply(BaseModel):
    """What a citation points to, as it stands now."""

    citation_id: str
    content: str
    source: str
    source_name: str
    source_type: str
    relative_path: str
    title: str
    heading_path: list[str]
    heading: str
    span: list[int]
    tier: str
    tags: list[str]
    document_id: str
    chunk_id: str
    ordinal: int
    modified_at: str
    page_start: int | None = None
    page_end: int | None = None
