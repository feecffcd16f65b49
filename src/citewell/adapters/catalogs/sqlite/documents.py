"""Documents and their versions."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, insert, or_, select, update
from typing_extensions import override

from citewell.adapters.catalogs.sqlite import missing, statistics
from citewell.adapters.catalogs.sqlite.batches import batched
from citewell.adapters.catalogs.sqlite.outbox import enqueue
from citewell.adapters.catalogs.sqlite.rows import failure_of, iso_utc
from citewell.adapters.catalogs.sqlite.schema import (
    chunk_terms,
    chunks,
    documents,
    pending_vectors,
    sources,
)
from citewell.domain.document import DocumentState
from citewell.domain.record import (
    DocumentRecord,
    Failure,
    ItemCounts,
    KnownItem,
    NewChunk,
    NewVersion,
    StagedVersion,
)
from citewell.domain.source import SourceItem
from citewell.ports.document_catalog import DocumentCatalog

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


_PATHS_PER_STATEMENT = 100
_KNOWN_COLUMNS = (
    documents.c.key,
    documents.c.relative_path,
    documents.c.fingerprint,
    documents.c.content_sha256,
    documents.c.recipe,
    documents.c.tier,
    documents.c.state,
    documents.c.failure,
    documents.c.size_bytes,
    documents.c.missing_since,
    documents.c.held_until,
)


class SqliteDocuments(DocumentCatalog):
    """Writes documents; every method is one transaction."""

    def __init__(self, engine: Engine, *, secret: bytes, now: Callable[[], datetime]) -> None:
        """Take the engine, the catalog's secret for chunk ids, and a clock."""
        self._engine = engine
        self._secret = secret
        self._now = now

    @override
    def known_items(
        self, source_id: str, *, within: Sequence[str] | None = None
    ) -> Sequence[KnownItem]:
        query = (
            select(*_KNOWN_COLUMNS)
            .where(documents.c.source_id == source_id, documents.c.parent_key.is_(None))
            .where(documents.c.is_live | documents.c.missing_since.is_not(None))
            .order_by(documents.c.relative_path)
        )
        parts = [None] if within is None else batched(sorted(set(within)), _PATHS_PER_STATEMENT)
        found: dict[int, KnownItem] = {}
        with self._engine.connect().execution_options(citewell_reading=True) as connection:
            for paths in parts:
                some = query if paths is None else query.where(_lies_within(paths))
                found |= {row.key: _known_item(row) for row in connection.execute(some)}
        return list(found.values())

    @override
    def count_items(self, source_id: str) -> ItemCounts:
        with self._engine.connect().execution_options(citewell_reading=True) as connection:
            return ItemCounts(*missing.count_items(connection, source_id))

    @override
    def stage(self, version: NewVersion) -> StagedVersion:
        with self._engine.begin() as connection:
            row = self._document_row(connection, version)
            _delete_other_generations(connection, [row.key], keep=row.generation)
            known = _chunk_keys_by_id(connection, row.key)
            ids = [self._chunk_id(row.id, chunk) for chunk in version.chunks]
            fresh = [
                (chunk_id, chunk)
                for chunk_id, chunk in zip(ids, version.chunks, strict=True)
                if chunk_id not in known
            ]
            generation = row.generation + 1
            known |= _insert_chunks(connection, row.key, generation, fresh)
            new_keys = tuple(known[chunk_id] for chunk_id, _ in fresh)
            if new_keys:
                enqueue(
                    connection,
                    "upsert_lexical",
                    tier=version.tier,
                    document_key=row.key,
                    chunk_keys=new_keys,
                )
            return StagedVersion(
                document_key=row.key,
                generation=generation,
                chunk_keys=tuple(known[chunk_id] for chunk_id in ids),
                new_keys=new_keys,
            )

    @override
    def switch(self, staged: StagedVersion, version: NewVersion) -> Sequence[int]:
        with self._engine.begin() as connection:
            key = staged.document_key
            missing.show(connection, [key], with_members=False)
            old = connection.execute(
                select(documents.c.tier, documents.c.generation).where(documents.c.key == key)
            ).one()
            kept = set(staged.chunk_keys) - set(staged.new_keys)
            current = _keys_of_generation(connection, key, old.generation)
            gone = [chunk_key for chunk_key in current if chunk_key not in kept]
            statistics.drop_chunks(connection, old.tier, gone)
            if old.tier != version.tier:
                _retier_chunks(connection, key, sorted(kept), old=old.tier, new=version.tier)
            statistics.add_chunks(connection, version.tier, staged.new_keys)
            _place_chunks(connection, staged, version)
            _delete_chunks(connection, key, old.tier, gone)
            connection.execute(
                update(documents)
                .where(documents.c.key == key)
                .values(
                    is_live=True,
                    generation=staged.generation,
                    indexed_at=iso_utc(self._now()),
                    **_document_values(version),
                )
            )
            if staged.new_keys:
                connection.execute(
                    insert(pending_vectors), [{"chunk_key": k} for k in staged.new_keys]
                )
            return gone

    @override
    def record_failure(self, version: NewVersion, failure: Failure) -> None:
        with self._engine.begin() as connection:
            row = self._document_row(connection, version)
            _drop_if_hidden(connection, row.key)
            values: dict[str, Any] = {
                "failure": asdict(failure),
                "fingerprint": version.fingerprint,
                "is_live": True,
            }
            if not _keys_of_generation(connection, row.key, row.generation):
                values |= {**_document_values(version), "failure": asdict(failure)}
            connection.execute(update(documents).where(documents.c.key == row.key).values(**values))

    @override
    def touch(self, document_key: int, item: SourceItem) -> None:
        with self._engine.begin() as connection:
            connection.execute(
                update(documents)
                .where(documents.c.key == document_key)
                .values(fingerprint=item.fingerprint, modified_ns=item.modified_ns)
            )
            missing.show(connection, [document_key])

    @override
    def hide(self, document_keys: Sequence[int], *, held_until: datetime | None = None) -> int:
        until = held_until and iso_utc(held_until)
        with self._engine.begin() as connection:
            return missing.hide(
                connection, document_keys, since=iso_utc(self._now()), held_until=until
            )

    @override
    def show(self, document_keys: Sequence[int]) -> int:
        with self._engine.begin() as connection:
            return missing.show(connection, document_keys)

    @override
    def move(self, document_key: int, item: SourceItem, *, tier: str) -> None:
        with self._engine.begin() as connection:
            missing.show(connection, [document_key])
            old_path = connection.execute(
                select(documents.c.relative_path).where(documents.c.key == document_key)
            ).scalar_one()
            for row in _family(connection, [document_key]):
                if row.tier != tier:
                    keys = _keys_of_generation(connection, row.key, row.generation)
                    _retier_chunks(connection, row.key, keys, old=row.tier, new=tier)
                path = item.relative_path + row.relative_path.removeprefix(old_path)
                connection.execute(
                    update(documents)
                    .where(documents.c.key == row.key)
                    .values(
                        relative_path=path,
                        tier=tier,
                        fingerprint=item.fingerprint,
                        modified_ns=item.modified_ns,
                    )
                )

    @override
    def delete(self, document_keys: Sequence[int]) -> int:
        with self._engine.begin() as connection:
            return _delete_documents(connection, _family(connection, document_keys))

    @override
    def member_keys(self, document_key: int) -> dict[str, int]:
        query = select(documents.c.relative_path, documents.c.key).where(
            documents.c.parent_key == document_key
        )
        with self._engine.connect().execution_options(citewell_reading=True) as connection:
            return {row.relative_path: row.key for row in connection.execute(query)}

    @override
    def records(self, *, source_id: str | None = None) -> Sequence[DocumentRecord]:
        current = (
            select(
                chunks.c.document_key,
                func.count().label("n_chunks"),
                func.count(pending_vectors.c.chunk_key).label("n_pending"),
            )
            .join(documents, documents.c.key == chunks.c.document_key)
            .where(chunks.c.generation == documents.c.generation)
            .join(pending_vectors, pending_vectors.c.chunk_key == chunks.c.key, isouter=True)
            .group_by(chunks.c.document_key)
            .subquery()
        )
        query = (
            select(documents, sources.c.name.label("source"), current)
            .join(sources, sources.c.id == documents.c.source_id)
            .join(current, current.c.document_key == documents.c.key, isouter=True)
            .where(documents.c.is_live | documents.c.missing_since.is_not(None))
            .order_by(sources.c.name, documents.c.relative_path)
        )
        if source_id is not None:
            query = query.where(documents.c.source_id == source_id)
        with self._engine.connect().execution_options(citewell_reading=True) as connection:
            return [_record(row) for row in connection.execute(query)]

    @override
    def remove_leftovers(self) -> int:
        with self._engine.begin() as connection:
            query = (
                select(documents.c.key, documents.c.generation)
                .join(chunks, chunks.c.document_key == documents.c.key)
                .where(chunks.c.generation != documents.c.generation)
                .distinct()
            )
            leftovers = connection.execute(query).all()
            removed = sum(
                _delete_other_generations(connection, [row.key], keep=row.generation)
                for row in leftovers
            )
            connection.execute(
                delete(documents).where(~documents.c.is_live, documents.c.missing_since.is_(None))
            )
            return removed

    def _document_row(self, connection: Connection, version: NewVersion) -> Any:
        """Return key, id and generation of the document, made invisible where it is new."""
        query = select(documents.c.key, documents.c.id, documents.c.generation).where(
            documents.c.source_id == version.source_id,
            documents.c.relative_path == version.relative_path,
        )
        row = connection.execute(query).first()
        if row is None:
            connection.execute(
                insert(documents).values(
                    id=secrets.token_hex(16),
                    source_id=version.source_id,
                    relative_path=version.relative_path,
                    is_live=False,
                    generation=0,
                    indexed_at=iso_utc(self._now()),
                    **_document_values(version),
                )
            )
            row = connection.execute(query).one()
        return row

    def _chunk_id(self, document_id: str, chunk: NewChunk) -> str:
        keyed = hashlib.blake2b(key=self._secret, digest_size=16)
        keyed.update(document_id.encode())
        keyed.update(chunk.digest)
        return keyed.hexdigest()


