"""Search, ask and stream over HTTP say what the same call in this process says."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from running_server import Client, answering_of, parts_of, running
from test_search_passages import JUDGE, put_notes

from citewell.domain.ask_request import AskRequest
from citewell.replies import answer_reply, search_reply
from citewell.testing.memory_index import MemoryIndex
from conftest import ALL, EMPLOYEE, World

QUESTION = "How fast is a P1 ticket escalated?"


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(tmp_path_factory.mktemp("world"), MemoryIndex(dim=1024))
    put_notes(world)
    yield world
    world.close()


@pytest.fixture(scope="module")
def client(noted: World) -> Iterator[Client]:
    with running(parts_of(answering_of(noted))) as client:
        yield client


def without_times(reply: dict[str, Any]) -> dict[str, Any]:
    return {**reply, "timings_ms": {}, "request_id": ""}


def test_search_gives_the_public_reply(client: Client, noted: World) -> None:
    expected = search_reply(noted.search("P1", ALL, judge=JUDGE, top_k=2))
    assert client.post("/search", {"query": "P1", "top_k": 2}).json() == expected


def test_filters_narrow_a_search(client: Client) -> None:
    body = {"query": "planned March", "filters": {"path_prefix": "manager/"}}
    found = client.post("/search", body).json()["results"]
    assert [passage["relative_path"] for passage in found] == ["manager/salaries.md"]


@pytest.mark.parametrize("path", ["/ask", "/query"])
@pytest.mark.parametrize("field", ["question", "query"])
def test_ask_gives_the_public_reply(client: Client, noted: World, path: str, field: str) -> None:
    answering = answering_of(noted)
    answer = asyncio.run(answering.answer_question(AskRequest(QUESTION), ALL))
    response = client.post(path, {field: QUESTION})
    reply = response.json()
    assert without_times(reply) == without_times(answer_reply(answer, request_id=""))
    assert reply["mode"] == "rag"
    assert reply["request_id"] == response.headers["x-request-id"]


@pytest.mark.parametrize(
    ("path", "more"), [("/ask/stream", {}), ("/chat", {}), ("/ask", {"stream": True})]
)
def test_stream_ends_with_what_ask_says(client: Client, path: str, more: dict[str, bool]) -> None:
    asked = client.post("/ask", {"question": QUESTION}).json()
    (meta, *between, done) = client.events(path, {"question": QUESTION, **more})
    assert meta == ("meta", {"request_id": done[1]["request_id"]})
    assert (done[0], without_times(done[1])) == ("done", without_times(asked))
    assert between == [
        ("status", {"stage": "searching", "detail": "searching"}),
        ("status", {"stage": "reading", "detail": "reading 5 passages"}),
        (
            "sentence",
            {**asked["sentences"][0], "citations": asked["citations"]},
        ),
    ]


def test_reader_finds_what_its_tier_may_read(client: Client, noted: World) -> None:
    reader = client.as_("reader-key")
    expected = search_reply(noted.search("merger Globex", EMPLOYEE, judge=JUDGE))
    assert reader.post("/search", {"query": "merger Globex"}).json() == expected
    chief = client.as_("chief-key").post("/search", {"query": "merger Globex"}).json()
    assert chief["results"][0]["relative_path"] == "director/merger.txt"
    assert client.as_("chief-key").post(
        "/search", {"query": "merger Globex", "tier": "employee"}
    ).json() == (expected)


def test_tier_above_ones_own_is_as_unknown_as_one_that_does_not_exist(client: Client) -> None:
    reader = client.as_("reader-key")
    messages = [
        reader.post("/ask", {"question": "q", "tier": tier}).json()["error"]["message"]
        for tier in ("director", "xyz")
    ]
    assert messages[0].replace("director", "xyz") == messages[1]


def test_follow_up_is_understood_from_history(client: Client) -> None:
    history = [{"question": QUESTION, "answer": "Within 15 minutes."}]
    body = {"question": "And what is the limit of the export?", "history": history}
    reply = client.post("/ask", body).json()
    assert reply["citations"][0]["source_id"] == "employee/export.md"
