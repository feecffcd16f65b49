"""One source that is watched: what to look at when, and what is being worked on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from citewell.domain.errors import (
    BusyError,
    CitewellError,
    LowDiskSpaceError,
    SourceUnavailableError,
    UnavailableError,
)
from citewell.domain.record import RunCounts, Trigger
from citewell.domain.source import Source
from citewell.ingestion.sync_parts import Run, SyncObserver, SyncParts, Tally
from citewell.ingestion.sync_run import SyncRun
from citewell.ingestion.sync_steps import SyncSteps
from citewell.ports.change_feed import ChangeFeed
from citewell.ports.connector import Connector

_GRACE = timedelta(seconds=60)
"""What went is hidden at once and erased after that: it may come back under another name, and many
deletions one after the other are seen as one."""
_UNAVAILABLE_S = 5.0  # until a source that is gone is looked for again
_TROUBLE_S = 10.0  # until something that did not work is tried again
_CONFIRMATION_S = 1.0  # how often is asked whether deletions were confirmed


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A run of a watched source that has ended; only those that did something are told.

    Attributes:
        source: Whose it was.
        trigger: What started it.
        counts: What it did.
        error: Why it failed, or None.
    """

    source: Source
    trigger: Trigger
    counts: RunCounts
    error: str | None


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """Someone wants a watched source to be looked at now.

    Attributes:
        confirmed: What is missing is meant to be gone.
        retry: Try again what failed, whether it is due or not.
        begun: Gets the id of the run that does it; one that goes on already takes it in.
        ended: Gets the id too, when that run has ended.
    """

    confirmed: bool = False
    retry: bool = False
    begun: Future[str] = field(default_factory=Future[str])
    ended: Future[str] = field(default_factory=Future[str])


