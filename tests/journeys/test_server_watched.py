"""What a server logs and counts: one line for each question, and no text of anybody."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from dataclasses import replace

import pytest
import structlog
from running_server import Client, answering_of, parts_of, running
from test_search_passages import put_notes

from citewell.adapters.traces.observed_tracer import ObservedTracer
from citewell.ports.tracer import UNTOLD
from citewell.server.logs import configure_logs
from citewell.server.metrics import Metrics
from citewell.server.observation import Observation
from conftest import World

QUESTION = "How fast is a P1 ticket escalated?"
CANARY = "zanzibarcanary"
TEXTS = ("P1", "escalat", "merger", "Globex", "salaries", "reader-key", CANARY)
FORGED = f'{CANARY}\r\n{{"event":"question","level":"info","mode":"rag"}}\u2028\x1b[31m'


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """Log into a text, and leave logging as it was."""
    root, ours = logging.getLogger(), logging.getLogger("citewell")
    before = root.handlers, root.level, ours.level
    stream = io.StringIO()
    configure_logs("debug", stream=stream)
    yield stream
    root.handlers, level, our_level = before
    root.setLevel(level)
    ours.setLevel(our_level)
    structlog.reset_defaults()


@pytest.fixture
def client(world: World, lines: io.StringIO) -> Iterator[Client]:
    put_notes(world)
    metrics = Metrics()
    tracer = ObservedTracer(UNTOLD, Observation(metrics).ended)
    answering = replace(answering_of(world), tracer=tracer)
    with running(parts_of(answering, metrics=metrics, tracer=tracer)) as client:
        yield client
    assert lines is not None


def told(lines: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def test_every_question_and_search_is_one_line(client: Client, lines: io.StringIO) -> None:
    asked = client.as_("reader-key").post("/ask", {"question": QUESTION}).json()
    client.events("/chat", {"question": QUESTION})
    client.post("/search", {"query": QUESTION})
    client.post("/ask", {"question": "Who eats snails in Antananarivo?"})
    found = [(line["event"], line["route"], line.get("mode")) for line in told(lines)]
    assert found == [
        ("question", "POST /ask", "rag"),
        ("question", "POST /chat", "rag"),
        ("search", "POST /search", None),
        ("question", "POST /ask", "no_answer"),
    ]
    first = told(lines)[0]
    assert (first["request_id"], first["principal"]) == (asked["request_id"], "reader")
    assert first["citations"] == len(asked["citations"])
    steps = first["steps_ms"]
    assert isinstance(steps, dict)
    assert {"screen", "search", "check"} <= set(steps)


def test_nothing_that_a_reader_or_document_wrote_is_logged_or_counted(
    client: Client, lines: io.StringIO
) -> None:
    reader = client.as_("reader-key")
    reader.post("/ask", {"question": f"{QUESTION} {FORGED}"})
    reader.events("/chat", {"question": f"merger with Globex {FORGED}"})
    reader.post("/search", {"query": FORGED, "filters": {"path_prefix": FORGED, "tags": [FORGED]}})
    reader.post("/ask", {"question": QUESTION, "conversation_id": FORGED})
    reader.post("/ask", {"question": QUESTION, "tier": FORGED})
    reader.post("/conversations", {"title": CANARY})
    reader.get(f"/conversations/{CANARY}%0d%0a%1b%5b31m?tier={CANARY}")
    reader.get(f"/{CANARY}")
    headers = {"user-agent": CANARY, "x-request-id": CANARY, "authorization": f"Bearer {CANARY}"}
    client.get("/conversations", headers=headers)
    client.http.put(f"/ask?{CANARY}")
    written = lines.getvalue()
    assert [line["event"] for line in told(lines)] == ["question", "question", "search"]
    assert set(written) <= {"\n", *map(chr, range(0x20, 0x7F))}
    counted = client.get("/metrics").text
    for text in TEXTS:
        assert text.lower() not in written.replace("POST /", "").lower()
        assert text.lower() not in counted.lower()


def test_metrics_are_for_operators_and_name_no_reader(client: Client) -> None:
    client.as_("reader-key").post("/ask", {"question": QUESTION})
    response = client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=")
    assert 'citewell_questions_total{kind="question",outcome="rag"} 1.0' in response.text
    for name in ("employee", "manager", "director", 'reader"', "chief", "operator"):
        assert name not in response.text
    for key in ("reader-key", "chief-key"):
        refused = client.as_(key).get("/metrics")
        absent = client.as_(key).get("/nothing-here")
        assert refused.status_code == 404
        assert refused.json()["error"] == absent.json()["error"]
