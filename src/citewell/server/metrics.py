"""What operators are told of questions and syncs, in the form of Prometheus.

Labels are kinds of which there are few: none tells a reader, a question, a document or a tier.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.process_collector import ProcessCollector

from citewell.domain.ended_trace import EndedTrace

_BUCKETS_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
_COUNTED = ("added", "updated", "moved", "deleted", "hidden", "restored", "skipped", "failed")
_MODEL_CALL = "chat "


class Metrics:
    """Counters and times since the process began."""

    def __init__(self) -> None:
        """Begin at zero."""
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._asked = Counter(
            "citewell_questions",
            "Questions and searches that ended, by how.",
            ["kind", "outcome"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "citewell_question_seconds",
            "Seconds from a question's place to its end.",
            ["kind"],
            buckets=_BUCKETS_S,
            registry=self._registry,
        )
        self._step_seconds = Histogram(
            "citewell_step_seconds",
            "Seconds in a step of a question or sync.",
            ["kind", "step"],
            buckets=_BUCKETS_S,
            registry=self._registry,
        )
        self._tokens = Counter(
            "citewell_model_tokens",
            "Tokens of language models, as far as they tell.",
            ["direction"],
            registry=self._registry,
        )
        self._syncs = Counter(
            "citewell_syncs", "Syncs that ended, by how.", ["outcome"], registry=self._registry
        )
        self._documents = Counter(
            "citewell_sync_documents",
            "Documents by what syncs did with them.",
            ["what"],
            registry=self._registry,
        )

    def note(self, trace: EndedTrace) -> None:
        """Count something that ended."""
        for step, seconds in trace.steps_s.items():
            named = "model" if step.startswith(_MODEL_CALL) else step
            self._step_seconds.labels(trace.name, named).observe(seconds)
        if trace.name == "sync":
            self._note_sync(trace)
            return
        outcome = trace.error or str(trace.attributes.get("citewell.mode", "found"))
        self._asked.labels(trace.name, outcome).inc()
        self._seconds.labels(trace.name).observe(trace.seconds)
        for direction in ("input", "output"):
            n_tokens = trace.attributes.get(f"gen_ai.usage.{direction}_tokens", 0)
            self._tokens.labels(direction).inc(float(n_tokens))

    def text(self) -> bytes:
        """Return all of it, in Prometheus' text format."""
        return generate_latest(self._registry)

    def _note_sync(self, trace: EndedTrace) -> None:
        self._syncs.labels("failed" if trace.error else "succeeded").inc()
        for what in _COUNTED:
            self._documents.labels(what).inc(float(trace.attributes.get(f"citewell.{what}", 0)))
