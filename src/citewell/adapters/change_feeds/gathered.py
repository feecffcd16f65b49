"""Changes that gather until somebody takes them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from citewell.ports.change_feed import Changes

_MOST_PATHS = 1_000
"""Above that a scan of the whole source is cheaper than looking at each path."""


class GatheredChanges:
    """Paths that changed, filled by one thread and emptied by another."""

    def __init__(self, wake: Callable[[], None]) -> None:
        """Take what is called when there is something to take."""
        self._wake = wake
        self._lock = threading.Lock()
        self._paths: set[str] = set()
        self._everything = False

    def add(self, paths: Iterable[str]) -> None:
        """Add paths."""
        with self._lock:
            self._paths.update(paths)
            if len(self._paths) > _MOST_PATHS:
                self._everything = True
        self._wake()

    def add_everything(self) -> None:
        """Add the whole source."""
        with self._lock:
            self._everything = True
        self._wake()

    def take(self) -> Changes:
        """Return what has gathered, and begin anew."""
        with self._lock:
            paths, self._paths = self._paths, set()
            everything, self._everything = self._everything, False
        return Changes(everything=True) if everything else Changes(frozenset(paths))