class WatchedSource:
    """Keeps the catalog up to what one source holds, a step at a time.

    A run begins with the first look and ends when nothing waits any more; whatever changes
    meanwhile joins it.
    """

    def __init__(
        self,
        source: Source,
        connector: Connector,
        feed: ChangeFeed,
        *,
        parts: SyncParts,
        observer: SyncObserver,
        told: Callable[[EndedRun], None],
    ) -> None:
        """Take a source, what reads it, what tells of its changes, and who is told of runs."""
        self.source = source
        self._connector = connector
        self._feed = feed
        self._parts = parts
        self._observer = observer
        self._told = told
        self._elapsed_s = parts.elapsed_s
        self._run: SyncRun | None = None
        self._run_id: str | None = None
        self._tally = Tally()
        self._steps = SyncSteps()
        self._trigger: Trigger = "watch"
        self._next_scan = parts.elapsed_s()
        self._next_erasure: float | None = None
        self._next_question = parts.elapsed_s()
        self._paused_until = 0.0
        self._is_confirmed = False
        self._is_away = False
        self._last_error: str | None = None
        self._requests: deque[SyncRequest] = deque()
        self._taken: list[SyncRequest] = []

    def request_sync(self, request: SyncRequest) -> None:
        """Look at everything soon; it may be called from any thread.

        Raises:
            BusyError: Somebody else asked for it, and that run goes on.
        """
        if self._requests or self._taken:
            raise BusyError(f"the source {self.source.name} is being synced: try again later")
        self._requests.append(request)

    @property
    def is_busy(self) -> bool:
        """Whether a document waits or is being converted, and may be worked on now."""
        return self._run is not None and not self._run.is_done and not self._is_paused

    @property
    def is_converting(self) -> bool:
        """Whether a conversion goes on."""
        return self._run is not None and self._run.is_converting

    @property
    def idle_s(self) -> float:
        """How long there is nothing to do, unless something changes; in seconds."""
        now = self._elapsed_s()
        moments = [self._next_scan, self._next_question]
        if self._next_erasure is not None:
            moments.append(self._next_erasure)
        idle_s = max(0.0, min(moments) - now)
        if self._is_paused:
            return min(idle_s, self._paused_until - now)
        if self._run is not None and not self._run.is_done:
            return min(idle_s, self._run.idle_s)
        return idle_s

    def look(self) -> None:
        """Look at what changed, or at everything when that is due; what went is hidden at once."""
        self._guarded(self._note_changes_of_state)
        now = self._elapsed_s()
        changes = self._feed.take()
        self._take_requests()
        if self._taken and not all(request.begun.done() for request in self._taken):
            self._guarded(self._scan_as_requested)
        elif self._is_confirmed or now >= self._next_scan:
            self._guarded(self._scan)
        elif changes:
            within = None if changes.everything else sorted(changes.paths)
            self._guarded(lambda: self._look_at(within))
        if self._next_erasure is not None and now >= self._next_erasure:
            self._guarded(self._erase)

    def work(self, *, wait_s: float) -> None:
        """Work on what waits, and end the run when nothing does."""
        run = self._run
        if run is None or self._is_paused:
            return
        self._guarded(lambda: run.work(wait_s=wait_s))
        if self._run is run and run.is_done:
            self._guarded(self._finish)

    def close(self) -> None:
        """Give up what is being converted, and end the run."""
        if self._run is not None:
            self._run.cancel()
            self._end("cancelled", "it was told to stop")
        self._take_requests()
        for request in self._taken:
            request.begun.cancel()
            request.ended.cancel()
        self._feed.close()
        self._parts.registry.set_watch(self.source.id, None)

    @property
    def _is_paused(self) -> bool:
        return self._elapsed_s() < self._paused_until

    def _note_changes_of_state(self) -> None:
        """Record how the source is watched, and ask whether deletions were confirmed."""
        if self._elapsed_s() < self._next_question:
            return
        self._next_question = self._elapsed_s() + _CONFIRMATION_S
        registry, source_id = self._parts.registry, self.source.id
        status = registry.status_of(source_id)
        if (status.watch_mode, status.watch_reason) != (self._feed.mode, self._feed.reason):
            registry.set_watch(source_id, self._feed.mode, self._feed.reason)
        self._is_confirmed |= registry.take_confirmation(source_id)

    def _guarded(self, do: Callable[[], None]) -> None:
        """Do something that may fail, and decide when it is tried again."""
        try:
            do()
        except LowDiskSpaceError as error:
            self._pause(str(error), for_s=_TROUBLE_S, keep=True)
        except SourceUnavailableError as error:
            self._pause(str(error), for_s=_UNAVAILABLE_S)
            self._is_away = True
        except UnavailableError as error:
            self._pause(str(error), for_s=_TROUBLE_S)
        except CitewellError as error:
            self._pause(str(error), for_s=self.source.scan_interval_s)
        except Exception as error:  # noqa: BLE001 - an entry loop: one source must not stop others
            self._pause(
                f"an unexpected error: {type(error).__name__}", for_s=self.source.scan_interval_s
            )

    def _pause(self, error: str, *, for_s: float, keep: bool = False) -> None:
        """End the record of the run; look at everything again after a while.

        Args:
            error: Why.
            for_s: How long nothing is worked on, in seconds.
            keep: What waits goes on waiting.
        """
        self._paused_until = self._elapsed_s() + for_s
        self._next_scan = min(self._next_scan, self._paused_until)
        run = self._run
        self._end("failed", error)
        if run is not None and keep and not run.is_done:
            self._run = run
        elif run is not None:
            run.cancel()

    def _take_requests(self) -> None:
        while self._requests:
            request = self._requests.popleft()
            self._taken.append(request)
            self._is_confirmed |= request.confirmed

    def _scan_as_requested(self) -> None:
        """Look at everything in a run that is recorded, whatever comes of it."""
        self._paused_until = 0.0
        self._going_on("manual")
        run_id = self._record()
        for request in self._taken:
            if not request.begun.done():
                request.begun.set_result(run_id)
        self._scan(retry=any(request.retry for request in self._taken))

    def _scan(self, *, retry: bool = False) -> None:
        self._next_scan = self._elapsed_s() + self.source.scan_interval_s
        run = self._going_on("schedule")
        if self._last_error is None:  # one that goes on failing is one run
            self._record()
        run.look(confirmed=self._is_confirmed, retry=retry)
        run.erase_missing(min_age=_GRACE)
        self._is_confirmed = False
        self._record()
        self._note_look(run)

    def _look_at(self, within: Sequence[str] | None) -> None:
        run = self._going_on("watch")
        run.look(within, is_live=True)
        self._note_look(run)

    def _erase(self) -> None:
        """Look once more for what went, and erase what is still not there."""
        self._next_erasure = None
        missing = self._parts.ingestion.documents.missing_items(self.source.id)
        free = [item.relative_path for item in missing if item.held_until is None]
        if free:
            run = self._going_on("watch")
            run.look(free, is_live=True)
            run.erase_missing(min_age=_GRACE)
            self._note_look(run)

    def _record(self) -> str:
        """Enter the run into the history, if it does not stand there yet, and return its id."""
        if self._run_id is None:
            self._run_id = self._parts.runs.start(self.source.id, trigger=self._trigger)
        return self._run_id

    def _note_look(self, run: SyncRun) -> None:
        """Record a run once it does something, and see to it that what is hidden is erased."""
        self._last_error = None
        if self._is_away:  # it has just been read
            self._is_away, self._paused_until = False, 0.0
        if run.has_missing and self._next_erasure is None:
            self._next_erasure = self._elapsed_s() + _GRACE.total_seconds() + 1
        counts = self._tally.counts
        did_something = counts != RunCounts(skipped=counts.skipped)
        if did_something or not run.is_done:
            self._record()
        if run.is_done:
            self._finish()

    def _going_on(self, trigger: Trigger) -> SyncRun:
        """Return the run that goes on, or begin one."""
        if self._run is None:
            self._tally, self._trigger, self._steps = Tally(), trigger, SyncSteps()
            run = Run(self.source, self._connector, self._tally, self._parts, self._steps)
            self._run = SyncRun(run, self._observer)
        return self._run

    def _finish(self) -> None:
        self._parts.ingestion.writer.settle()
        self._end("succeeded", None)

    def _end(self, state: Literal["succeeded", "failed", "cancelled"], error: str | None) -> None:
        self._run = None
        counts = self._tally.take()
        if error is not None and error != self._last_error:
            self._record()
        if self._run_id is not None:
            self._parts.runs.finish(self._run_id, state=state, counts=counts, error=error)
            self._tell_requests(self._run_id)
            self._run_id = None
            if error is not None or counts != RunCounts(skipped=counts.skipped):
                self._told(EndedRun(self.source, self._trigger, counts, error))
                self._steps.tell(
                    self._parts.tracer,
                    source_id=self.source.id,
                    trigger=self._trigger,
                    counts=counts,
                    error=None if error is None else state,
                )
        self._last_error = error

    def _tell_requests(self, run_id: str) -> None:
        """Tell those who asked for the run that it has ended."""
        begun = [request for request in self._taken if request.begun.done()]
        self._taken = [request for request in self._taken if request not in begun]
        for request in begun:
            request.ended.set_result(run_id)
