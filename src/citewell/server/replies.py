"""Replies that only the server gives, shaped for who asks."""

from __future__ import annotations

from typing import Any

from citewell.domain.clearance import Principal
from citewell.domain.library import DocumentPart, Excerpt, ReadableDocument
from citewell.domain.passage import VisibleChunk
from citewell.replies import document_reply

_FOR_OPERATORS = frozenset({"chunks", "vectors", "notes", "failure", "version"})


def readable_document_reply(document: ReadableDocument, principal: Principal) -> dict[str, Any]:
    """Return a document: states for readers, counts and failures for operators."""
    reply = document_reply(document.record)
    if "admin" not in principal.scopes:
        reply = {name: value for name, value in reply.items() if name not in _FOR_OPERATORS}
        if reply["state"] == "indexed":
            reply["state"] = "searchable"  # how far vectors lag is for operators
    return reply | {
        "source_type": document.source_type,
        "type": document.record.type,
        "tags": list(document.tags),
        "modified_at": document.modified_at,
    }


def document_part_reply(part: DocumentPart, principal: Principal) -> dict[str, Any]:
    """Return a document with a stretch of its text."""
    return readable_document_reply(part.document, principal) | {
        "text": part.text,
        "span": list(part.span),
        "parts": [_chunk(chunk) for chunk in part.chunks],
        "next_start": part.next_start,
    }


def excerpt_reply(excerpt: Excerpt) -> dict[str, Any]:
    """Return what a citation points to."""
    chunk = excerpt.chunk
    return {
        "citation_id": excerpt.citation_id,
        "content": excerpt.text,
        "source": chunk.source_name,
        "source_name": chunk.source_name,
        "source_type": chunk.source_type,
        "relative_path": chunk.relative_path,
        "title": chunk.title,
        "heading": chunk.heading_path[-1] if chunk.heading_path else "",
        "tier": chunk.tier,
        "tags": list(chunk.tags),
        "document_id": chunk.document_id,
        "modified_at": chunk.modified_at,
        **_chunk(chunk),
        "span": list(excerpt.span),
    }


def _chunk(chunk: VisibleChunk) -> dict[str, Any]:
    reply: dict[str, Any] = {
        "chunk_id": chunk.chunk_id,
        "ordinal": chunk.ordinal,
        "heading_path": list(chunk.heading_path),
        "span": list(chunk.span),
    }
    if chunk.page_start is not None:
        reply |= {"page_start": chunk.page_start, "page_end": chunk.page_end}
    return reply
