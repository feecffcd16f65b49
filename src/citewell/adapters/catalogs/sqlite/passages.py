"""Reading text: the one place that decides what a request may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, func, or_, select
from typing_extensions import override

from citewell.adapters.catalogs.sqlite.batches import batched
from citewell.adapters.catalogs.sqlite.rows import iso_of_ns
from citewell.adapters.catalogs.sqlite.schema import (
    chunks,
    documents,
    sources,
    term_frequencies,
    tier_statistics,
)
from citewell.domain.clearance import Clearance
from citewell.domain.errors import UsageError
from citewell.domain.passage import SearchFilters, VisibleChunk
from citewell.ports.passage_reader import PassageReader

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


_MAX_INTEGER = 2**63 - 1


def visible(clearance: Clearance) -> ColumnElement[bool]:
    """Return the condition under which a chunk may be read; nothing else decides it.

    The document is live, the chunk is of its current version, and its tier is in the clearance.
    """
    return and_(
        documents.c.is_live,
        chunks.c.generation == documents.c.generation,
        documents.c.tier.in_(clearance.tiers),
    )


_COLUMNS = (
    chunks.c.key,
    chunks.c.id,
    chunks.c.document_key,
    documents.c.id.label("document_id"),
    chunks.c.ordinal,
    chunks.c.content,
    chunks.c.span_start,
    chunks.c.span_end,
    chunks.c.header_start,
    chunks.c.header_end,
    chunks.c.heading_path,
    documents.c.title,
    chunks.c.n_tokens,
    chunks.c.page_start,
    chunks.c.page_end,
    chunks.c.paragraph_start,
    chunks.c.paragraph_end,
    chunks.c.page_breaks,
    documents.c.tier,
    sources.c.name.label("source_name"),
    sources.c.type.label("source_type"),
    documents.c.relative_path,
    documents.c.tags,
    documents.c.modified_ns,
)


class SqlitePassages(PassageReader):
    """Reads visible chunks and the statistics over them."""

    def __init__(self, engine: Engine) -> None:
        """Take the engine."""
        self._engine = engine

    @override
    def visible_chunks(
        self, clearance: Clearance, chunk_keys: Sequence[int]
    ) -> Mapping[int, VisibleChunk]:
        found: dict[int, VisibleChunk] = {}
        with self._reading() as connection:
            for keys in batched(chunk_keys):
                query = _select_visible(clearance).where(chunks.c.key.in_(keys))
                for row in connection.execute(query):
                    found[row.key] = _visible_chunk(row)
        return found

    @override
    def find_chunk(self, clearance: Clearance, chunk_id: str) -> VisibleChunk | None:
        with self._reading() as connection:
            row = connection.execute(
                _select_visible(clearance).where(chunks.c.id == chunk_id)
            ).first()
        return _visible_chunk(row) if row else None

    @override
    def document_chunks(
        self, clearance: Clearance, document_key: int, *, ordinals: tuple[int, int]
    ) -> Sequence[VisibleChunk]:
        query = (
            _select_visible(clearance)
            .where(chunks.c.document_key == document_key)
            .where(chunks.c.ordinal >= ordinals[0], chunks.c.ordinal < ordinals[1])
            .order_by(chunks.c.ordinal)
        )
        with self._reading() as connection:
            return [_visible_chunk(row) for row in connection.execute(query)]

    @override
    def document_frequencies(
        self, clearance: Clearance, terms: Sequence[int]
    ) -> tuple[Mapping[int, int], int]:
        tiers = clearance.tiers
        frequencies: dict[int, int] = {}
        with self._reading() as connection:
            n_chunks = connection.execute(
                select(func.coalesce(func.sum(tier_statistics.c.n_chunks), 0)).where(
                    tier_statistics.c.tier.in_(tiers)
                )
            ).scalar_one()
            for batch in batched(terms):
                query = (
                    select(
                        term_frequencies.c.term,
                        func.sum(term_frequencies.c.n_chunks).label("n"),
                    )
                    .where(term_frequencies.c.tier.in_(tiers))
                    .where(term_frequencies.c.term.in_(batch))
                    .group_by(term_frequencies.c.term)
                )
                frequencies |= {row.term: row.n for row in connection.execute(query)}
        return frequencies, int(n_chunks)

    @override
    def documents_matching(
        self, clearance: Clearance, filters: SearchFilters
    ) -> Sequence[int] | None:
        if filters.is_empty:
            return None
        query = (
            select(documents.c.key)
            .join(sources, sources.c.id == documents.c.source_id)
            .where(documents.c.is_live, documents.c.tier.in_(clearance.tiers))
            .where(*_conditions(filters))
            .order_by(documents.c.key)
        )
        with self._reading() as connection:
            return list(connection.execute(query).scalars())

    @override
    def sample_chunk_keys(self, clearance: Clearance, *, limit: int) -> Sequence[int]:
        query = (
            select(chunks.c.key)
            .join(documents, documents.c.key == chunks.c.document_key)
            .where(visible(clearance))
            .order_by(chunks.c.id)  # ids are keyed hashes: their order is a lottery
            .limit(limit)
        )
        with self._reading() as connection:
            return list(connection.execute(query).scalars())

    def _reading(self) -> Connection:
        return self._engine.connect().execution_options(citewell_reading=True)


def _select_visible(clearance: Clearance) -> Any:
    return (
        select(*_COLUMNS)
        .join(documents, documents.c.key == chunks.c.document_key)
        .join(sources, sources.c.id == documents.c.source_id)
        .where(visible(clearance))
    )


def _conditions(filters: SearchFilters) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if filters.source is not None:
        conditions.append(sources.c.name == filters.source)
    if filters.path_prefix is not None:
        prefix = filters.path_prefix
        conditions.append(func.substr(documents.c.relative_path, 1, len(prefix)) == prefix)
    if filters.types:
        types = [file_type.lower().removeprefix(".") for file_type in filters.types]
        conditions.append(documents.c.type.in_(types))
    if filters.tags:
        conditions.append(or_(*[_has_tag(tag) for tag in filters.tags]))
    if filters.modified_after is not None:
        conditions.append(documents.c.modified_ns >= _nanoseconds(filters.modified_after))
    if filters.modified_before is not None:
        conditions.append(documents.c.modified_ns < _nanoseconds(filters.modified_before))
    return conditions


def _has_tag(tag: str) -> ColumnElement[bool]:
    """Match a tag or one nested in it, without regard to case."""
    wanted = tag.removeprefix("#").casefold()
    each = func.json_each(documents.c.tags).table_valued("value", name="tag")
    lowered = func.lower(each.c.value)
    return (
        select(1)
        .select_from(each)
        .where(or_(lowered == wanted, func.substr(lowered, 1, len(wanted) + 1) == f"{wanted}/"))
        .exists()
    )


def _nanoseconds(moment: str) -> int:
    try:
        parsed = datetime.fromisoformat(moment)
    except ValueError as error:
        raise UsageError(
            f"{moment!r} is not a date: write it as 2026-01-31 or 2026-01-31T08:00:00Z"
        ) from error
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=UTC)
    nanoseconds = int(parsed.timestamp()) * 10**9 + parsed.microsecond * 1000
    return max(-_MAX_INTEGER, min(_MAX_INTEGER, nanoseconds))


def _visible_chunk(row: Any) -> VisibleChunk:
    header = None if row.header_start is None else (row.header_start, row.header_end)
    return VisibleChunk(
        chunk_key=row.key,
        chunk_id=row.id,
        document_key=row.document_key,
        document_id=row.document_id,
        ordinal=row.ordinal,
        content=row.content,
        span=(row.span_start, row.span_end),
        header_span=header,
        heading_path=tuple(row.heading_path),
        title=row.title,
        n_tokens=row.n_tokens,
        page_start=row.page_start,
        page_end=row.page_end,
        paragraph_start=row.paragraph_start,
        paragraph_end=row.paragraph_end,
        page_breaks=tuple((offset, page) for offset, page in row.page_breaks),
        tier=row.tier,
        source_name=row.source_name,
        source_type=row.source_type,
        relative_path=row.relative_path,
        tags=tuple(row.tags),
        modified_at=iso_of_ns(row.modified_ns),
    )
