"""Documents and their versions."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, func, insert, or_, select, update
from typing_extensions import override

from citewell.adapters.catalogs.sqlite import missing, statistics
from citewell.adapters.catalogs.sqlite.batches import batched
from citewell.adapters.catalogs.sqlite.delete_documents import (
    delete_documents,
    drop_if_hidden,
    family_of,
)
from citewell.adapters.catalogs.sqlite.document_values import (
    document_record,
    document_values,
    known_item,
)
from citewell.adapters.catalogs.sqlite.outbox import enqueue
from citewell.adapters.catalogs.sqlite.record_erasure import (
    ErasureRecorder,
    is_kept,
    keep_what_is_live,
)
from citewell.adapters.catalogs.sqlite.rows import iso_utc
from citewell.adapters.catalogs.sqlite.schema import (
    chunks,
    documents,
    pending_vectors,
    sources,
)
from citewell.adapters.catalogs.sqlite.write_chunks import (
    chunk_keys_by_id,
    delete_chunks,
    delete_other_generations,
    insert_chunks,
    keys_of_generation,
    place_chunks,
    retier_chunks,
)
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


_IDENTITY = select(documents.c.key, documents.c.id, documents.c.generation).where(
    documents.c.source_id == bindparam("source"), documents.c.relative_path == bindparam("path")
)
_ROW = select(documents).where(documents.c.key == bindparam("document"))
_INSERT = insert(documents)
_UPDATE = update(documents).where(documents.c.key == bindparam("document"))
_INSERT_PENDING = insert(pending_vectors)
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
        self._recorder = ErasureRecorder(secret=secret, now=now)

    @override
    def known_items(
        self, source_id: str, *, within: Sequence[str] | None = None
    ) -> Sequence[KnownItem]:
        query = _known_items(source_id)
        parts = [None] if within is None else batched(sorted(set(within)), _PATHS_PER_STATEMENT)
        found: dict[int, KnownItem] = {}
        with self._engine.connect().execution_options(citewell_reading=True) as connection:
            for paths in parts:
                some = query if paths is None else query.where(_lies_within(paths))
                found |= {row.key: known_item(row) for row in connection.execute(some)}
        return list(found.values())

    @override
    def missing_items(self, source_id: str) -> Sequence[KnownItem]:
        query = _known_items(source_id).where(documents.c.missing_since.is_not(None))
        with self._engine.connect().execution_options(citewell_reading=True) as connection:
            return [known_item(row) for row in connection.execute(query)]

    @override
    def count_items(self, source_id: str) -> ItemCounts:
        with self._engine.connect().execution_options(citewell_reading=True) as connection:
            return ItemCounts(*missing.count_items(connection, source_id))

    @override
    def stage(self, version: NewVersion) -> StagedVersion:
        with self._engine.begin() as connection:
            row = self._document_row(connection, version)
            delete_other_generations(
                connection, row.key, keep=row.generation, recorder=self._recorder
            )
            known = chunk_keys_by_id(connection, row.key)
            ids = [self._chunk_id(row.id, chunk) for chunk in version.chunks]
            fresh = [
                (chunk_id, chunk)
                for chunk_id, chunk in zip(ids, version.chunks, strict=True)
                if chunk_id not in known
            ]
            generation = row.generation + 1
            known |= insert_chunks(connection, row.key, generation, fresh)
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
            old = connection.execute(_ROW, {"document": key}).one()
            kept = set(staged.chunk_keys) - set(staged.new_keys)
            current = keys_of_generation(connection, key, old.generation)
            gone = [chunk_key for chunk_key in current if chunk_key not in kept]
            self._recorder.record_replaced(
                connection, old, version, gone_keys=gone, current_keys=current
            )
            statistics.drop_chunks(connection, old.tier, gone)
            if old.tier != version.tier:
                retier_chunks(connection, key, sorted(kept), old=old.tier, new=version.tier)
            statistics.add_chunks(connection, version.tier, staged.new_keys)
            place_chunks(connection, staged, version)
            delete_chunks(connection, key, old.tier, gone)
            values = {
                "is_live": True,
                "generation": staged.generation,
                "indexed_at": iso_utc(self._now()),
                **document_values(version),
            }
            connection.execute(_UPDATE, {"document": key, **values})
            if staged.new_keys:
                connection.execute(_INSERT_PENDING, [{"chunk_key": k} for k in staged.new_keys])
            keep_what_is_live(connection, staged.chunk_keys)
            return gone

    @override
    def record_failure(self, version: NewVersion, failure: Failure) -> None:
        with self._engine.begin() as connection:
            row = self._document_row(connection, version)
            drop_if_hidden(connection, row.key, recorder=self._recorder)
            values: dict[str, Any] = {
                "failure": asdict(failure),
                "fingerprint": version.fingerprint,
                "is_live": True,
            }
            if not keys_of_generation(connection, row.key, row.generation):
                values |= {**document_values(version), "failure": asdict(failure)}
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
            family = family_of(connection, [document_key])
            self._recorder.record(
                connection,
                "moved",
                [row.key for row in family],
                chunk_keys=(),
                leaves_index=any(row.tier != tier for row in family),
            )
            for row in family:
                if row.tier != tier:
                    keys = keys_of_generation(connection, row.key, row.generation)
                    retier_chunks(connection, row.key, keys, old=row.tier, new=tier)
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
            family = family_of(connection, document_keys)
            return delete_documents(connection, family, recorder=self._recorder)

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
            return [document_record(row) for row in connection.execute(query)]

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
                delete_other_generations(
                    connection, row.key, keep=row.generation, recorder=self._recorder
                )
                for row in leftovers
            )
            unseen = select(documents.c.key).where(~is_kept())
            keys = list(connection.execute(unseen).scalars())
            self._recorder.record(connection, "deleted", keys, leaves_index=False)
            for some in batched(keys):
                connection.execute(delete(documents).where(documents.c.key.in_(some)))
            return removed

    def _document_row(self, connection: Connection, version: NewVersion) -> Any:
        """Return key, id and generation of the document, made invisible where it is new."""
        which = {"source": version.source_id, "path": version.relative_path}
        row = connection.execute(_IDENTITY, which).first()
        if row is None:
            values = {
                "id": secrets.token_hex(16),
                "source_id": version.source_id,
                "relative_path": version.relative_path,
                "is_live": False,
                "generation": 0,
                "indexed_at": iso_utc(self._now()),
                **document_values(version),
            }
            connection.execute(_INSERT, values)
            row = connection.execute(_IDENTITY, which).one()
        return row

    def _chunk_id(self, document_id: str, chunk: NewChunk) -> str:
        keyed = hashlib.blake2b(key=self._secret, digest_size=16)
        keyed.update(document_id.encode())
        keyed.update(chunk.digest)
        return keyed.hexdigest()


def _known_items(source_id: str) -> Any:
    return (
        select(*_KNOWN_COLUMNS)
        .where(documents.c.source_id == source_id, documents.c.parent_key.is_(None))
        .where(documents.c.is_live | documents.c.missing_since.is_not(None))
        .order_by(documents.c.relative_path)
    )


def _lies_within(paths: Sequence[str]) -> Any:
    """Match what stands at or below paths; "0" follows "/" in the order of characters."""
    path = documents.c.relative_path
    return or_(path.in_(paths), *((path > f"{above}/") & (path < f"{above}0") for above in paths))
