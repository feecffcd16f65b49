from __future__ import annotations

from citewell.adapters.traces.observed_tracer import ObservedTracer
from citewell.domain.ended_trace import EndedTrace
from citewell.ports.tracer import UNTOLD


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_what_ended_is_told_with_its_steps() -> None:
    clock = Clock()
    told: list[EndedTrace] = []
    tracer = ObservedTracer(UNTOLD, told.append, now_s=clock)
    root = tracer.begin("question", attributes={"a": 1}, began_ago_s=2.0)
    search = root.begin("search")
    inner = search.begin("lexical leg")
    clock.now_s += 3
    inner.end()
    search.end()
    root.begin("check", began_ago_s=1.0).end(ended_ago_s=0.25)
    root.begin("check", began_ago_s=0.5).end()
    root.end(attributes={"b": 2}, error="llm_timeout")
    steps_s = {"search": 3.0, "check": 1.25}
    assert told == [EndedTrace("question", 5.0, {"a": 1, "b": 2}, "llm_timeout", steps_s)]


def test_what_joins_another_trace_is_not_told_by_itself() -> None:
    told: list[EndedTrace] = []
    ObservedTracer(UNTOLD, told.append).join("s1", "vectors").end()
    assert told == []


def test_observer_that_fails_disturbs_nobody() -> None:
    def fail(_trace: EndedTrace) -> None:
        raise ValueError

    ObservedTracer(UNTOLD, fail).begin("question").end()
