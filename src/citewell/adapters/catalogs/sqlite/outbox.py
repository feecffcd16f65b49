"""What the projections lack: the index's outbox and the chunks without vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import bindparam, delete, func, insert, literal, select, update
from typing_extensions import override

from citewell.adapters.catalogs.sqlite.batches import batched
from citewell.adapters.catalogs.sqlite.record_orphans import record_orphans
from citewell.adapters.catalogs.sqlite.schema import (
    chunk_terms,
    chunks,
    documents,
    index_outbox,
    pending_vectors,
)
from citewell.domain.record import OutboxEntry, PendingVector
from citewell.ports.index import Leg
from citewell.ports.pending_work import PendingWork

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


_OUTBOX = (
    select(*(index_outbox.c[field.name] for field in fields(OutboxEntry)))
    .where(index_outbox.c.sequence > bindparam("after"))
    .order_by(index_outbox.c.sequence)
    .limit(bindparam("limit"))
)
_CLEAR_OUTBOX = delete(index_outbox).where(index_outbox.c.sequence <= bindparam("up_to"))
_ENQUEUE = insert(index_outbox)
_NOBODY = 0  # the document of a point that the catalog does not know


def enqueue(
    connection: Connection,
    operation: Literal["upsert_lexical", "upsert_dense", "delete"],
    *,
    tier: str,
    document_key: int,
    chunk_keys: Sequence[int],
) -> None:
    """Add writes to the index to the outbox, in the caller's transaction."""
    if chunk_keys:
        connection.execute(
            _ENQUEUE,
            [
                {
                    "operation": operation,
                    "tier": tier,
                    "chunk_key": key,
                    "document_key": document_key,
                }
                for key in chunk_keys
            ],
        )


PENDING_COLUMNS = (
    chunks.c.key,
    chunks.c.document_key,
    documents.c.source_id,
    documents.c.tier,
    chunks.c.content,
    chunks.c.heading_path,
    documents.c.title,
    documents.c.relative_path,
    documents.c.tags,
    documents.c.links,
)


