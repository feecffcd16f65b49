"""The live sync of a server, in a thread of its own."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from citewell.domain.source import Source
from citewell.ingestion.ingest_document import Outcome
from citewell.ingestion.watch_source import EndedRun, SyncRequest
from citewell.ingestion.watch_sources import WatchObservers
from citewell.live import watch_of

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell

_LOG = logging.getLogger("citewell.sync")


class LiveSync:
    """Follows the sources of a data folder from `start` to `stop`."""

    def __init__(self, parts: Citewell) -> None:
        """Take the parts of the data folder, which this process holds."""
        self._registry = parts.catalog.sources
        observers = WatchObservers(sync=_Quiet(), ended=_look_away, trouble=_LOG.warning)
        self._watching = watch_of(parts, observers)
        self._thread = threading.Thread(target=self._follow, name="live-sync")

    def start(self) -> None:
        """Begin; returns at once."""
        if self._registry.sources():
            self._thread.start()

    def request_sync(self, source_id: str, request: SyncRequest) -> None:
        """Have a source looked at now; safe to call from any thread.

        Raises:
            BusyError: Somebody else asked for it, and that run goes on.
            UnavailableError: The source is not followed.
        """
        self._watching.request_sync(source_id, request)

    def stop(self) -> None:
        """End, and wait until it has; what is done stays."""
        self._watching.stop()
        if self._thread.is_alive():
            self._thread.join()

    def _follow(self) -> None:
        try:
            self._watching.watch_sources(self._registry.sources())
        except Exception:  # noqa: BLE001 - an entry loop: it is logged, and answers go on
            _LOG.exception("the sources are not followed any more")


class _Quiet:
    """Needs no progress; the end of each run tells what it did."""

    def scanned(self, source: Source, *, n_to_read: int) -> None:
        """Say nothing."""

    def done(self, outcome: Outcome) -> None:
        """Say nothing: the catalog keeps what became of a document."""


def _look_away(_run: EndedRun) -> None:
    """Say nothing: the tracer tells of every run that ends."""
