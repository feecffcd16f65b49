"""Journey 1, one source: bring the catalog up to what the folder holds now.

    scan ─► diff ─► hide what went ─► read what may have changed ─► convert (sandbox) ─► ingest

What hides something is committed before any other work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, Protocol

from citewell.access.tier_of_path import TierRejection, tier_of_path
from citewell.domain.document import DocumentState, FailedMember
from citewell.domain.errors import (
    CitewellError,
    DocumentError,
    NotFoundError,
    SourceUnavailableError,
    UnavailableError,
    UnsupportedDocumentError,
)
from citewell.domain.record import Failure, KnownItem, RunCounts
from citewell.domain.source import RejectedItem, Source, SourceItem
from citewell.ingestion.diff import Diff, diff_items
from citewell.ingestion.ingest_document import (
    DocumentIngestion,
    Outcome,
    attempts_so_far,
    count_chunks,
)
from citewell.ingestion.moves import find_moves
from citewell.ingestion.prepare import Origin, version_of
from citewell.ingestion.read_item import ReadItem, read_item
from citewell.ports.connector import Connector
from citewell.ports.converter import ConversionResult, Converter
from citewell.ports.run_log import RunLog
from citewell.ports.source_registry import SourceRegistry


class SyncObserver(Protocol):
    """Told how a sync goes on."""

    def scanned(self, source: Source, *, n_to_read: int) -> None:
        """The scan is done; so many items must be read."""
        ...

    def done(self, outcome: Outcome) -> None:
        """One document is done."""
        ...


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """How a sync works.

    Attributes:
        tiers: All tiers, lowest first.
        max_file_bytes: Larger items are recorded as failed.
        max_in_flight: Items read or being converted at once.
        max_bytes_in_flight: Their bytes at once, unless a single item is larger.
    """

    tiers: tuple[str, ...]
    max_file_bytes: int = 512 * 2**20
    max_in_flight: int = 6
    max_bytes_in_flight: int = 256 * 2**20


class Tally:
    """Counts of a run that grow while it goes on."""

    def __init__(self) -> None:
        """Start at zero."""
        self.counts = RunCounts()

    def add(self, **more: int) -> None:
        """Add to the named counts."""
        grown = {name: getattr(self.counts, name) + int(n) for name, n in more.items()}
        self.counts = replace(self.counts, **grown)


@dataclass(frozen=True, slots=True)
class Run:
    """One sync of one source.

    Attributes:
        source: What is synced.
        connector: Reads it.
        tally: What was done so far.
    """

    source: Source
    connector: Connector
    tally: Tally


Running = dict[Future[ConversionResult], tuple[ReadItem, Origin]]


@dataclass(frozen=True, slots=True)
class SourceSync:
    """The parts that a sync needs.

    Attributes:
        registry: Where the source's state is kept.
        runs: Where the run is recorded.
        converter: Bytes to text.
        ingestion: Text to versions.
        recipe: What makes versions; another recipe makes all of them anew.
        check_space: Raises `LowDiskSpaceError` below the watermark.
        now: The clock.
        options: How it works.
    """

    registry: SourceRegistry
    runs: RunLog
    converter: Converter
    ingestion: DocumentIngestion
    recipe: str
    check_space: Callable[[], None]
    now: Callable[[], datetime]
    options: SyncOptions

    def sync_source(
        self,
        source: Source,
        connector: Connector,
        *,
        observer: SyncObserver,
        trigger: Literal["schedule", "watch", "manual"] = "manual",
    ) -> RunCounts:
        """Sync one source and return what was done; the run is recorded either way.

        Raises:
            SourceUnavailableError: The source cannot be read; nothing was deleted.
            LowDiskSpaceError: Ingestion stopped at the watermark; what is done stays.
            IndexUnavailableError: The index cannot be reached.
        """
        run_id = self.runs.start(source.id, trigger=trigger)
        tally = Tally()
        try:
            self._sync(Run(source, connector, tally), observer)
        except BaseException as error:
            cancelled = isinstance(error, KeyboardInterrupt)
            state: Literal["cancelled", "failed"] = "cancelled" if cancelled else "failed"
            reason = str(error) if isinstance(error, CitewellError) else type(error).__name__
            self.runs.finish(run_id, state=state, counts=tally.counts, error=reason)
            raise
        self.runs.finish(run_id, state="succeeded", counts=tally.counts)
        return tally.counts

    def _sync(self, run: Run, observer: SyncObserver) -> None:
        self.check_space()
        self.ingestion.documents.remove_leftovers()
        items, rejected = self._scan(run)
        known = self.ingestion.documents.known_items(run.source.id)
        diff = diff_items(items, known, recipe=self.recipe, now=self.now())
        diff = self._without_rejected(run, diff, rejected)
        diff = self._hide_what_went(run, diff)
        self._retier_unchanged(run, diff)
        self.ingestion.writer.catch_up()
        observer.scanned(run.source, n_to_read=len(diff.to_read))
        for outcomes in self._ingest(run, diff):
            for outcome in outcomes:
                observer.done(outcome)
        self.ingestion.writer.settle()

    def _scan(self, run: Run) -> tuple[list[SourceItem], list[RejectedItem]]:
        items: list[SourceItem] = []
        rejected: list[RejectedItem] = []
        try:
            for found in run.connector.scan():
                if isinstance(found, RejectedItem):
                    rejected.append(found)
                    continue
                tier = tier_of_path(run.source, found.relative_path, tiers=self.options.tiers)
                if isinstance(tier, TierRejection):
                    rejected.append(RejectedItem(found.relative_path, tier.reason))
                else:
                    items.append(found)
        except SourceUnavailableError as error:
            self.registry.set_state(run.source.id, "unavailable", str(error))
            raise
        self.registry.set_state(run.source.id, "available")
        return items, rejected

    def _without_rejected(self, run: Run, diff: Diff, rejected: Sequence[RejectedItem]) -> Diff:
        """Record rejected items with their reason, and take them out of the vanished ones."""
        unreadable = tuple(f"{item.relative_path}/" for item in rejected)
        vanished = {
            known.relative_path: known
            for known in diff.vanished
            if not known.relative_path.startswith(unreadable)  # a folder that cannot be listed
        }
        for item in rejected:
            before = vanished.pop(item.relative_path, None)
            if before and before.failure and before.failure.reason == item.reason:
                continue
            if before:
                self.ingestion.documents.delete([before.document_key])
            origin = Origin(
                source_id=run.source.id,
                item=SourceItem(item.relative_path, 0, 0, ""),
                tier=self.options.tiers[-1],
                content_sha256="",
                recipe=self.recipe,
            )
            failure = Failure(stage="read", type="RejectedItem", reason=item.reason)
            version = version_of(origin, state=DocumentState.UNSUPPORTED)
            self.ingestion.documents.record_failure(version, failure)
            run.tally.add(failed=1)
        return replace(diff, vanished=tuple(vanished.values()))

    def _hide_what_went(self, run: Run, diff: Diff) -> Diff:
        """Delete what vanished, except what only moved; both act at once."""
        moves = find_moves(diff, run.connector, max_bytes=self.options.max_file_bytes)
        moved = {move.known.document_key for move in moves}
        gone = [k.document_key for k in diff.vanished if k.document_key not in moved]
        self.ingestion.documents.delete(gone)
        for move in moves:
            tier = self._tier(run.source, move.item)
            self.ingestion.documents.move(move.known.document_key, move.item, tier=tier)
        run.tally.add(deleted=len(gone), moved=len(moves))
        arrived = {move.item.relative_path for move in moves}
        to_read = tuple(pair for pair in diff.to_read if pair[0].relative_path not in arrived)
        return replace(diff, to_read=to_read, vanished=())

    def _retier_unchanged(self, run: Run, diff: Diff) -> None:
        """Apply a changed access rule to documents whose content did not change."""
        for item, known in (*diff.unchanged, *diff.to_read):
            if known is not None and known.tier != self._tier(run.source, item):
                self.ingestion.documents.move(
                    known.document_key,
                    replace(item, fingerprint=known.fingerprint),
                    tier=self._tier(run.source, item),
                )
        run.tally.add(skipped=len(diff.unchanged))

    def _ingest(self, run: Run, diff: Diff) -> Iterator[list[Outcome]]:
        """Read and convert a few items ahead; yield the outcomes of each as it is done."""
        running: Running = {}
        waiting = iter(diff.to_read)
        try:
            while True:
                yield from self._start_some(run, waiting, running)
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    read, origin = running.pop(future)
                    yield self._finish(future, read, origin, run.tally)
        finally:
            for future in running:
                future.cancel()

    def _start_some(
        self,
        run: Run,
        waiting: Iterator[tuple[SourceItem, KnownItem | None]],
        running: Running,
    ) -> Iterator[list[Outcome]]:
        """Fill the window of running conversions; yield what needed none."""
        while self._has_room(running) and (pair := next(waiting, None)) is not None:
            item, known = pair
            self.check_space()
            origin = Origin(run.source.id, item, self._tier(run.source, item), "", self.recipe)
            try:
                read = read_item(item, known, run.connector, max_bytes=self.options.max_file_bytes)
            except NotFoundError:
                continue  # it went since the scan; the next one deletes it
            except DocumentError as error:
                yield [self._fail(origin, error, known, run.tally)]
                continue
            origin = replace(origin, content_sha256=read.content_sha256)
            if read.is_unchanged(self.recipe) and known is not None:
                self.ingestion.documents.touch(known.document_key, item)
                run.tally.add(skipped=1)
                continue
            future = self.converter.submit(read.data, relative_path=item.relative_path)
            running[future] = (read, origin)

    def _has_room(self, running: Running) -> bool:
        size = sum(len(read.data) for read, _ in running.values())
        return not running or (
            len(running) < self.options.max_in_flight and size < self.options.max_bytes_in_flight
        )

    def _finish(
        self, future: Future[ConversionResult], read: ReadItem, origin: Origin, tally: Tally
    ) -> list[Outcome]:
        try:
            outcomes = self._ingest_result(future.result(), origin)
        except DocumentError as error:
            return [self._fail(origin, error, read.known, tally, read=True)]
        written, kept = count_chunks(outcomes)
        tally.add(
            added=read.known is None,
            updated=read.known is not None,
            chunks_written=written,
            embeddings_reused=kept,
        )
        return outcomes

    def _ingest_result(self, result: ConversionResult, origin: Origin) -> list[Outcome]:
        first = result[0] if result else None
        if len(result) == 1 and first is not None and not first.member_path:
            if isinstance(first, FailedMember):
                raise UnsupportedDocumentError(first.reason)
            return [self.ingestion.ingest_document(first, origin)]
        return self.ingestion.ingest_archive(result, origin, now=self.now())

    def _fail(
        self,
        origin: Origin,
        error: DocumentError,
        known: KnownItem | None,
        tally: Tally,
        *,
        read: bool = False,
    ) -> Outcome:
        tally.add(failed=1)
        with suppress(UnavailableError):
            self.ingestion.writer.catch_up()
        return self.ingestion.record_failure(
            origin,
            error,
            stage="convert" if read else "read",
            attempts=attempts_so_far(known) + 1,
            now=self.now(),
        )

    def _tier(self, source: Source, item: SourceItem) -> str:
        tier = tier_of_path(source, item.relative_path, tiers=self.options.tiers)
        if isinstance(tier, TierRejection):
            raise DocumentError(tier.reason)
        return tier
