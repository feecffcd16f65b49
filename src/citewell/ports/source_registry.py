"""The port to the part of the catalog that knows the sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from citewell.domain.source import Source

SourceState = Literal["new", "available", "unavailable"]


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

    def state_of(self, source_id: str) -> tuple[SourceState, str | None]:
        """Return how the source stood at its last scan, and why."""
        ...

    def set_state(self, source_id: str, state: SourceState, reason: str | None = None) -> None:
        """Record how a source stands."""
        ...

    def remove(self, source_id: str) -> None:
        """Forget a source; its documents must have been deleted before."""
        ...
