"""The public JSON objects (names are a contract: more may be added, none renamed)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from citewell.domain.answer import Answer, Citation
from citewell.domain.api_key import ApiKey
from citewell.domain.conversation import Conversation, FeedbackRecord, KeptTurn, Thread
from citewell.domain.erasure import Finding
from citewell.domain.passage import Passage, SearchResult
from citewell.domain.record import DocumentRecord, RunRecord
from citewell.domain.source import Source, SourceStatus
from citewell.ingestion.verify_stores import STORES


def search_reply(result: SearchResult) -> dict[str, Any]:
    """Return the reply of a search."""
    reply: dict[str, Any] = {
        "confidence": round(result.confidence, 4),
        "results": [passage_reply(passage) for passage in result.passages],
    }
    if result.notice:
        reply["notice"] = result.notice
    if result.explain is not None:
        reply["explain"] = result.explain
    return reply


def passage_reply(passage: Passage) -> dict[str, Any]:
    """Return a passage."""
    chunk = passage.chunk
    reply: dict[str, Any] = {
        "rank": passage.rank,
        "citation_id": f"{chunk.chunk_id}-{passage.span[0]:x}-{passage.span[1]:x}",
        "content": passage.content,
        "source": chunk.source_name,
        "source_name": chunk.source_name,
        "source_type": chunk.source_type,
        "relative_path": chunk.relative_path,
        "heading_path": list(chunk.heading_path),
        "heading": chunk.heading_path[-1] if chunk.heading_path else "",
        "score": None if passage.score is None else round(passage.score, 4),
        "span": list(passage.span),
        "tier": chunk.tier,
        "tags": list(chunk.tags),
        "document_id": chunk.document_id,
        "chunk_id": chunk.chunk_id,
        "modified_at": chunk.modified_at,
        "title": chunk.title,
    }
    if passage.page_start is not None:
        reply |= {"page_start": passage.page_start, "page_end": passage.page_end}
    return reply


def answer_reply(
    answer: Answer, *, request_id: str, conversation_id: str | None = None
) -> dict[str, Any]:
    """Return the reply to a question."""
    reply: dict[str, Any] = {
        "mode": answer.mode,
        "confidence": round(answer.confidence, 4),
        "answer": answer.text,
        "sentences": [
            {"text": s.text, "kind": s.kind, "citations": list(s.citations)}
            for s in answer.sentences
        ],
        "citations": [citation_reply(citation) for citation in answer.citations],
        "grounding": {**asdict(answer.grounding), "grounded": answer.grounding.grounded},
        "conversation_id": conversation_id,
        "request_id": request_id,
        "cached": answer.cached,
        "timings_ms": {step: round(ms, 1) for step, ms in answer.timings_ms.items()},
    }
    if answer.usage:
        reply["usage"] = dict(answer.usage)
    if answer.notice:
        reply["notice"] = answer.notice
    if answer.trace is not None:
        reply["trace"] = dict(answer.trace)
    return reply


def conversation_reply(conversation: Conversation) -> dict[str, Any]:
    """Return a conversation as it is listed."""
    return {
        "id": conversation.id,
        "title": conversation.title,
        "created_at": conversation.created_at,
        "updated_at": conversation.updated_at,
        "turns": conversation.n_turns,
    }


def thread_reply(thread: Thread) -> dict[str, Any]:
    """Return a conversation with its turns, oldest first; it is redacted for its reader."""
    reply = conversation_reply(thread.conversation)
    name = thread.conversation.id
    return reply | {"turns": [turn_reply(turn, conversation_id=name) for turn in thread.turns]}


def turn_reply(turn: KeptTurn, *, conversation_id: str | None) -> dict[str, Any]:
    """Return a question with its answer, as it may be read now."""
    answer = answer_reply(turn.answer, request_id=turn.id)
    del answer["timings_ms"], answer["cached"]
    return {
        "question": turn.question,
        "asked_at": turn.at,
        **answer,
        "conversation_id": conversation_id,
        "withheld": turn.n_withheld,
        "feedback": turn.feedback and asdict(turn.feedback),
    }


def feedback_reply(record: FeedbackRecord) -> dict[str, Any]:
    """Return feedback as the operator lists it."""
    return {
        "request_id": record.answer_id,
        **asdict(record.feedback),
        "tier": record.tiers[-1],
        "turn": record.turn and turn_reply(record.turn, conversation_id=None),
    }


def citation_reply(citation: Citation) -> dict[str, Any]:
    """Return a citation."""
    reply: dict[str, Any] = {
        "n": citation.n,
        "citation_id": citation.citation_id,
        "tag": citation.tag,
        "source": citation.source_name,
        "source_name": citation.source_name,
        "source_type": citation.source_type,
        "source_id": citation.source_id,
        "location": citation.location,
        "document_id": citation.document_id,
        "chunk_id": citation.chunk_id,
        "heading": citation.heading,
        "heading_path": list(citation.heading_path),
        "span": list(citation.span),
        "quote": citation.quote,
        "tier": citation.tier,
        "score": None if citation.score is None else round(citation.score, 4),
    }
    if citation.page is not None:
        reply |= {"page": citation.page, "paragraph": citation.paragraph}
    if citation.table_header:
        reply["table_header"] = citation.table_header
    return reply


def document_reply(record: DocumentRecord) -> dict[str, Any]:
    """Return a document as operators list it."""
    reply: dict[str, Any] = {
        "id": record.id,
        "source": record.source,
        "relative_path": record.relative_path,
        "title": record.title,
        "state": record.state.value,
        "tier": record.tier,
        "version": record.version,
        "chunks": record.n_chunks,
        "vectors": record.n_vectors,
        "notes": list(record.notes),
    }
    if record.n_pages is not None:
        reply["pages"] = record.n_pages
    if record.failure is not None:
        reply["failure"] = asdict(record.failure)
    if record.missing_since is not None:
        reply["missing_since"] = record.missing_since
    if record.held_until is not None:
        reply["held_until"] = record.held_until
    return reply


def run_reply(run: RunRecord) -> dict[str, Any]:
    """Return a sync run."""
    reply: dict[str, Any] = {
        "id": run.id,
        "source": run.source,
        "trigger": run.trigger,
        "state": run.state,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "duration_s": run.duration_s,
        **asdict(run.counts),
    }
    if run.error:
        reply["error"] = run.error
    return reply


def verification_reply(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return what a look into all stores found, store by store."""
    stores = (*STORES, *sorted({finding.store for finding in findings}.difference(STORES)))
    found = {
        store: [
            {"place": finding.place, "reason": finding.reason}
            for finding in findings
            if finding.store == store
        ]
        for store in stores
    }
    return {
        "is_clean": not findings,
        "stores": [
            {"store": store, "is_clean": not inside, "findings": inside}
            for store, inside in found.items()
        ],
    }


def source_reply(
    source: Source, status: SourceStatus, *, last_run: RunRecord | None = None
) -> dict[str, Any]:
    """Return a source, how it stands, and its last run."""
    reply: dict[str, Any] = {
        "id": source.id,
        "name": source.name,
        "type": source.type,
        "root": source.root,
        "tier": source.tier,
        "access": "folder-per-tier" if source.folder_per_tier else None,
        "scan_interval_s": source.scan_interval_s,
        "include": list(source.include),
        "exclude": list(source.exclude),
        "state": status.state,
        "watch": None,
        "last_run": run_reply(last_run) if last_run else None,
    }
    if status.reason:
        reply["reason"] = status.reason
    if status.watch_mode:
        reply["watch"] = {"mode": status.watch_mode, "reason": status.watch_reason}
    return reply


def key_reply(key: ApiKey, *, now: datetime) -> dict[str, Any]:
    """Return what is known of a key, and how it stands at a moment."""
    return {
        "id": key.id,
        "name": key.name,
        "prefix": key.prefix,
        "state": key.state_at(now),
        "tier": key.tier,
        "scopes": list(key.scopes),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "last_used_on": key.last_used_on,
    }
