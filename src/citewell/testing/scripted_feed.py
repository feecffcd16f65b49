"""A change feed that tells what a test wants it to tell."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import override

from citewell.domain.source import WatchMode
from citewell.ports.change_feed import ChangeFeed, Changes


class ScriptedFeed(ChangeFeed):
    """Tells of paths that a test names.

    Attributes:
        is_closed: Whether it was closed.
        wake: Called when there is something to take.
    """

    def __init__(self, wake: Callable[[], None] = lambda: None) -> None:
        """Begin with nothing to tell."""
        self.is_closed = False
        self.wake = wake
        self._mode: WatchMode = "events"
        self._reason: str | None = None
        self._changes = Changes()

    def tell(self, *paths: str) -> None:
        """Tell that these may have changed."""
        everything = self._changes.everything
        self._changes = Changes(self._changes.paths | set(paths), everything=everything)
        self.wake()

    def tell_everything(self) -> None:
        """Tell that anything may have changed."""
        self._changes = Changes(everything=True)
        self.wake()

    def fall_back(self, reason: str) -> None:
        """Poll from now on."""
        self._mode, self._reason = "polling", reason

    @property
    @override
    def mode(self) -> WatchMode:
        return self._mode

    @property
    @override
    def reason(self) -> str | None:
        return self._reason

    @override
    def take(self) -> Changes:
        changes, self._changes = self._changes, Changes()
        return changes

    @override
    def close(self) -> None:
        self.is_closed = True
