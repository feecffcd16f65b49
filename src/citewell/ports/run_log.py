"""The port to the history of sync runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from citewell.domain.record import RunCounts, RunRecord, Trigger


class RunLog(Protocol):
    """Every sync run, listed per source; of each source the newest 1,000 are kept."""

    def start(self, source_id: str, *, trigger: Trigger) -> str:
        """Record the start of a run and return its id."""
        ...

    def finish(
        self,
        run_id: str,
        *,
        state: Literal["succeeded", "failed", "cancelled"],
        counts: RunCounts,
        error: str | None = None,
    ) -> None:
        """Record the end of a run."""
        ...

    def add_embeddings(self, source_id: str, *, computed: int, reused: int) -> None:
        """Add vectors that were made after a run to the newest run of their source."""
        ...

    def history(self, *, source_id: str | None = None, limit: int = 20) -> Sequence[RunRecord]:
        """Return the newest runs first."""
        ...
