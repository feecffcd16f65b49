"""The items that wait to be read, in an order in which none starves."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from pathlib import PurePosixPath

from citewell.domain.record import KnownItem
from citewell.domain.source import SourceItem

_BUSY_S = 0.1  # until an item is asked for again whose former content is being converted


class Urgency(IntEnum):
    """What comes first."""

    EDIT = 0
    BULK = 1
    RETRY = 2


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """An item that waits to be read.

    Attributes:
        item: As it was last looked at.
        known: As of the last sync, or None.
        urgency: Edits before a bulk, and what failed before last.
        ready_at: It may be read from then on; seconds of the backlog's clock.
        since: When it began to wait; of the same clock.
        rests: Nobody writes to it any more, as far as can be told.
    """

    item: SourceItem
    known: KnownItem | None
    urgency: Urgency
    ready_at: float
    since: float
    rests: bool

    @property
    def group(self) -> tuple[Urgency, str, str]:
        """Urgency, folder and suffix: what is wrong with one is often wrong with all."""
        path = PurePosixPath(self.item.relative_path)
        return self.urgency, str(path.parent), path.suffix.lower()


@dataclass(slots=True)
class _Turns:
    """Ready items of one group, and how it went with those before."""

    paths: deque[str] = field(default_factory=deque[str])
    n_failed: int = 0
    n_taken: int = 0

    def rank(self, group: tuple[Urgency, str, str]) -> tuple[Urgency, int, int]:
        """Smaller comes first."""
        return group[0], self.n_failed, self.n_taken


_Group = tuple[Urgency, str, str]


class Backlog:
    """Items that wait, each path once.

    Among items of one urgency folders and types take turns, those with fewer failures first, so
    that many bad items do not keep the good ones waiting.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._waiting: dict[str, WaitingItem] = {}
        self._not_ready: list[tuple[float, str]] = []
        self._turns: dict[_Group, _Turns] = defaultdict(_Turns)
        self._order: list[tuple[Urgency, int, int, _Group]] = []

    def __len__(self) -> int:
        """Return how many items wait."""
        return len(self._waiting)

    def add(self, items: Iterable[WaitingItem]) -> None:
        """Add items.

        One that waits already with the same fingerprint goes on waiting as before; with another
        one it waits anew, since the same moment.
        """
        for new in items:
            path = new.item.relative_path
            before = self._waiting.get(path)
            if before and before.item.fingerprint == new.item.fingerprint != "":
                continue
            self._waiting[path] = replace(new, since=before.since) if before else new
            heapq.heappush(self._not_ready, (new.ready_at, path))

    def take(self, now: float, *, busy: Container[str] = ()) -> WaitingItem | None:
        """Return the next item that is ready, which waits no more, or None.

        Args:
            now: Seconds of the backlog's clock.
            busy: Paths that must wait a little longer.
        """
        self._call_ready(now)
        while self._order:
            *rank, group = heapq.heappop(self._order)
            turns = self._turns[group]
            if tuple(rank) != turns.rank(group):  # some failed since it was queued
                self._queue(group)
                continue
            path = turns.paths.popleft()
            found = self._waiting.get(path)
            if found is None or found.ready_at > now or found.group != group:
                self._queue(group)  # taken before, or it waits anew
            elif path in busy:
                heapq.heappush(self._not_ready, (now + _BUSY_S, path))
                self._queue(group)
            else:
                turns.n_taken += 1
                self._queue(group)
                return self._waiting.pop(path)
        return None

    def failed(self, item: WaitingItem) -> None:
        """Let the rest of an item's group wait for the others."""
        self._turns[item.group].n_failed += 1

    def seconds_until_ready(self, now: float) -> float | None:
        """Return how long nothing is ready, or None when nothing waits."""
        if self._order:
            return 0.0
        return max(0.0, self._not_ready[0][0] - now) if self._not_ready else None

    def _call_ready(self, now: float) -> None:
        while self._not_ready and self._not_ready[0][0] <= now:
            _, path = heapq.heappop(self._not_ready)
            found = self._waiting.get(path)
            if found is not None and found.ready_at <= now:
                turns = self._turns[found.group]
                turns.paths.append(path)
                if len(turns.paths) == 1:
                    self._queue(found.group)

    def _queue(self, group: _Group) -> None:
        turns = self._turns[group]
        if turns.paths:
            heapq.heappush(self._order, (*turns.rank(group), group))