def _lies_within(paths: Sequence[str]) -> Any:
    """Match what stands at or below paths; "0" follows "/" in the order of characters."""
    path = documents.c.relative_path
    return or_(path.in_(paths), *((path > f"{above}/") & (path < f"{above}0") for above in paths))


def _known_item(row: Any) -> KnownItem:
    return KnownItem(
        *row[:6],
        state=DocumentState(row.state),
        failure=failure_of(row.failure),
        size_bytes=row.size_bytes,
        missing_since=row.missing_since,
        held_until=row.held_until,
    )


def _document_values(version: NewVersion) -> dict[str, Any]:
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


def _chunk_keys_by_id(connection: Connection, document_key: int) -> dict[str, int]:
    query = select(chunks.c.id, chunks.c.key).where(chunks.c.document_key == document_key)
    return {row.id: row.key for row in connection.execute(query)}


def _keys_of_generation(
    connection: Connection, document_key: int, generation: int | None
) -> list[int]:
    query = select(chunks.c.key).where(chunks.c.document_key == document_key)
    if generation is not None:
        query = query.where(chunks.c.generation == generation)
    return list(connection.execute(query.order_by(chunks.c.key)).scalars())


def _insert_chunks(
    connection: Connection,
    document_key: int,
    generation: int,
    fresh: Sequence[tuple[str, NewChunk]],
) -> dict[str, int]:
    """Insert chunks and their terms, and return their keys by id."""
    if not fresh:
        return {}
    rows = [
        {
            "id": chunk_id,
            "document_key": document_key,
            "generation": generation,
            "n_tokens": new.chunk.n_tokens,
            "heading_path": list(new.chunk.heading_path),
            "content": new.chunk.content,
            **_placement(new),
        }
        for chunk_id, new in fresh
    ]
    connection.execute(insert(chunks), rows)
    query = select(chunks.c.id, chunks.c.key).where(
        chunks.c.document_key == document_key, chunks.c.generation == generation
    )
    keys = {row.id: row.key for row in connection.execute(query)}
    connection.execute(
        insert(chunk_terms),
        [
            {"chunk_key": keys[chunk_id], "terms": statistics.pack_terms(new.terms)}
            for chunk_id, new in fresh
        ],
    )
    return keys


