"""Changes found by listing a source again and again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from typing_extensions import override

from citewell.adapters.change_feeds.gathered import GatheredChanges
from citewell.domain.source import RejectedItem, WatchMode
from citewell.ports.change_feed import ChangeFeed, Changes
from citewell.ports.connector import Connector

_LAST_WORDS_S = 5.0  # for the thread to end; a network drive that hangs is not waited for
_MOST_OF_THE_TIME = 10
"""A pause is at least so many times as long as the listing before it."""


class PollingFeed(ChangeFeed):
    """Compares listings; each listing costs what a scan costs, but reads no content."""

    def __init__(
        self, connector: Connector, wake: Callable[[], None], *, interval_s: float, reason: str
    ) -> None:
        """Begin to poll in a thread of its own.

        Args:
            connector: Lists the source.
            wake: Called when there is something to take.
            interval_s: Seconds between two listings, at least.
            reason: Why the source is polled.
        """
        self._connector = connector
        self._interval_s = interval_s
        self._reason = reason
        self._gathered = GatheredChanges(wake)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._poll, name="polling", daemon=True)
        self._thread.start()

    @property
    @override
    def mode(self) -> WatchMode:
        return "polling"

    @property
    @override
    def reason(self) -> str | None:
        return self._reason

    @override
    def take(self) -> Changes:
        return self._gathered.take()

    @override
    def close(self) -> None:
        self._ended.set()
        self._thread.join(_LAST_WORDS_S)

    def _poll(self) -> None:
        before: dict[str, str] | None = None
        pause_s = 0.0
        while not self._ended.wait(pause_s):
            begin = time.monotonic()
            now = self._list()
            if now is None or before is None:
                self._gathered.add_everything()
            elif changed := {path for path, _ in before.items() ^ now.items()}:
                self._gathered.add(changed)
            before = now
            pause_s = max(self._interval_s, _MOST_OF_THE_TIME * (time.monotonic() - begin))

    def _list(self) -> dict[str, str] | None:
        """Return a fingerprint by path, or None when the source cannot be listed."""
        try:
            return {
                found.relative_path: found.reason
                if isinstance(found, RejectedItem)
                else found.fingerprint
                for found in self._connector.scan()
            }
        except Exception:  # noqa: BLE001 - an entry loop: who looks finds out what is wrong
            return None
