from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from citewell.domain.ended_trace import EndedTrace
from citewell.server.metrics import Metrics


def samples(metrics: Metrics) -> dict[tuple[str, ...], float]:
    """Return the values by name and labels, without buckets and what the process takes."""
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(metrics.text().decode())
        for sample in family.samples
        if sample.name.startswith("citewell")
        and not sample.name.endswith(("_bucket", "_created", "_sum"))
    }


def test_questions_are_counted_by_how_they_ended() -> None:
    metrics = Metrics()
    told = {"citewell.mode": "rag", "gen_ai.usage.input_tokens": 7}
    metrics.note(EndedTrace("question", 0.2, told, None, {"search": 0.1, "chat small": 0.05}))
    metrics.note(EndedTrace("question", 0.2, {}, "llm_timeout", {}))
    metrics.note(EndedTrace("search", 0.1, {}, None, {}))
    assert samples(metrics) == {
        ("citewell_questions_total", "question", "rag"): 1,
        ("citewell_questions_total", "llm_timeout", "question"): 1,
        ("citewell_questions_total", "found", "search"): 1,
        ("citewell_question_seconds_count", "question"): 2,
        ("citewell_question_seconds_count", "search"): 1,
        ("citewell_step_seconds_count", "question", "search"): 1,
        ("citewell_step_seconds_count", "model", "question"): 1,
        ("citewell_model_tokens_total", "input"): 7,
        ("citewell_model_tokens_total", "output"): 0,
    }


def test_syncs_are_counted_with_their_documents() -> None:
    metrics = Metrics()
    told = {"citewell.added": 3, "citewell.failed": 1}
    metrics.note(EndedTrace("sync", 2.0, told, None, {}))
    metrics.note(EndedTrace("sync", 2.0, {}, "source_empty", {}))
    found = samples(metrics)
    assert found["citewell_syncs_total", "succeeded"] == 1
    assert found["citewell_syncs_total", "failed"] == 1
    assert found["citewell_sync_documents_total", "added"] == 3
    assert found["citewell_sync_documents_total", "failed"] == 1
    assert found["citewell_sync_documents_total", "moved"] == 0
