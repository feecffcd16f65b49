"""Registered sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError
from typing_extensions import override

from citewell.adapters.catalogs.sqlite.rows import iso_utc
from citewell.adapters.catalogs.sqlite.schema import sources
from citewell.domain.errors import UsageError
from citewell.domain.source import Source, SourceState, SourceStatus, WatchMode
from citewell.ports.source_registry import SourceRegistry

if TYPE_CHECKING:
    from sqlalchemy import Engine


class SqliteSources(SourceRegistry):
    """Reads and writes sources."""

    def __init__(self, engine: Engine, *, now: Callable[[], datetime]) -> None:
        """Take the engine and a clock."""
        self._engine = engine
        self._now = now

    @override
    def register(self, source: Source) -> Source:
        values = {
            "name": source.name,
            "type": source.type,
            "root": source.root,
            "tier": source.tier,
            "folder_per_tier": source.folder_per_tier,
            "scan_interval_s": source.scan_interval_s,
            "include": list(source.include),
            "exclude": list(source.exclude),
        }
        try:
            with self._engine.begin() as connection:
                known = connection.execute(
                    select(sources.c.id).where(sources.c.root == source.root)
                ).scalar()
                if known is None:
                    connection.execute(
                        insert(sources).values(
                            id=source.id, created_at=iso_utc(self._now()), **values
                        )
                    )
                else:
                    connection.execute(
                        update(sources).where(sources.c.id == known).values(**values)
                    )
                row = connection.execute(select(sources).where(sources.c.root == source.root)).one()
        except IntegrityError as error:
            raise UsageError(
                f"the name {source.name!r} belongs to another source: choose one with --name"
            ) from error
        return _source(row)

    @override
    def sources(self) -> Sequence[Source]:
        with self._engine.connect().execution_options(citewell_reading=True) as connection:
            rows = connection.execute(select(sources).order_by(sources.c.name)).all()
        return [_source(row) for row in rows]

    @override
    def status_of(self, source_id: str) -> SourceStatus:
        query = select(
            sources.c.state, sources.c.state_reason, sources.c.watch_mode, sources.c.watch_reason
        ).where(sources.c.id == source_id)
        with self._engine.connect().execution_options(citewell_reading=True) as connection:
            return SourceStatus(*connection.execute(query).one())

    @override
    def set_state(self, source_id: str, state: SourceState, reason: str | None = None) -> None:
        self._update(source_id, state=state, state_reason=reason)

    @override
    def set_watch(self, source_id: str, mode: WatchMode | None, reason: str | None = None) -> None:
        self._update(source_id, watch_mode=mode, watch_reason=reason)

    @override
    def request_confirmation(self, source_id: str) -> None:
        self._update(source_id, deletions_confirmed_at=iso_utc(self._now()))

    @override
    def take_confirmation(self, source_id: str) -> bool:
        noted = sources.c.deletions_confirmed_at
        query = select(noted).where(sources.c.id == source_id)
        with self._engine.connect().execution_options(citewell_reading=True) as connection:
            if connection.execute(query).scalar() is None:
                return False
        self._update(source_id, deletions_confirmed_at=None)
        return True

    @override
    def remove(self, source_id: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(delete(sources).where(sources.c.id == source_id))

    def _update(self, source_id: str, **values: str | None) -> None:
        with self._engine.begin() as connection:
            connection.execute(update(sources).where(sources.c.id == source_id).values(**values))


def _source(row: Any) -> Source:
    return Source(
        id=row.id,
        name=row.name,
        type=row.type,
        root=row.root,
        tier=row.tier,
        folder_per_tier=row.folder_per_tier,
        scan_interval_s=row.scan_interval_s,
        include=tuple(row.include),
        exclude=tuple(row.exclude),
    )
