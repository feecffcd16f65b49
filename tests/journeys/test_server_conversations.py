"""Conversations and feedback over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from running_server import Client, answering_of, parts_of, running
from test_search_passages import put_notes

from conftest import World

QUESTION = "How fast is a P1 ticket escalated?"
SECRET = "Who plans the merger with Globex?"
NOWHERE = "0" * 32


@pytest.fixture
def client(world: World) -> Iterator[Client]:
    put_notes(world)
    with running(parts_of(answering_of(world))) as client:
        yield client


def begun(client: Client, *questions: str) -> str:
    """Begin a conversation, ask, and return its id."""
    response = client.post("/conversations", {})
    assert response.status_code == 201
    name = response.json()["id"]
    for question in questions:
        reply = client.post("/ask", {"question": question, "conversation_id": name}).json()
        assert reply["conversation_id"] == name
    return name


def error(response: Any) -> tuple[int, Any]:
    return response.status_code, response.json()["error"]


def test_conversation_is_read_as_it_was_answered(client: Client) -> None:
    name = begun(client)
    asked = client.post("/ask", {"question": QUESTION, "conversation_id": name}).json()
    thread = client.get(f"/conversations/{name}").json()
    (turn,) = thread["turns"]
    left_out = {"timings_ms", "cached"}
    assert {**asked, **turn} == turn | {name: asked[name] for name in left_out}
    assert (turn["question"], turn["withheld"], turn["feedback"]) == (QUESTION, 0, None)
    assert (thread["id"], thread["title"]) == (name, QUESTION)


def test_stream_belongs_to_its_conversation_and_goes_on_after_a_reload(client: Client) -> None:
    name = begun(client, QUESTION)
    body = {"question": QUESTION, "conversation_id": name}
    (meta, *_, done) = client.events("/chat", body)
    assert (meta[1]["conversation_id"], done[1]["conversation_id"]) == (name, name)
    reloaded = client.as_("operator-key").get(f"/conversations/{name}").json()
    assert [turn["request_id"] for turn in reloaded["turns"]][1:] == [done[1]["request_id"]]


@pytest.mark.parametrize("path", ["/ask", "/ask/stream"])
def test_unknown_conversation_and_one_of_another_look_the_same(client: Client, path: str) -> None:
    name = begun(client, QUESTION)
    other = client.as_("chief-key")
    answers = [
        error(other.post(path, {"question": QUESTION, "conversation_id": each}))
        for each in (name, NOWHERE, "../../etc/passwd")
    ]
    assert answers[0][0] == 404
    assert answers == [answers[0]] * 3


@pytest.mark.parametrize("form", ["", "/export", "/export?format=markdown"])
def test_reading_another_ones_looks_like_reading_none(client: Client, form: str) -> None:
    name = begun(client, QUESTION)
    other = client.as_("chief-key")
    answers = [error(other.get(f"/conversations/{each}{form}")) for each in (name, NOWHERE)]
    assert answers[0][0] == 404
    assert answers[0] == answers[1]


def test_another_one_can_neither_rename_nor_delete(client: Client) -> None:
    name = begun(client, QUESTION)
    other = client.as_("chief-key").http
    for each in (name, NOWHERE):
        assert other.patch(f"/conversations/{each}", json={"title": "x"}).status_code == 404
        assert other.delete(f"/conversations/{each}").status_code == 404
    assert client.get(f"/conversations/{name}").json()["title"] == QUESTION
    assert client.as_("chief-key").get("/conversations").json()["conversations"] == []


def test_rename_list_and_delete(client: Client) -> None:
    first, second = begun(client, QUESTION), begun(client)
    assert client.http.patch(f"/conversations/{second}", json={"title": "Mine"}).status_code == 204
    page = client.get("/conversations?limit=1").json()
    assert [(c["id"], c["title"], c["turns"]) for c in page["conversations"]] == [
        (second, "Mine", 0)
    ]
    rest = client.get("/conversations", params={"cursor": page["next_cursor"]}).json()
    assert [c["id"] for c in rest["conversations"]] == [first]
    assert client.http.delete(f"/conversations/{first}").status_code == 204
    assert client.get(f"/conversations/{first}").status_code == 404


def test_reading_as_a_lower_tier_withholds_what_lies_above(client: Client) -> None:
    name = begun(client, SECRET)
    own = client.get(f"/conversations/{name}").json()["turns"][0]
    assert own["citations"][0]["tier"] == "director"
    narrow = client.get(f"/conversations/{name}?tier=employee").json()["turns"][0]
    assert (narrow["citations"], narrow["withheld"]) == ([], 1)
    for text in (own["citations"][0]["quote"], "merger.txt"):
        assert text not in str(narrow)
        exported = client.get(f"/conversations/{name}/export?format=markdown&tier=employee").text
        assert text not in exported.replace("\\", "")


def test_exports_are_attachments(client: Client) -> None:
    name = begun(client, QUESTION)
    as_json = client.get(f"/conversations/{name}/export")
    assert as_json.json() == client.get(f"/conversations/{name}").json()
    as_text = client.get(f"/conversations/{name}/export?format=markdown")
    assert as_text.headers["content-type"] == "text/markdown; charset=utf-8"
    assert [r.headers["content-disposition"] for r in (as_json, as_text)] == [
        f'attachment; filename="conversation-{name}.{ending}"' for ending in ("json", "md")
    ]
    assert as_text.text.startswith("# How fast is a P1 ticket escalated?\n")


def test_feedback_is_for_ones_own_answers_and_listed_for_operators(client: Client) -> None:
    reader = client.as_("reader-key")
    name = reader.post("/conversations", {"title": "Mine"}).json()["id"]
    asked = reader.post("/ask", {"question": QUESTION, "conversation_id": name}).json()
    body = {"request_id": asked["request_id"], "verdict": "down", "comment": "too\x00 short"}
    given = reader.post("/feedback", body)
    assert given.status_code == 201
    assert given.json() == {
        "request_id": asked["request_id"],
        "verdict": "down",
        "comment": "too short",
        "at": given.json()["at"],
    }
    others = [client.post("/feedback", body), client.post("/feedback", {**body, "request_id": "x"})]
    assert error(others[0]) == error(others[1]) == error(others[1])
    assert others[0].status_code == 404
    (record,) = client.get("/feedback").json()["feedback"]
    assert (record["comment"], record["tier"]) == ("too short", "employee")
    assert (record["turn"]["question"], record["turn"]["conversation_id"]) == (QUESTION, None)
    assert record["turn"]["answer"] == asked["answer"]


def test_answer_outside_of_a_conversation_can_be_commented_without_its_text(
    client: Client,
) -> None:
    asked = client.post("/ask", {"question": QUESTION}).json()
    client.post("/feedback", {"request_id": asked["request_id"], "verdict": "up"})
    (record,) = client.get("/feedback").json()["feedback"]
    assert (record["request_id"], record["turn"]) == (asked["request_id"], None)


def test_list_of_feedback_is_absent_for_readers(client: Client) -> None:
    reader = client.as_("reader-key")
    assert error(reader.get("/feedback")) == error(reader.get("/nothing-here"))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/conversations", {"title": "x" * 121}),
        ("/conversations", {"title": 1}),
        ("/feedback", {"request_id": "x", "verdict": "sideways"}),
        ("/feedback", {"request_id": "x", "verdict": "up", "comment": "x" * 2001}),
    ],
)
def test_wrong_body_is_refused(client: Client, path: str, body: dict[str, Any]) -> None:
    assert client.post(path, body).status_code == 422


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "cursor=%25", "cursor=" + "x" * 201])
def test_wrong_page_is_refused(client: Client, query: str) -> None:
    for path in ("/conversations", "/feedback"):
        assert client.get(f"{path}?{query}").status_code == 422


def test_conversation_and_history_together_are_refused(client: Client) -> None:
    history = [{"question": "a", "answer": "b"}]
    body = {"question": QUESTION, "conversation_id": begun(client), "history": history}
    assert client.post("/ask", body).status_code == 422
