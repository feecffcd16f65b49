"""What went and is not yet erased everywhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.sqlite import insert as upsert
from typing_extensions import override

from citewell.adapters.catalogs.sqlite.batches import batched
from citewell.adapters.catalogs.sqlite.listed import as_list, listed
from citewell.adapters.catalogs.sqlite.outbox import PENDING_COLUMNS, pending_chunk
from citewell.adapters.catalogs.sqlite.record_erasure import ErasureRecorder, is_kept
from citewell.adapters.catalogs.sqlite.rows import iso_utc
from citewell.adapters.catalogs.sqlite.schema import (
    chunks,
    documents,
    erasure_texts,
    erasures,
    facts,
)
from citewell.domain.erasure import ErasureRecord, ErasureWork, Store
from citewell.domain.errors import UnavailableError
from citewell.ports.embedder import passage_text
from citewell.ports.embedding_cache import text_sha
from citewell.ports.erasure_log import ErasureLog, LiveChunk

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_LIVE_AT_ONCE = 2_000
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


class SqliteErasures(ErasureLog):
    """Reads the log of erasures, and erases what lies in the catalog's own files."""

    def __init__(self, engine: Engine, *, secret: bytes, now: Callable[[], datetime]) -> None:
        """Take the engine, the catalog's secret for hashes of paths, and a clock."""
        self._engine = engine
        self._recorder = ErasureRecorder(secret=secret, now=now)
        self._now = now

    @override
    def oldest_pending(self) -> datetime | None:
        pending = select(erasures.c.at).where(erasures.c.erased_at.is_(None))
        query = pending.order_by(erasures.c.key).limit(1)
        with self._reading() as connection:
            oldest = connection.execute(query).scalar()
        return datetime.fromisoformat(oldest) if oldest else None

    @override
    def work(self, store: Store) -> ErasureWork:
        with self._reading() as connection:
            waiting = erasures.c.erased_at.is_(None) & (
                erasures.c.key > _erased_up_to(connection, store)
            )
            up_to = connection.execute(select(func.max(erasures.c.key)).where(waiting)).scalar()
            if up_to is None:
                return ErasureWork()
            tiers = select(erasures.c.tier).where(waiting).distinct().order_by(erasures.c.tier)
            texts = (
                select(erasure_texts.c.chunk_key, erasure_texts.c.text_sha, chunks.c.key)
                .join(erasures, erasures.c.key == erasure_texts.c.erasure_key)
                .join(chunks, chunks.c.key == erasure_texts.c.chunk_key, isouter=True)
                .where(waiting)
                .order_by(erasure_texts.c.chunk_key)
            )
            gone = select(erasures.c.document_id).where(waiting).distinct()
            document_ids = connection.execute(gone.order_by(erasures.c.document_id)).scalars()
            rows = connection.execute(texts).all()
            return ErasureWork(
                up_to=up_to,
                tiers=tuple(tier for tier in connection.execute(tiers).scalars() if tier),
                chunk_keys=tuple(dict.fromkeys(gone for gone, _, live in rows if live is None)),
                text_shas=tuple(dict.fromkeys(name for _, name, _ in rows if name is not None)),
                document_ids=tuple(name for name in document_ids if name),
            )

    @override
    def note_erased(self, store: Store, *, up_to: int) -> None:
        with self._engine.begin() as connection:
            connection.execute(
                upsert(facts)
                .values(name=_fact(store), value=str(up_to))
                .on_conflict_do_update(index_elements=["name"], set_={"value": str(up_to)})
            )
            if store == "catalog":
                connection.execute(
                    update(erasures)
                    .where(erasures.c.key <= up_to, erasures.c.erased_at.is_(None))
                    .values(erased_at=iso_utc(self._now()))
                )

    @override
    def drop_hashes(self, *, up_to: int) -> None:
        newer = select(erasure_texts.c.key).where(erasure_texts.c.erasure_key > up_to).limit(1)
        with self._engine.begin() as connection:
            done = delete(erasure_texts)
            if connection.execute(newer).first() is not None:
                done = done.where(erasure_texts.c.erasure_key <= up_to)
            connection.execute(done)  # without a condition SQLite overwrites whole pages

    @override
    def wipe(self) -> bool:
        with self._driver() as connection:
            return _truncate_log(connection)

    @override
    def compact(self) -> bool:
        with self._driver() as connection:
            connection.execute("VACUUM")
            return _truncate_log(connection)
        return False

    @override
    def records_of(self, relative_path: str) -> Sequence[ErasureRecord]:
        query = (
            select(erasures)
            .where(erasures.c.path_hash == self._recorder.path_hash(relative_path))
            .order_by(erasures.c.key.desc())
        )
        with self._reading() as connection:
            return [
                ErasureRecord(
                    kind=row.kind,
                    source_id=row.source_id,
                    document_id=row.document_id,
                    generation=row.generation,
                    at=row.at,
                    erased_at=row.erased_at,
                )
                for row in connection.execute(query)
            ]

    @override
    def texts_of(self, document_keys: Sequence[int]) -> Sequence[str]:
        texts: list[str] = []
        with self._reading() as connection:
            for keys in batched(document_keys):
                of_family = documents.c.key.in_(keys) | documents.c.parent_key.in_(keys)
                columns = (documents.c.relative_path, documents.c.title, documents.c.frontmatter)
                for path, title, *more in connection.execute(
                    select(*columns, documents.c.tags, documents.c.links, documents.c.notes).where(
                        of_family
                    )
                ):
                    texts += (path, title, *_strings(more))
                rows = connection.execute(
                    select(chunks.c.content, chunks.c.heading_path)
                    .join(documents, documents.c.key == chunks.c.document_key)
                    .where(of_family)
                    .order_by(chunks.c.key)
                )
                for content, heading_path in rows:
                    texts += (content, *heading_path)
        return list(dict.fromkeys(texts))

    @override
    def n_leftovers(self) -> int:
        of_no_version = (
            select(func.count())
            .select_from(chunks)
            .join(documents, documents.c.key == chunks.c.document_key)
            .where(chunks.c.generation != documents.c.generation)
        )
        unseen = select(func.count()).select_from(documents).where(~is_kept())
        with self._reading() as connection:
            return sum(connection.execute(query).scalar_one() for query in (of_no_version, unseen))

    @override
    def live_tiers(self, chunk_keys: Sequence[int]) -> Mapping[int, str]:
        query = (
            select(chunks.c.key, documents.c.tier)
            .join(documents, documents.c.key == chunks.c.document_key)
            .where(is_kept(), chunks.c.generation == documents.c.generation)
            .where(chunks.c.key.in_(listed("keys")))
        )
        with self._reading() as connection:
            rows = connection.execute(query, {"keys": as_list(chunk_keys)}).all()
        return {row.key: row.tier for row in rows}

    @override
    def live_tiers_of(self, chunk_ids: Sequence[str]) -> Mapping[str, str]:
        query = (
            select(chunks.c.id, documents.c.tier)
            .join(documents, documents.c.key == chunks.c.document_key)
            .where(is_kept(), chunks.c.generation == documents.c.generation)
            .where(chunks.c.id.in_(listed("ids")))
        )
        with self._reading() as connection:
            rows = connection.execute(query, {"ids": as_list(chunk_ids)}).all()
        return {row.id: row.tier for row in rows}

    @override
    def known_documents(self, document_ids: Sequence[str]) -> frozenset[str]:
        query = select(documents.c.id).where(is_kept(), documents.c.id.in_(listed("ids")))
        with self._reading() as connection:
            found = connection.execute(query, {"ids": as_list(document_ids)}).scalars()
            return frozenset(found)

    @override
    def live_chunks(self) -> Iterator[LiveChunk]:
        after = 0
        while True:
            query = (
                select(*PENDING_COLUMNS)
                .join(documents, documents.c.key == chunks.c.document_key)
                .where(is_kept(), chunks.c.generation == documents.c.generation)
                .where(chunks.c.key > after)
                .order_by(chunks.c.key)
                .limit(_LIVE_AT_ONCE)
            )
            with self._reading() as connection:
                rows = connection.execute(query).all()
            if not rows:
                return
            for row in rows:
                text = passage_text(pending_chunk(row)).text
                yield LiveChunk(row.key, row.document_key, row.tier, text_sha(text))
            after = rows[-1].key

    @contextmanager
    def _driver(self) -> Generator[sqlite3.Connection]:
        """Yield a connection outside of any transaction; end quietly where the file is busy."""
        pooled = self._engine.raw_connection()
        try:
            yield cast("sqlite3.Connection", pooled.driver_connection)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in _BUSY:
                raise UnavailableError(f"the catalog cannot be rewritten: {error}") from error
        finally:
            pooled.close()

    def _reading(self) -> Connection:
        return self._engine.connect().execution_options(citewell_reading=True)


def _strings(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _strings(item)
    elif isinstance(value, dict):
        yield from _strings(list(cast("dict[str, Any]", value).values()))


def _fact(store: Store) -> str:
    return f"erased: {store}"


def _erased_up_to(connection: Connection, store: Store) -> int:
    query = select(facts.c.value).where(facts.c.name == _fact(store))
    return int(connection.execute(query).scalar() or 0)


def _truncate_log(connection: sqlite3.Connection) -> bool:
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return busy == 0
