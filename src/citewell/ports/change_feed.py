"""The port through which changes in a source become known while they happen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from citewell.domain.source import Source, WatchMode
from citewell.ports.connector import Connector


@dataclass(frozen=True, slots=True)
class Changes:
    """Where something may have changed; hints only, which say nothing of what.

    Attributes:
        paths: Relative paths of items and folders; what lies below a folder may have changed too.
        everything: Too much changed, or it is not known what: look at the whole source.
    """

    paths: frozenset[str] = frozenset()
    everything: bool = False

    def __bool__(self) -> bool:
        """Return whether there is anything to look at."""
        return self.everything or bool(self.paths)


class ChangeFeed(Protocol):
    """Tells what may have changed in one source.

    It may miss something and tell of what did not change: a scan of the whole source every few
    minutes makes up for it. Thread-safe.
    """

    @property
    def mode(self) -> WatchMode:
        """How changes become known now."""
        ...

    @property
    def reason(self) -> str | None:
        """Why the source is polled, or None."""
        ...

    def take(self) -> Changes:
        """Return what may have changed since the last call, at once."""
        ...

    def close(self) -> None:
        """End; nothing may be called afterwards."""
        ...


OpenFeed = Callable[[Source, Connector, Callable[[], None]], ChangeFeed]
"""Opens the feed of a source, whose connector may be used from another thread. The last argument is
called from any thread whenever there is something to take. It raises `SourceUnavailableError`."""
