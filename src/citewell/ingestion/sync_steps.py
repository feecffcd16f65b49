"""How long the steps of a sync took, told when it has ended: many a look does nothing to tell."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict

from citewell.domain.record import RunCounts, Trigger
from citewell.ports.tracer import Tracer

MAX_STEPS = 500
"""Of one run; a trace of more is read by nobody. What is left out is counted."""


class SyncSteps:
    """The steps of one run."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        """Begin now, by a clock that never goes back."""
        self.now_s = now_s
        self._began_s = now_s()
        self._steps: list[tuple[str, float, float]] = []
        self._n_left_out = 0

    def add(self, name: str, began_s: float) -> None:
        """Add a step that ends now."""
        if len(self._steps) < MAX_STEPS:
            self._steps.append((name, began_s, self.now_s()))
        else:
            self._n_left_out += 1

    @contextmanager
    def timed(self, name: str) -> Generator[None]:
        """Add a step that is entered and left; parts of it may add theirs by `timed_part`."""
        began_s = self.now_s()
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)
            self.add(name, began_s)

    def tell(
        self,
        tracer: Tracer,
        *,
        source_id: str,
        trigger: Trigger,
        counts: RunCounts,
        error: str | None,
    ) -> None:
        """Tell of the run, which ends now.

        Args:
            tracer: Who is told.
            source_id: Of the source.
            trigger: What started the run.
            counts: What it did.
            error: Code of the error that ended it, or None.
        """
        now_s = self.now_s()
        span = tracer.begin(
            "sync",
            attributes={"citewell.source_id": source_id, "citewell.trigger": trigger},
            began_ago_s=now_s - self._began_s,
            source_id=source_id,
        )
        for name, began_s, ended_s in self._steps:
            part = span.begin(name, began_ago_s=now_s - began_s)
            part.end(ended_ago_s=now_s - ended_s)
        told = {f"citewell.{name}": count for name, count in asdict(counts).items()}
        span.end(attributes={**told, "citewell.steps_left_out": self._n_left_out}, error=error)


@contextmanager
def timed_part(name: str) -> Generator[None]:
    """Add a step to the run that goes on in this thread, if there is one."""
    steps = _CURRENT.get()
    began_s = steps.now_s() if steps is not None else 0.0
    try:
        yield
    finally:
        if steps is not None:
            steps.add(name, began_s)


_CURRENT: ContextVar[SyncSteps | None] = ContextVar("CURRENT_STEPS", default=None)
