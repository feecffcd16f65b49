"""What happened while an answer was made: time by step, and the trace when it is asked for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from citewell.answering.asking.metered_model import MeteredModel
from citewell.ports.language_model import LanguageModel
from citewell.ports.tracer import UNTOLD_SPAN, Span

_TOLD_BY_THEMSELVES = frozenset({"search"})
MODEL_STEP = "model"
"""Time in which the model was awaited; the other steps are without it."""


class AnswerLog:
    """Keeps milliseconds by step, what the model took, and the trace.

    Attributes:
        model: The model with its meter; None without a model.
        trace: By step, JSON values; None unless it was asked for.
        span: Of the question.
    """

    def __init__(
        self,
        model: LanguageModel | None,
        *,
        explain: bool,
        span: Span = UNTOLD_SPAN,
        now_s: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Start the clock; `span` is told what takes how long."""
        self.model = MeteredModel(model, span=span, now_s=now_s) if model else None
        self.span = span
        self.trace: dict[str, Any] | None = {} if explain else None
        self._now_s = now_s
        self._last_s = now_s()
        self._waited_s = 0.0
        self._timings_ms: dict[str, float] = {}

    def lap(self, step: str) -> None:
        """Add the time since the last lap to `step`, that of waiting for the model left out."""
        now_s, waited_s = self._now_s(), self.model.waited_s if self.model else 0.0
        spent_s = now_s - self._last_s - (waited_s - self._waited_s)
        self._timings_ms[step] = self._timings_ms.get(step, 0.0) + max(0.0, spent_s) * 1000
        if step not in _TOLD_BY_THEMSELVES:
            self.span.begin(step, began_ago_s=now_s - self._last_s).end()
        self._last_s, self._waited_s = now_s, waited_s

    def note(self, step: str, value: object) -> None:
        """Put what a step did into the trace."""
        if self.trace is not None:
            self.trace[step] = value

    def add(self, step: str, value: object) -> None:
        """Put one more thing that a step did into the trace, after those before."""
        if self.trace is not None:
            self.trace.setdefault(step, []).append(value)

    @property
    def timings_ms(self) -> dict[str, float]:
        """Milliseconds by step, the model's last."""
        waited = {MODEL_STEP: self.model.waited_s * 1000} if self.model else {}
        return self._timings_ms | waited

    @property
    def usage(self) -> dict[str, int]:
        """Calls and tokens of the model; empty without one."""
        return self.model.usage() if self.model else {}