def _placement(new: NewChunk) -> dict[str, Any]:
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


_PLACE = """
    UPDATE chunks SET generation = :generation, ordinal = :ordinal,
        span_start = :span_start, span_end = :span_end,
        header_start = :header_start, header_end = :header_end,
        page_start = :page_start, page_end = :page_end,
        paragraph_start = :paragraph_start, paragraph_end = :paragraph_end,
        page_breaks = :page_breaks
    WHERE key = :key
"""


def _place_chunks(connection: Connection, staged: StagedVersion, version: NewVersion) -> None:
    """Move kept chunks to their new places and into the new generation."""
    new = set(staged.new_keys)
    rows = [
        {
            "key": key,
            "generation": staged.generation,
            **_placement(chunk),
            "page_breaks": json.dumps(chunk.chunk.page_breaks),
        }
        for key, chunk in zip(staged.chunk_keys, version.chunks, strict=True)
        if key not in new
    ]
    if rows:
        connection.exec_driver_sql(_PLACE, rows)


def _retier_chunks(
    connection: Connection, document_key: int, chunk_keys: Sequence[int], *, old: str, new: str
) -> None:
    """Move statistics and index points of current chunks from one tier to another."""
    statistics.drop_chunks(connection, old, chunk_keys)
    statistics.add_chunks(connection, new, chunk_keys)
    enqueue(connection, "delete", tier=old, document_key=document_key, chunk_keys=chunk_keys)
    enqueue(
        connection, "upsert_lexical", tier=new, document_key=document_key, chunk_keys=chunk_keys
    )
    waiting = select(pending_vectors.c.chunk_key)
    with_vectors = [
        key
        for keys in batched(chunk_keys)
        for key in connection.execute(
            select(chunks.c.key).where(chunks.c.key.in_(keys), chunks.c.key.not_in(waiting))
        ).scalars()
    ]
    enqueue(
        connection, "upsert_dense", tier=new, document_key=document_key, chunk_keys=with_vectors
    )


