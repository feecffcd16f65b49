"""Tells an observer of everything that ended, besides another tracer."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from typing_extensions import override

from citewell.domain.ended_trace import EndedTrace
from citewell.ports.tracer import Attributes, Span, Tracer

Observe = Callable[[EndedTrace], None]
"""Told of what ended."""

_log = logging.getLogger(__name__)


class ObservedTracer(Tracer):
    """Passes everything on, and tells `observe` once what began by itself ends."""

    def __init__(
        self,
        tracer: Tracer,
        observe: Observe,
        *,
        now_s: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Take the other tracer, who is told, and a clock that never goes back."""
        self._tracer = tracer
        self._observe = observe
        self._now_s = now_s

    @override
    def begin(
        self,
        name: str,
        *,
        attributes: Attributes | None = None,
        began_ago_s: float = 0.0,
        source_id: str = "",
    ) -> Span:
        span = self._tracer.begin(
            name, attributes=attributes, began_ago_s=began_ago_s, source_id=source_id
        )
        times = _Times(name, dict(attributes or {}), self._now_s, began_ago_s)
        return _Root(span, times, self._observe)

    @override
    def join(self, source_id: str, name: str, *, attributes: Attributes | None = None) -> Span:
        return self._tracer.join(source_id, name, attributes=attributes)

    @override
    def close(self) -> None:
        self._tracer.close()


class _Times:
    """What is known of something that goes on; thread-safe."""

    def __init__(
        self, name: str, attributes: Attributes, now_s: Callable[[], float], began_ago_s: float
    ) -> None:
        self._name = name
        self._attributes = attributes
        self.now_s = now_s
        self._began_s = now_s() - began_ago_s
        self._lock = threading.Lock()
        self._steps_s: dict[str, float] = {}

    def add(self, step: str, seconds: float) -> None:
        with self._lock:
            self._steps_s[step] = self._steps_s.get(step, 0.0) + seconds

    def ended(self, attributes: Attributes | None, error: str | None) -> EndedTrace:
        with self._lock:
            steps_s = dict(self._steps_s)
        told = {**self._attributes, **(attributes or {})}
        return EndedTrace(self._name, self.now_s() - self._began_s, told, error, steps_s)


class _Root(Span):
    def __init__(self, span: Span, times: _Times, observe: Observe) -> None:
        self._span = span
        self._times = times
        self._observe = observe

    @override
    def begin(
        self, name: str, *, attributes: Attributes | None = None, began_ago_s: float = 0.0
    ) -> Span:
        part = self._span.begin(name, attributes=attributes, began_ago_s=began_ago_s)
        return _Part(part, name, self._times, self._times.now_s() - began_ago_s)

    @override
    def end(
        self,
        *,
        attributes: Attributes | None = None,
        error: str | None = None,
        ended_ago_s: float = 0.0,
    ) -> None:
        self._span.end(attributes=attributes, error=error, ended_ago_s=ended_ago_s)
        try:
            self._observe(self._times.ended(attributes, error))
        except Exception:  # noqa: BLE001 - whoever is told must not fail what it is told of
            _log.warning("an observer failed", exc_info=True)


class _Part(Span):
    def __init__(self, span: Span, name: str, times: _Times, began_s: float) -> None:
        self._span = span
        self._name = name
        self._times = times
        self._began_s = began_s

    @override
    def begin(
        self, name: str, *, attributes: Attributes | None = None, began_ago_s: float = 0.0
    ) -> Span:
        return self._span.begin(name, attributes=attributes, began_ago_s=began_ago_s)

    @override
    def end(
        self,
        *,
        attributes: Attributes | None = None,
        error: str | None = None,
        ended_ago_s: float = 0.0,
    ) -> None:
        self._span.end(attributes=attributes, error=error, ended_ago_s=ended_ago_s)
        self._times.add(self._name, self._times.now_s() - ended_ago_s - self._began_s)
