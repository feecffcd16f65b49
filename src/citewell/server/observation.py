"""One log line and the counts for every question and sync that ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from citewell.domain.ended_trace import EndedTrace

if TYPE_CHECKING:
    from citewell.server.metrics import Metrics

_PREFIXES = ("citewell.", "gen_ai.usage.")


class Observation:
    """Told of what ended."""

    def __init__(self, metrics: Metrics) -> None:
        """Take what counts."""
        self._metrics = metrics
        self._log = structlog.stdlib.get_logger("citewell.asked")

    def ended(self, trace: EndedTrace) -> None:
        """Log and count something that ended: names, counts and times, no text."""
        self._metrics.note(trace)
        told = {
            name.removeprefix(prefix): value
            for name, value in trace.attributes.items()
            for prefix in _PREFIXES
            if name.startswith(prefix)
        }
        steps_ms = {step: round(seconds * 1000, 1) for step, seconds in trace.steps_s.items()}
        self._log.info(
            trace.name,
            **told,
            duration_ms=round(trace.seconds * 1000, 1),
            steps_ms=steps_ms,
            error=trace.error,
        )
