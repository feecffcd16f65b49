"""Documents as readers see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, select, tuple_
from typing_extensions import override

from citewell.adapters.catalogs.sqlite.document_values import document_record
from citewell.adapters.catalogs.sqlite.listed import as_list, listed
from citewell.adapters.catalogs.sqlite.passages import readable
from citewell.adapters.catalogs.sqlite.rows import iso_of_ns
from citewell.adapters.catalogs.sqlite.schema import chunks, documents, pending_vectors, sources
from citewell.domain.clearance import Clearance
from citewell.domain.library import ReadableDocument
from citewell.ports.library_reader import LibraryReader

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


class SqliteLibrary(LibraryReader):
    """Reads the documents that a clearance may see."""

    def __init__(self, engine: Engine) -> None:
        """Take the engine."""
        self._engine = engine

    @override
    def readable_documents(
        self,
        clearance: Clearance,
        *,
        limit: int,
        source: str | None = None,
        after: tuple[str, str] | None = None,
    ) -> Sequence[ReadableDocument]:
        place = tuple_(sources.c.name, documents.c.relative_path)
        query = _select_keys().order_by(sources.c.name, documents.c.relative_path).limit(limit)
        if source is not None:
            query = query.where(sources.c.name == source)
        if after is not None:
            query = query.where(place > after)
        return self._read(query, clearance)

    @override
    def find_document(self, clearance: Clearance, document_id: str) -> ReadableDocument | None:
        found = self._read(_select_keys().where(documents.c.id == document_id), clearance)
        return found[0] if found else None

    @override
    def readable_sources(self, clearance: Clearance) -> frozenset[str]:
        seen = select(documents.c.key).where(documents.c.source_id == sources.c.id, readable())
        query = select(sources.c.id).where(seen.exists())
        with self._reading() as connection:
            found = connection.execute(query, {"tiers": as_list(clearance.tiers)})
            return frozenset(found.scalars())

    def _read(self, keys: Select[int], clearance: Clearance) -> Sequence[ReadableDocument]:
        """Return the documents of a page; their chunks are counted for these alone."""
        tiers = as_list(clearance.tiers)
        with self._reading() as connection:
            page = connection.execute(keys, {"tiers": tiers}).scalars().all()
            asked = {"tiers": tiers, "keys": as_list(page)}
            return [_readable_document(row) for row in connection.execute(_PAGE, asked)]

    def _reading(self) -> Connection:
        return self._engine.connect().execution_options(citewell_reading=True)


def _select_keys() -> Select[int]:
    return (
        select(documents.c.key)
        .join(sources, sources.c.id == documents.c.source_id)
        .where(readable())
    )


def _select_page() -> Select[Any]:
    counts = (
        select(
            chunks.c.document_key,
            func.count().label("n_chunks"),
            func.count(pending_vectors.c.chunk_key).label("n_pending"),
        )
        .join(documents, documents.c.key == chunks.c.document_key)
        .join(pending_vectors, pending_vectors.c.chunk_key == chunks.c.key, isouter=True)
        .where(chunks.c.document_key.in_(listed("keys")))
        .where(chunks.c.generation == documents.c.generation)
        .group_by(chunks.c.document_key)
        .subquery()
    )
    return (
        select(
            documents,
            sources.c.name.label("source"),
            sources.c.type.label("source_type"),
            counts,
        )
        .join(sources, sources.c.id == documents.c.source_id)
        .join(counts, counts.c.document_key == documents.c.key, isouter=True)
        .where(documents.c.key.in_(listed("keys")), readable())
        .order_by(sources.c.name, documents.c.relative_path)
    )


_PAGE = _select_page()


def _readable_document(row: Any) -> ReadableDocument:
    return ReadableDocument(
        document_record(row),
        source_type=row.source_type,
        tags=tuple(row.tags),
        modified_at=iso_of_ns(row.modified_ns),
    )
