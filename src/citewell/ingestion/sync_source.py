"""Journey 1, one source: bring the catalog up to what the folder holds now.

    look: scan ─► diff ─► hide what went ─► work: read ─► convert (sandbox) ─► ingest

What hides something is committed before any other work.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from citewell.domain.errors import CitewellError, error_code
from citewell.domain.failpoints import reach
from citewell.domain.record import RunCounts, Trigger
from citewell.domain.source import Source
from citewell.ingestion.sync_parts import Run, SyncObserver, SyncParts, Tally
from citewell.ingestion.sync_run import SyncRun
from citewell.ports.connector import Connector

_WAIT_S = 1.0  # for a conversion, before the clock is looked at again
_ERASE_EVERY_S = 30.0  # of a sync that takes long: what it deletes is erased before it ends


@dataclass(frozen=True, slots=True)
class SourceSync:
    """Syncs sources.

    Attributes:
        parts: What a sync works with.
        pause: Waits for so many seconds.
    """

    parts: SyncParts
    pause: Callable[[float], None]

    def sync_source(
        self,
        source: Source,
        connector: Connector,
        *,
        observer: SyncObserver,
        trigger: Trigger = "manual",
        confirmed: bool = False,
        retry: bool = False,
    ) -> RunCounts:
        """Sync one source and return what was done; the run is recorded either way.

        Args:
            source: What is synced.
            connector: Reads it.
            observer: Told how it goes on.
            trigger: What started it.
            confirmed: Someone said that what is missing is meant to be gone.
            retry: Try again what failed, whether it is due or not.

        Raises:
            SourceUnavailableError: The source cannot be read; nothing was deleted.
            LowDiskSpaceError: Ingestion stopped at the watermark; what is done stays.
            IndexUnavailableError: The index cannot be reached.
            BusyError: Another sync of this source is at work.
        """
        run = Run(source, connector, Tally(), self.parts)
        with self.parts.hold_source(source), self._recorded(run, trigger):
            going_on = SyncRun(run, observer)
            try:
                going_on.look(retry=retry, confirmed=confirmed)
                going_on.erase_missing()
                self.parts.check_space()
                self._work(going_on)
            finally:
                going_on.cancel()
            self.parts.ingestion.writer.settle()
        return run.tally.counts

    def _work(self, going_on: SyncRun) -> None:
        erase_at = self.parts.elapsed_s() + _ERASE_EVERY_S
        while not going_on.is_done:
            self.pause(going_on.idle_s)
            going_on.work(wait_s=_WAIT_S)
            if self.parts.elapsed_s() >= erase_at:
                self.parts.erase_what_is_due()
                erase_at = self.parts.elapsed_s() + _ERASE_EVERY_S

    @contextmanager
    def _recorded(self, run: Run, trigger: Trigger) -> Generator[None]:
        runs, registry = self.parts.runs, self.parts.registry
        if registry.status_of(run.source.id).watch_mode is not None:
            registry.set_watch(run.source.id, None)  # who watched it was killed
        run_id = runs.start(run.source.id, trigger=trigger)
        try:
            yield
        except BaseException as error:
            cancelled = isinstance(error, KeyboardInterrupt)
            state: Literal["cancelled", "failed"] = "cancelled" if cancelled else "failed"
            reason = str(error) if isinstance(error, CitewellError) else type(error).__name__
            runs.finish(run_id, state=state, counts=run.tally.counts, error=reason)
            self._tell(run, trigger, error=error_code(error))
            raise
        runs.finish(run_id, state="succeeded", counts=run.tally.counts)
        reach("run-recorded")
        self._tell(run, trigger, error=None)

    def _tell(self, run: Run, trigger: Trigger, *, error: str | None) -> None:
        run.steps.tell(
            self.parts.tracer,
            source_id=run.source.id,
            trigger=trigger,
            counts=run.tally.counts,
            error=error,
        )
