"""What a sync works with: its parts, its options, and what it tells."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from citewell.access.tier_of_path import TierRejection, tier_of_path
from citewell.domain.errors import DocumentError
from citewell.domain.record import RunCounts
from citewell.domain.source import Source, SourceItem
from citewell.ingestion.deletions import DeletionOptions
from citewell.ingestion.ingest_document import DocumentIngestion, Outcome
from citewell.ingestion.sync_steps import SyncSteps
from citewell.ports.connector import Connector
from citewell.ports.converter import Converter
from citewell.ports.run_log import RunLog
from citewell.ports.source_registry import SourceRegistry
from citewell.ports.tracer import UNTOLD, Tracer


class SyncObserver(Protocol):
    """Told how a sync goes on."""

    def scanned(self, source: Source, *, n_to_read: int) -> None:
        """The source was looked at; so many more items must be read."""
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
        settle_s: An item is read once its size and time have not changed for so many seconds.
        max_settle_s: An item that never rests, such as a log, is read after so many seconds.
        deletions: When many deletions at once wait for a confirmation.
    """

    tiers: tuple[str, ...]
    max_file_bytes: int = 512 * 2**20
    max_in_flight: int = 6
    max_bytes_in_flight: int = 256 * 2**20
    settle_s: float = 1.0
    max_settle_s: float = 30.0
    deletions: DeletionOptions = field(default_factory=DeletionOptions)


class Tally:
    """Counts of a run that grow while it goes on."""

    def __init__(self) -> None:
        """Start at zero."""
        self.counts = RunCounts()

    def add(self, **more: int) -> None:
        """Add to the named counts."""
        grown = {name: getattr(self.counts, name) + int(n) for name, n in more.items()}
        self.counts = replace(self.counts, **grown)

    def take(self) -> RunCounts:
        """Return the counts, and begin at zero again."""
        counts, self.counts = self.counts, RunCounts()
        return counts


@dataclass(frozen=True, slots=True)
class SyncParts:
    """The parts that a sync needs.

    Attributes:
        registry: Where the source's state is kept.
        runs: Where the run is recorded.
        converter: Bytes to text.
        ingestion: Text to versions.
        recipe: What makes versions; another recipe makes all of them anew.
        repair_drift: Repairs what index and vectors lack or hold in excess; returns how much.
        hold_source: Keeps other syncs of a source out while it is entered; raises `BusyError`.
        check_space: Raises `LowDiskSpaceError` below the watermark.
        erase_what_is_due: Erases from every store what went some minutes ago.
        now: The clock, with a time zone.
        elapsed_s: Seconds since some moment; never goes back.
        options: How it works.
        tracer: Told what takes how long.
    """

    registry: SourceRegistry
    runs: RunLog
    converter: Converter
    ingestion: DocumentIngestion
    recipe: str
    repair_drift: Callable[[], int]
    hold_source: Callable[[Source], AbstractContextManager[None]]
    check_space: Callable[[], None]
    erase_what_is_due: Callable[[], object]
    now: Callable[[], datetime]
    elapsed_s: Callable[[], float]
    options: SyncOptions
    tracer: Tracer = UNTOLD


@dataclass(frozen=True, slots=True)
class Run:
    """One sync of one source.

    Attributes:
        source: What is synced.
        connector: Reads it.
        tally: What was done so far.
        parts: What it works with.
        steps: How long it takes.
    """

    source: Source
    connector: Connector
    tally: Tally
    parts: SyncParts
    steps: SyncSteps = field(default_factory=SyncSteps)

    def tier(self, item: SourceItem) -> str:
        """Return the tier of an item by its path.

        Raises:
            DocumentError: The source's rule gives it none.
        """
        tier = tier_of_path(self.source, item.relative_path, tiers=self.parts.options.tiers)
        if isinstance(tier, TierRejection):
            raise DocumentError(tier.reason)
        return tier
