"""The history of sync runs."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from sqlalchemy import insert, select, update
from typing_extensions import override

from citewell.adapters.catalogs.sqlite.rows import iso_utc
from citewell.adapters.catalogs.sqlite.schema import runs, sources
from citewell.domain.record import RunCounts, RunRecord, Trigger
from citewell.ports.run_log import RunLog

if TYPE_CHECKING:
    from sqlalchemy import Engine


class SqliteRuns(RunLog):
    """Reads and writes runs."""

    def __init__(self, engine: Engine, *, now: Callable[[], datetime]) -> None:
        """Take the engine and a clock."""
        self._engine = engine
        self._now = now

    @override
    def start(self, source_id: str, *, trigger: Trigger) -> str:
        run_id = secrets.token_hex(16)
        with self._engine.begin() as connection:
            connection.execute(
                update(runs)
                .where(runs.c.source_id == source_id, runs.c.state == "running")
                .values(state="interrupted", error="its process ended before it was done")
            )
            connection.execute(
                insert(runs).values(
                    id=run_id,
                    source_id=source_id,
                    trigger=trigger,
                    state="running",
                    started_at=iso_utc(self._now()),
                    counts=asdict(RunCounts()),
                )
            )
        return run_id

    @override
    def finish(
        self,
        run_id: str,
        *,
        state: Literal["succeeded", "failed", "cancelled"],
        counts: RunCounts,
        error: str | None = None,
    ) -> None:
        with self._engine.begin() as connection:
            connection.execute(
                update(runs)
                .where(runs.c.id == run_id)
                .values(
                    state=state,
                    finished_at=iso_utc(self._now()),
                    counts=asdict(counts),
                    error=error,
                )
            )

    @override
    def history(self, *, source_id: str | None = None, limit: int = 20) -> Sequence[RunRecord]:
        query = (
            select(runs, sources.c.name.label("source"))
            .join(sources, sources.c.id == runs.c.source_id)
            .order_by(runs.c.started_at.desc(), runs.c.id)
            .limit(limit)
        )
        if source_id is not None:
            query = query.where(runs.c.source_id == source_id)
        with self._engine.connect().execution_options(citewell_reading=True) as connection:
            return [
                RunRecord(
                    id=row.id,
                    source=row.source,
                    trigger=row.trigger,
                    state=row.state,
                    started_at=row.started_at,
                    finished_at=row.finished_at,
                    counts=RunCounts(**row.counts),
                    error=row.error,
                )
                for row in connection.execute(query)
            ]
