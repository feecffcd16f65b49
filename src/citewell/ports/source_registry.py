"""The port to the part of the catalog that knows the sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from citewell.domain.source import Source, SourceState, SourceStatus, WatchMode


class SourceRegistry(Protocol):
    """Registered sources and how they stand."""

    def register(self, source: Source) -> Source:
        """Store a source and return it as stored.

        The same root again is the same source: its id stays, and the other fields are replaced.

        Raises:
            UsageError: The name belongs to another root.
        """
        ...

    def sources(self) -> Sequence[Source]:
        """Return all sources by name."""
        ...

    def status_of(self, source_id: str) -> SourceStatus:
        """Return how the source stood at its last scan, and how it is watched."""
        ...

    def set_state(self, source_id: str, state: SourceState, reason: str | None = None) -> None:
        """Record how a source stands."""
        ...

    def set_watch(self, source_id: str, mode: WatchMode | None, reason: str | None = None) -> None:
        """Record how a source is watched from now on; None: not at all."""
        ...

    def request_confirmation(self, source_id: str) -> None:
        """Note that what is missing from a source is meant to be gone, for its next sync."""
        ...

    def take_confirmation(self, source_id: str) -> bool:
        """Return whether that was noted, and forget it."""
        ...

    def remove(self, source_id: str) -> None:
        """Forget a source; its documents must have been deleted before."""
        ...
