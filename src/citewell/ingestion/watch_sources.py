"""Journey 1, live: whatever changes in the sources is hidden or searchable within seconds.

    changes ─► look (hide at once) ─► work, edits first ─► vectors ─► erase

One thread does it all but embed, so that what hides something never waits for another lock than
SQLite's; a server runs it in a thread of its own, `rag watch` in its first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from citewell.domain.errors import CitewellError, UnavailableError
from citewell.domain.source import Source
from citewell.ingestion.fill_vectors import VectorFilling
from citewell.ingestion.sync_parts import SyncObserver, SyncParts
from citewell.ingestion.vectors_beside import VectorsBeside
from citewell.ingestion.watch_source import EndedRun, SyncRequest, WatchedSource
from citewell.ports.change_feed import OpenFeed
from citewell.ports.connector import Connector

_CONVERSION_S = 0.1  # that a conversion is waited for before changes are looked at again
_UPKEEP_S = 30.0
_LATEST_UPKEEP_S = 120.0  # more than that nothing puts it off, however much waits
_STOP_S = 1.0  # after which `stop` is noticed at the latest
_TROUBLE_S = 60.0  # until vectors are tried again after the embedder could not be reached


@dataclass(frozen=True, slots=True)
class WatchObservers:
    """Who is told what.

    Attributes:
        sync: How runs go on.
        ended: Of each run that did something or failed.
        trouble: Of what did not work and is tried again, as one sentence.
    """

    sync: SyncObserver
    ended: Callable[[EndedRun], None]
    trouble: Callable[[str], None]


@dataclass(slots=True)
class SourcesWatch:
    """Watches sources until it is told to stop.

    Attributes:
        parts: What a sync works with.
        open_feed: Opens what tells of the changes of a source.
        connector: Returns what reads a source.
        filling: Makes vectors, in small batches; None without an embedder.
        observers: Who is told.
        upkeep: Called every half minute while nothing waits, every few minutes while something
            does.
    """

    parts: SyncParts
    open_feed: OpenFeed
    connector: Callable[[Source], Connector]
    filling: VectorFilling | None
    observers: WatchObservers
    upkeep: Callable[[], None] = lambda: None
    _wake: threading.Event = field(default_factory=threading.Event)
    _is_stopped: bool = False
    _next_upkeep: float = 0.0
    _next_vectors: float = 0.0
    _vectors: VectorsBeside | None = None
    _watched: Sequence[WatchedSource] = ()

    def watch_sources(self, sources: Sequence[Source]) -> None:
        """Bring the sources up to date, then follow their changes; returns after `stop`.

        Raises:
            BusyError: Another sync of one of them is at work.
        """
        with ExitStack() as stack:
            for source in sources:
                stack.enter_context(self.parts.hold_source(source))
            if self.filling is not None:
                self._vectors = VectorsBeside(self.filling, self._wake.set)
                stack.callback(self._vectors.close)
            stack.callback(self._forget)
            self._watched = [self._watch(source, stack) for source in sources]
            while not self._is_stopped:
                self._step(self._watched)

    def stop(self) -> None:
        """End within a second or so: what is done stays, what is being converted is given up.

        It may be called from any thread, and from the handler of a signal: it takes no lock.
        """
        self._is_stopped = True

    def request_sync(self, source_id: str, request: SyncRequest) -> None:
        """Have a source looked at now; it may be called from any thread.

        Raises:
            BusyError: Somebody else asked for it, and that run goes on.
            UnavailableError: The source is not watched.
        """
        for source in self._watched:
            if source.source.id == source_id:
                source.request_sync(request)
                self._wake.set()
                return
        raise UnavailableError("the source is not followed yet: try again later")

    def _forget(self) -> None:
        self._watched = ()

    def _watch(self, source: Source, stack: ExitStack) -> WatchedSource:
        connector = self.connector(source)
        feed = self.open_feed(source, self.connector(source), self._wake.set)
        watched = WatchedSource(
            source,
            connector,
            feed,
            parts=self.parts,
            observer=self.observers.sync,
            told=self.observers.ended,
        )
        stack.callback(watched.close)
        return watched

    def _step(self, watched: Sequence[WatchedSource]) -> None:
        self._wake.clear()
        for source in watched:
            source.look()
        self._keep_vectors()
        busy = [source for source in watched if source.is_busy]
        for source in busy:
            source.work(wait_s=_CONVERSION_S / len(busy))
        if any(source.is_busy and source.idle_s == 0 for source in busy):
            self._keep_up(late_s=_LATEST_UPKEEP_S)
            return
        self._keep_up()
        self._begin_vectors()
        pause_s = min(source.idle_s for source in watched)
        self._wake.wait(min(max(0.0, pause_s), _STOP_S))

    def _keep_vectors(self) -> None:
        if self._vectors is not None:
            self._try_vectors(self._vectors.keep_made)

    def _begin_vectors(self) -> None:
        """Begin the next batch, unless upkeep is due, which waits for the one before it."""
        now = self.parts.elapsed_s()
        if self._vectors is not None and self._next_vectors <= now < self._next_upkeep:
            self._try_vectors(self._vectors.begin)

    def _try_vectors(self, do: Callable[[], None]) -> None:
        if (reason := _trouble_with(do)) is not None:
            self._next_vectors = self.parts.elapsed_s() + _TROUBLE_S
            self.observers.trouble(f"vectors are made later: {reason}")

    def _keep_up(self, *, late_s: float = 0.0) -> None:
        """Do what is due, or what has been for so many seconds, while no vectors are made."""
        if self.parts.elapsed_s() < self._next_upkeep + late_s:
            return
        if self._vectors is not None and self._vectors.is_running:
            return
        self._next_upkeep = self.parts.elapsed_s() + _UPKEEP_S
        if (reason := _trouble_with(self.upkeep)) is not None:
            self.observers.trouble(reason)


def _trouble_with(do: Callable[[], object]) -> str | None:
    """Do something, and return why it failed, or None."""
    try:
        do()
    except CitewellError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - an entry loop: nothing may end the watch
        return f"an unexpected error: {type(error).__name__}"
    return None