class SqlitePendingWork(PendingWork):
    """Reads and clears what the projections lack."""

    def __init__(self, engine: Engine, *, now: Callable[[], datetime]) -> None:
        """Take the engine and a clock."""
        self._engine = engine
        self._now = now

    @override
    def outbox(self, *, after: int, limit: int) -> Sequence[OutboxEntry]:
        with self._reading() as connection:
            rows = connection.execute(_OUTBOX, {"after": after, "limit": limit})
            return [OutboxEntry(*row) for row in rows.all()]

    @override
    def clear_outbox(self, *, up_to: int) -> None:
        with self._engine.begin() as connection:
            connection.execute(_CLEAR_OUTBOX, {"up_to": up_to})

    @override
    def chunks_to_index(self, chunk_keys: Sequence[int]) -> Sequence[PendingVector]:
        found: list[PendingVector] = []
        with self._reading() as connection:
            for keys in batched(sorted(chunk_keys)):
                query = (
                    select(*PENDING_COLUMNS)
                    .join(documents, documents.c.key == chunks.c.document_key)
                    .where(chunks.c.key.in_(keys))
                    .order_by(chunks.c.key)
                )
                found += [pending_chunk(row) for row in connection.execute(query)]
        return found

    @override
    def pending_vectors(self, *, limit: int) -> Sequence[PendingVector]:
        query = (
            select(*PENDING_COLUMNS)
            .join(pending_vectors, pending_vectors.c.chunk_key == chunks.c.key)
            .join(documents, documents.c.key == chunks.c.document_key)
            .where(documents.c.is_live)
            .order_by(pending_vectors.c.chunk_key.desc())
            .limit(limit)
        )
        with self._reading() as connection:
            return [pending_chunk(row) for row in connection.execute(query)]

    @override
    def n_pending_vectors(self) -> int:
        query = (
            select(func.count())
            .select_from(pending_vectors)
            .join(chunks, chunks.c.key == pending_vectors.c.chunk_key)
            .join(documents, documents.c.key == chunks.c.document_key)
            .where(documents.c.is_live)
        )
        with self._reading() as connection:
            return connection.execute(query).scalar_one()

    @override
    def vectors_made(self, chunk_keys: Sequence[int]) -> None:
        with self._engine.begin() as connection:
            for keys in batched(chunk_keys):
                rows = connection.execute(
                    select(chunks.c.key, chunks.c.document_key, documents.c.tier)
                    .join(documents, documents.c.key == chunks.c.document_key)
                    .where(chunks.c.key.in_(keys))
                ).all()
                connection.execute(
                    delete(pending_vectors).where(pending_vectors.c.chunk_key.in_(keys))
                )
                for key, document_key, tier in rows:
                    enqueue(
                        connection,
                        "upsert_dense",
                        tier=tier,
                        document_key=document_key,
                        chunk_keys=[key],
                    )

    @override
    def vectors_refused(self, reasons: Mapping[int, str]) -> None:
        with self._engine.begin() as connection:
            for chunk_key, reason in reasons.items():
                row = connection.execute(
                    select(documents.c.key, documents.c.notes, chunks.c.ordinal)
                    .join(chunks, chunks.c.document_key == documents.c.key)
                    .where(chunks.c.key == chunk_key)
                ).first()
                connection.execute(
                    delete(pending_vectors).where(pending_vectors.c.chunk_key == chunk_key)
                )
                if row is not None:
                    note = f"part {row.ordinal + 1} is found by words alone: {reason}"
                    connection.execute(
                        update(documents)
                        .where(documents.c.key == row.key)
                        .values(notes=[*row.notes, note])
                    )

    @override
    def request_index(self) -> int:
        columns = ["operation", "tier", "chunk_key", "document_key"]
        waiting = select(pending_vectors.c.chunk_key)
        with self._engine.begin() as connection:
            connection.execute(delete(index_outbox))
            lexical = _current_chunks(
                literal("upsert_lexical"), documents.c.tier, chunks.c.key, chunks.c.document_key
            )
            dense = _current_chunks(
                literal("upsert_dense"), documents.c.tier, chunks.c.key, chunks.c.document_key
            ).where(chunks.c.key.not_in(waiting))
            connection.execute(insert(index_outbox).from_select(columns, lexical))
            connection.execute(insert(index_outbox).from_select(columns, dense))
            return connection.execute(
                select(func.count(func.distinct(index_outbox.c.chunk_key)))
            ).scalar_one()

    @override
    def request_vectors(self) -> int:
        with self._engine.begin() as connection:
            connection.execute(delete(pending_vectors))
            live = _current_chunks(chunks.c.key)
            connection.execute(insert(pending_vectors).from_select(["chunk_key"], live))
            return connection.execute(
                select(func.count()).select_from(pending_vectors)
            ).scalar_one()

    @override
    def current_keys(self) -> Sequence[int]:
        with self._reading() as connection:
            return list(connection.execute(_current_chunks(chunks.c.key)).scalars())

    @override
    def expected_keys(self, tier: str, leg: Leg) -> Sequence[int]:
        query = _current_chunks(chunks.c.key).where(documents.c.tier == tier)
        if leg == "lexical":
            query = query.join(chunk_terms, chunk_terms.c.chunk_key == chunks.c.key).where(
                func.length(chunk_terms.c.terms) > 0
            )
        else:
            query = query.where(chunks.c.key.not_in(select(pending_vectors.c.chunk_key)))
        with self._reading() as connection:
            return list(connection.execute(query).scalars())

    @override
    def request_points(self, tier: str, leg: Leg, chunk_keys: Sequence[int]) -> None:
        operation = "upsert_lexical" if leg == "lexical" else "upsert_dense"
        with self._engine.begin() as connection:
            for keys in batched(chunk_keys):
                owners = select(chunks.c.document_key, chunks.c.key).where(chunks.c.key.in_(keys))
                for document_key, key in connection.execute(owners).all():
                    enqueue(
                        connection,
                        operation,
                        tier=tier,
                        document_key=document_key,
                        chunk_keys=[key],
                    )

    @override
    def request_removal(self, tier: str, chunk_keys: Sequence[int]) -> None:
        if not chunk_keys:
            return
        with self._engine.begin() as connection:
            enqueue(connection, "delete", tier=tier, document_key=_NOBODY, chunk_keys=chunk_keys)
            record_orphans(connection, tier, chunk_keys, now=self._now())

    @override
    def record_orphans(self, chunk_keys: Sequence[int]) -> None:
        with self._engine.begin() as connection:
            record_orphans(connection, "", chunk_keys, now=self._now())

    def _reading(self) -> Connection:
        return self._engine.connect().execution_options(citewell_reading=True)


def _current_chunks(*columns: Any) -> Any:
    """Select columns of the chunks of all current versions, in order of the key.

    Those of hidden documents too: they may be shown again.
    """
    return (
        select(*columns)
        .join(documents, documents.c.key == chunks.c.document_key)
        .where(documents.c.is_live | documents.c.missing_since.is_not(None))
        .where(chunks.c.generation == documents.c.generation)
        .order_by(chunks.c.key)
    )


def pending_chunk(row: Any) -> PendingVector:
    """Return a chunk as the projections need it, from a row with `PENDING_COLUMNS`."""
    return PendingVector(
        chunk_key=row.key,
        document_key=row.document_key,
        source_id=row.source_id,
        tier=row.tier,
        content=row.content,
        heading_path=tuple(row.heading_path),
        title=row.title,
        relative_path=row.relative_path,
        tags=tuple(row.tags),
        links=tuple(row.links),
    )
