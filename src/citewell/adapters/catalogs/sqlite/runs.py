"""The history of sync runs."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import delete, insert, select, text, update
from typing_extensions import override

from citewell.adapters.catalogs.sqlite.rows import iso_utc
from citewell.adapters.catalogs.sqlite.schema import runs, sources
from citewell.domain.record import RunCounts, RunRecord, Trigger
from citewell.ports.run_log import RunLog

if TYPE_CHECKING:
    from sqlalchemy import Engine


MAX_RUNS = 1_000
"""Of each source: some days of a live process, which syncs every few minutes."""


class SqliteRuns(RunLog):
    """Reads and writes runs."""

    def __init__(
        self, engine: Engine, *, now: Callable[[], datetime], max_runs: int = MAX_RUNS
    ) -> None:
        """Take the engine, a clock, and how many runs of a source are kept."""
        self._engine = engine
        self._now = now
        self._max_runs = max_runs

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
            newest = (
                select(runs.c.id)
                .where(runs.c.source_id == source_id)
                .order_by(_latest_first())
                .limit(self._max_runs)
            )
            connection.execute(
                delete(runs).where(runs.c.source_id == source_id, runs.c.id.not_in(newest))
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
    def add_embeddings(self, source_id: str, *, computed: int, reused: int) -> None:
        newest = (
            select(runs.c.id, runs.c.counts)
            .where(runs.c.source_id == source_id)
            .order_by(_latest_first())
            .limit(1)
        )
        with self._engine.begin() as connection:
            row = connection.execute(newest).first()
            if row is None:
                return
            before = RunCounts(**row.counts)
            counts = replace(
                before,
                embeddings_computed=before.embeddings_computed + computed,
                embeddings_reused=before.embeddings_reused + reused,
            )
            connection.execute(
                update(runs).where(runs.c.id == row.id).values(counts=asdict(counts))
            )

    @override
    def history(self, *, source_id: str | None = None, limit: int = 20) -> Sequence[RunRecord]:
        query = (
            select(runs, sources.c.name.label("source"))
            .join(sources, sources.c.id == runs.c.source_id)
            .order_by(_latest_first())
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


def _latest_first() -> Any:
    return text("runs.rowid DESC")
