"""Documents and chunks as the columns of their tables, and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from citewell.adapters.catalogs.sqlite.rows import failure_of
from citewell.domain.document import DocumentState
from citewell.domain.record import DocumentRecord, KnownItem, NewChunk, NewVersion


def known_item(row: Any) -> KnownItem:
    """Return what a sync knows of an item, from its row."""
    return KnownItem(
        *row[:6],
        state=DocumentState(row.state),
        failure=failure_of(row.failure),
        size_bytes=row.size_bytes,
        missing_since=row.missing_since,
        held_until=row.held_until,
    )


def document_values(version: NewVersion) -> dict[str, Any]:
    """Return the columns of a version."""
    return {
        "parent_key": version.parent_key,
        "tier": version.tier,
        "state": version.state.value,
        "title": version.title,
        "type": version.type,
        "size_bytes": version.size_bytes,
        "modified_ns": version.modified_ns,
        "fingerprint": version.fingerprint,
        "content_sha256": version.content_sha256,
        "recipe": version.recipe,
        "version": version.version,
        "n_pages": version.n_pages,
        "frontmatter": dict(version.frontmatter),
        "tags": list(version.tags),
        "links": list(version.links),
        "notes": list(version.notes),
        "failure": asdict(version.failure) if version.failure else None,
    }


def placement(new: NewChunk) -> dict[str, Any]:
    """Return the columns that change when text before a chunk changes."""
    chunk = new.chunk
    header = chunk.header_span or (None, None)
    return {
        "ordinal": chunk.ordinal,
        "span_start": chunk.span[0],
        "span_end": chunk.span[1],
        "header_start": header[0],
        "header_end": header[1],
        "page_start": chunk.page_start,
        "page_end": chunk.page_end,
        "paragraph_start": chunk.paragraph_start,
        "paragraph_end": chunk.paragraph_end,
        "page_breaks": [list(pair) for pair in chunk.page_breaks],
    }


def document_record(row: Any) -> DocumentRecord:
    """Return a document as an operator lists it, from its row."""
    n_chunks = row.n_chunks or 0
    n_pending = row.n_pending or 0
    state = DocumentState(row.state)
    if state is DocumentState.SEARCHABLE and n_chunks and not n_pending:
        state = DocumentState.INDEXED
    return DocumentRecord(
        key=row.key,
        id=row.id,
        source=row.source,
        relative_path=row.relative_path,
        title=row.title,
        type=row.type,
        state=state,
        tier=row.tier,
        version=row.version,
        n_pages=row.n_pages,
        n_chunks=n_chunks,
        n_vectors=n_chunks - n_pending,
        notes=tuple(row.notes),
        failure=failure_of(row.failure),
        missing_since=row.missing_since,
        held_until=row.held_until,
    )
