"""One sync of one source while it goes on.

    look: scan ─► diff ─► hide what went ─► work: read ─► convert (sandbox) ─► ingest, a few at once

Both may be called in turn: what is looked at meanwhile joins what waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from citewell.domain.failpoints import reach
from citewell.domain.record import KnownItem
from citewell.domain.source import SourceItem
from citewell.ingestion.apply_diff import DiffApplier
from citewell.ingestion.backlog import Backlog, Urgency, WaitingItem
from citewell.ingestion.convert_ahead import ConversionWindow
from citewell.ingestion.deletions import erasable
from citewell.ingestion.diff import diff_items
from citewell.ingestion.ingest_document import Outcome
from citewell.ingestion.scan_source import scan_source
from citewell.ingestion.sync_parts import Run, SyncObserver

_MOST_EDITS = 100
"""So many items that changed together are somebody's edits; more are a bulk, and can wait."""
_READING_S = 0.25  # before what is converted is ingested
_ERASED_AT_ONCE = 200  # documents of one transaction


class SyncRun:
    """Looks at a source and brings the catalog up to what it holds."""

    def __init__(self, run: Run, observer: SyncObserver) -> None:
        """Take what is synced, with what, and who is told how it goes on."""
        self._run = run
        self._parts = run.parts
        self._documents = run.parts.ingestion.documents
        self._observer = observer
        self._confirmed = False
        self._backlog = Backlog()
        self._window = ConversionWindow(run, self._backlog)
        self._missing: list[str] = []

    @property
    def is_done(self) -> bool:
        """Whether nothing waits and nothing is being converted."""
        return not self._backlog and not self._window

    @property
    def idle_s(self) -> float:
        """How long there is nothing to do but wait, in seconds."""
        if self._window:
            return 0.0
        return self._backlog.seconds_until_ready(self._parts.elapsed_s()) or 0.0

    @property
    def is_converting(self) -> bool:
        """Whether a conversion goes on, for which `work` may wait."""
        return bool(self._window)

    @property
    def has_missing(self) -> bool:
        """Whether the last look missed something that may have to be erased."""
        return bool(self._missing)

    def look(
        self,
        within: Sequence[str] | None = None,
        *,
        is_live: bool = False,
        retry: bool = False,
        confirmed: bool = False,
    ) -> None:
        """Look at the source, hide what went, and note what must be read.

        Args:
            within: Only what lies at or below these paths; None for everything.
            is_live: It is looked at because something changed just now: that may go on, so every
                item must rest first; index and vectors are not compared with the catalog.
            retry: Try again what failed, whether it is due or not.
            confirmed: Someone said that what is missing is meant to be gone.

        Raises:
            SourceUnavailableError: It cannot be read; nothing was hidden.
            IndexUnavailableError: The index cannot be reached; what went is hidden all the same.
        """
        self._confirmed = confirmed
        with self._run.steps.timed("scan"):
            items, rejected = scan_source(self._run, within, confirmed=confirmed)
        reach("discovered")
        known = self._known(items, within)
        now = self._parts.now()
        diff = diff_items(items, known, recipe=self._parts.recipe, now=now, retry=retry)
        if diff.to_read:
            self._parts.converter.get_ready()
        present = {item.relative_path for item in items}
        self._window.drop(
            path
            for path in self._window.items
            if path not in present and _is_at_or_below(path, within)
        )
        with self._run.steps.timed("hide"):
            diff = DiffApplier(self._run, confirmed=confirmed).apply(diff, rejected)
        reach("hidden")
        self._missing = [k.relative_path for k in diff.vanished if _lies_within(k, within)]
        self._backlog.add(self._to_wait(diff.to_read, is_live=is_live))
        self._observer.scanned(self._run.source, n_to_read=len(diff.to_read))
        self._parts.ingestion.writer.catch_up()
        if within is None and not is_live:
            self._documents.remove_leftovers()
            self._run.tally.add(drift_repaired=self._parts.repair_drift())

    def erase_missing(self, *, min_age: timedelta = timedelta(0)) -> None:
        """Erase what the last look missed, unless it waits for a confirmation.

        Args:
            min_age: How long it must have been missing.
        """
        if not self._missing:
            return
        known = self._documents.known_items(self._run.source.id, within=self._missing)
        missing = [item for item in known if item.missing_since is not None]
        erased = erasable(
            missing, now=self._parts.now(), min_age=min_age, confirmed=self._confirmed
        )
        for start in range(0, len(erased), _ERASED_AT_ONCE):
            some = erased[start : start + _ERASED_AT_ONCE]
            self._documents.delete([item.document_key for item in some])
            reach("erased")
            self._parts.ingestion.writer.catch_up()
        self._run.tally.add(deleted=sum(item.held_until is not None for item in erased))

    def work(self, *, wait_s: float) -> None:
        """Read what is ready, and ingest what is converted.

        It returns soon even if thousands of items wait that need no conversion, so that a caller
        may look at what changed meanwhile.

        Args:
            wait_s: How long a conversion is waited for, when nothing can be read.

        Raises:
            LowDiskSpaceError: Ingestion stopped at the watermark; what is done stays.
            IndexUnavailableError: The index cannot be reached.
        """
        end_s = self._parts.elapsed_s() + _READING_S
        while self._backlog and self._window.has_room:
            self._parts.check_space()
            elapsed_s = self._parts.elapsed_s()
            if elapsed_s > end_s:
                wait_s = 0.0
                break
            waited = self._backlog.take(elapsed_s, busy=self._window.items)
            if waited is None:
                break
            if (settled := self._settled(waited)) is not None:
                self._tell(self._window.start(settled))
        self._tell(self._window.finish_some(wait_s=wait_s))

    def cancel(self) -> None:
        """Give up what is being converted."""
        self._window.cancel()

    def _tell(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            self._observer.done(outcome)

    def _known(self, items: Sequence[SourceItem], within: Sequence[str] | None) -> list[KnownItem]:
        """Return what is known of where was looked, and hidden items that may be what is new."""
        source_id = self._run.source.id
        if within is None:
            return list(self._documents.known_items(source_id))
        paths = [*within, *(item.relative_path for item in items)]
        known = list(self._documents.known_items(source_id, within=paths))
        there = {item.relative_path for item in known}
        if all(item.relative_path in there for item in items):
            return known
        missing = self._documents.missing_items(source_id)
        return known + [item for item in missing if item.relative_path not in there]

    def _to_wait(
        self, to_read: Sequence[tuple[SourceItem, KnownItem | None]], *, is_live: bool
    ) -> Iterator[WaitingItem]:
        """Yield what must be read; what may still be written to waits until it rests."""
        elapsed_s, now_ns = self._parts.elapsed_s(), self._parts.now().timestamp() * 1e9
        settle_s = self._parts.options.settle_s
        converting = self._window.items
        urgency = Urgency.EDIT if is_live and len(to_read) <= _MOST_EDITS else Urgency.BULK
        for item, known in to_read:
            if item.fingerprint and converting.get(item.relative_path) == item:
                continue
            is_retry = (
                known is not None
                and known.failure is not None
                and known.fingerprint == item.fingerprint
            )
            age_s = (now_ns - item.modified_ns) / 1e9
            rests = is_retry or not (is_live or 0 <= age_s < settle_s)
            yield WaitingItem(
                item,
                known,
                urgency=Urgency.RETRY if is_retry else urgency,
                ready_at=elapsed_s if rests else elapsed_s + settle_s,
                since=elapsed_s,
                rests=rests,
            )

    def _settled(self, waited: WaitingItem) -> WaitingItem | None:
        """Return the item as it is now, or None if it is gone or still being written to."""
        if waited.rests:
            return waited
        path = waited.item.relative_path
        items, _ = scan_source(self._run, [path], confirmed=self._confirmed)
        item = next((item for item in items if item.relative_path == path), None)
        if item is None:
            return None  # the next look hides it
        elapsed_s, options = self._parts.elapsed_s(), self._parts.options
        current = replace(waited, item=item, ready_at=elapsed_s + options.settle_s)
        is_patient = elapsed_s - waited.since < options.max_settle_s
        if is_patient and item.fingerprint != waited.item.fingerprint:
            self._backlog.add([current])
            return None
        return current


def _lies_within(known: KnownItem, within: Sequence[str] | None) -> bool:
    return _is_at_or_below(known.relative_path, within)


def _is_at_or_below(path: str, within: Sequence[str] | None) -> bool:
    return within is None or any(f"{path}/".startswith(f"{above}/") for above in within)