def _delete_chunks(
    connection: Connection, document_key: int, tier: str, chunk_keys: Sequence[int]
) -> None:
    enqueue(connection, "delete", tier=tier, document_key=document_key, chunk_keys=chunk_keys)
    for keys in batched(chunk_keys):
        connection.execute(delete(chunks).where(chunks.c.key.in_(keys)))


def _delete_other_generations(
    connection: Connection, document_keys: Sequence[int], *, keep: int
) -> int:
    """Delete staged chunks that never became current."""
    removed = 0
    for document_key in document_keys:
        tier = connection.execute(
            select(documents.c.tier).where(documents.c.key == document_key)
        ).scalar_one()
        query = select(chunks.c.key).where(
            chunks.c.document_key == document_key, chunks.c.generation != keep
        )
        stale = list(connection.execute(query).scalars())
        _delete_chunks(connection, document_key, tier, stale)
        removed += len(stale)
    return removed


def _family(connection: Connection, document_keys: Sequence[int]) -> Sequence[Any]:
    """Return the documents and their members at every depth."""
    columns = (
        documents.c.key,
        documents.c.tier,
        documents.c.generation,
        documents.c.relative_path,
        documents.c.is_live,
    )
    found: list[Any] = []
    for keys in batched(document_keys):
        found += connection.execute(
            select(*columns).where(documents.c.key.in_(keys) | documents.c.parent_key.in_(keys))
        ).all()
    return sorted(set(found))


def _delete_documents(connection: Connection, rows: Sequence[Any]) -> int:
    """Delete documents, given as `_family` returns them, and return how many there were."""
    for row in rows:
        if row.is_live:
            current = _keys_of_generation(connection, row.key, row.generation)
            statistics.drop_chunks(connection, row.tier, current)
        every = _keys_of_generation(connection, row.key, None)
        enqueue(connection, "delete", tier=row.tier, document_key=row.key, chunk_keys=every)
    for keys in batched([row.key for row in rows]):
        connection.execute(delete(documents).where(documents.c.key.in_(keys)))
    return len(rows)


def _drop_if_hidden(connection: Connection, document_key: int) -> None:
    """Delete the version and the members of a hidden document: its item is another one now."""
    family = _family(connection, [document_key])
    query = select(documents.c.tier).where(
        documents.c.key == document_key, documents.c.missing_since.is_not(None)
    )
    tier = connection.execute(query).scalar()
    if tier is None:
        return
    _delete_documents(connection, [row for row in family if row.key != document_key])
    every = _keys_of_generation(connection, document_key, None)
    _delete_chunks(connection, document_key, tier, every)
    connection.execute(
        update(documents)
        .where(documents.c.key == document_key)
        .values(missing_since=None, held_until=None)
    )


def _record(row: Any) -> DocumentRecord:
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
