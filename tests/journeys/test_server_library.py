"""Documents, sources, syncs and health over HTTP: each reader sees its own, operators more."""

from collections.abc import Iterator
from typing import Any

import pytest
from running_server import Client, ListedSyncs, answering_of, parts_of, running
from test_search_passages import put_notes

from citewell.domain.errors import BusyError, NotFoundError, UnavailableError
from citewell.replies import run_reply
from citewell.testing.memory_index import MemoryIndex
from conftest import World

NOT_FOUND = {"code": "not_found", "message": str(NotFoundError()), "details": {}}


@pytest.fixture(scope="module")
def world_of_notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(tmp_path_factory.mktemp("world"), MemoryIndex(dim=1024))
    put_notes(world)
    yield world
    world.close()


@pytest.fixture(scope="module")
def shared_syncs() -> ListedSyncs:
    return ListedSyncs()


@pytest.fixture
def syncs(shared_syncs: ListedSyncs) -> ListedSyncs:
    shared_syncs.asked, shared_syncs.error = [], None
    return shared_syncs


@pytest.fixture(scope="module")
def client(world_of_notes: World, shared_syncs: ListedSyncs) -> Iterator[Client]:
    answering = answering_of(world_of_notes)
    with running(parts_of(answering, world=world_of_notes, syncs=shared_syncs)) as client:
        yield client


def listed(client: Client, **query: Any) -> list[str]:
    found = client.get("/documents", params=query).json()["documents"]
    return [document["relative_path"] for document in found]


def document_id(client: Client, path: str) -> str:
    found = client.get("/documents").json()["documents"]
    return next(each["id"] for each in found if each["relative_path"] == path)


def test_reader_lists_its_documents_and_no_others(client: Client) -> None:
    mine = ["employee/export.md", "employee/tickets.md", "employee/数据.md"]
    assert listed(client.as_("reader-key")) == mine
    assert listed(client) == ["director/merger.txt", *mine, "manager/salaries.md"]


def test_reader_sees_states_and_operator_counts_too(client: Client) -> None:
    for_reader = client.as_("reader-key").get("/documents").json()["documents"][0]
    for_operator = next(
        each
        for each in client.get("/documents").json()["documents"]
        if each["relative_path"] == "employee/export.md"
    )
    assert for_operator == for_reader | {
        "state": "indexed",
        "version": for_operator["version"],
        "chunks": 1,
        "vectors": 1,
        "notes": [],
    }
    assert for_reader["state"] == "searchable"


def test_documents_come_in_pages(client: Client) -> None:
    paths, cursor = [], None
    while True:
        query = {"limit": 2, **({"cursor": cursor} if cursor else {})}
        page = client.get("/documents", params=query).json()
        paths += [each["relative_path"] for each in page["documents"]]
        if (cursor := page["next_cursor"]) is None:
            break
    assert paths == listed(client)
    assert len(paths) == 5


@pytest.mark.parametrize("cursor", ["x", "W10", "WzEsMl0", "é", "WyJcdWQ4MDAiLCIiXQ", "[" * 9000])
def test_cursor_that_is_none_is_a_wrong_request(client: Client, cursor: str) -> None:
    assert client.get("/documents", params={"cursor": cursor}).status_code == 422


def test_documents_of_an_unknown_source_are_none(client: Client) -> None:
    assert listed(client, source="nowhere") == []
    assert len(listed(client, source="world")) == 5


def test_document_gives_its_text_and_chunks(client: Client) -> None:
    found = document_id(client, "employee/tickets.md")
    reply = client.get(f"/documents/{found}").json()
    assert reply["text"] == "# Tickets\n\n## P1\n\nA P1 ticket is escalated within 15 minutes."
    assert reply["span"] == [0, len(reply["text"])]
    assert [part["heading_path"] for part in reply["parts"]] == [["Tickets", "P1"]]
    assert reply["next_start"] is None


def test_long_document_is_read_in_parts(world: World) -> None:
    paragraphs = "\n\n".join(f"## Part {n}\n\n" + f"word{n} " * 200 for n in range(6))
    world.connector.put("employee/long.md", paragraphs)
    world.sync()
    with running(parts_of(answering_of(world), world=world)) as client:
        path = f"/documents/{document_id(client, 'employee/long.md')}"
        text, start = "", 0
        while start is not None:
            part = client.get(path, params={"start": start, "limit": 2}).json()
            text = text[: part["span"][0]].ljust(part["span"][0]) + part["text"]
            start = part["next_start"]
    assert text.split() == paragraphs.split()


def test_what_may_not_be_seen_is_as_absent(client: Client) -> None:
    hidden = document_id(client, "director/merger.txt")
    found = client.post("/search", {"query": "merger Globex"}).json()["results"][0]
    for path in (f"/documents/{hidden}", f"/citations/{found['citation_id']}"):
        assert client.get(path).status_code == 200
        denied = client.as_("reader-key").get(path)
        absent = client.as_("reader-key").get(path.replace(path[-20:-4], "0" * 16))
        assert denied.status_code == absent.status_code == 404
        assert denied.json()["error"] == absent.json()["error"] == NOT_FOUND


def test_citation_opens_its_exact_words(client: Client) -> None:
    asked = client.post("/ask", {"question": "How fast is a P1 ticket escalated?"}).json()
    cited = asked["citations"][0]
    opened = client.as_("reader-key").get(f"/citations/{cited['citation_id']}").json()
    assert opened["content"] == cited["quote"]
    shared = ("citation_id", "span", "document_id", "chunk_id", "tier", "heading_path", "source")
    assert {name: opened[name] for name in shared} == {name: cited[name] for name in shared}


@pytest.mark.parametrize("name", ["x", f"{'0' * 32}-0-5", f"{'0' * 32}-5-0", "0" * 201])
def test_citation_of_no_place_is_not_found(client: Client, name: str) -> None:
    assert client.get(f"/citations/{name}").status_code in {404, 422}


def test_sources_are_named_to_readers_and_shown_to_operators(client: Client) -> None:
    reader = {"name": "world", "type": "folder", "state": "available"}
    assert client.as_("reader-key").get("/sources").json() == {"sources": [reader]}
    (source,) = client.get("/sources").json()["sources"]
    assert source | reader == source
    assert (source["root"], source["last_run"]["added"]) == ("/world", 5)


def test_source_without_anything_readable_is_not_named(world: World) -> None:
    world.connector.put("director/merger.txt", "The merger with Globex is planned for March.")
    world.sync()
    with running(parts_of(answering_of(world), world=world), "reader-key") as client:
        assert client.get("/sources").json() == {"sources": []}
        assert len(client.as_("chief-key").get("/sources").json()["sources"]) == 1


def test_sync_begins_and_says_which_run_it_is(client: Client, syncs: ListedSyncs) -> None:
    response = client.http.post("/sync/world", params={"retry_failed": True})
    assert (response.status_code, response.json()) == (202, {"run_id": "run-1"})
    ((source_id, request),) = syncs.asked
    assert (source_id, request.retry, request.confirmed) == ("s1", True, False)


def test_sync_of_what_is_synced_already_is_refused(client: Client, syncs: ListedSyncs) -> None:
    for error, status, code in (
        (BusyError(), 409, "sync_in_progress"),
        (UnavailableError(), 503, "unavailable"),
    ):
        syncs.error = error
        response = client.http.post("/sync/world")
        assert (response.status_code, response.json()["error"]["code"]) == (status, code)


def test_history_lists_the_runs(client: Client, world_of_notes: World) -> None:
    runs = world_of_notes.catalog.runs.history()
    assert client.get("/sync/world/history").json() == {"runs": [run_reply(run) for run in runs]}
    assert len(runs) == 1


def test_who_may_not_sync_is_told_what_everyone_is_told_of_nothing(client: Client) -> None:
    chief = client.as_("chief-key")
    unknown = chief.get("/nothing")
    for response in (
        chief.http.post("/sync/world"),
        chief.http.post("/sync/nowhere"),
        chief.get("/sync/world/history"),
    ):
        assert response.status_code == unknown.status_code == 404
        assert response.json()["error"] == unknown.json()["error"] == NOT_FOUND
    assert client.http.post("/sync/nowhere").json()["error"] == NOT_FOUND


FINE = {"app": "ok", "database": "ok", "schema": "ok", "index": "ok"}


def test_health_tells_readers_states_and_operators_counts(client: Client) -> None:
    checks = {**FINE, "embedding_config": "ok", "retrieval_ready": "ready"}
    assert client.as_("reader-key").get("/health").json() == {"status": "ok", "checks": checks}
    reply = client.get("/health").json()
    assert (reply["checks"], reply["details"]["chunks"]) == (checks, 5)


def test_health_of_a_reader_who_can_read_nothing_is_that_of_an_empty_server(world: World) -> None:
    with running(parts_of(answering_of(world), world=world), "reader-key") as client:
        empty = client.get("/health").json()
        world.connector.put("director/merger.txt", "The merger is planned for March.")
        world.sync()
        assert client.get("/health").json() == empty
        assert empty["checks"]["retrieval_ready"] == "not_ready"
        assert client.as_("chief-key").get("/health").json()["checks"]["retrieval_ready"] == "ready"


def test_everyone_may_ask_whether_the_server_is_ready(client: Client) -> None:
    stranger = client.as_(None)
    assert stranger.get("/health/live").json() == {"status": "ok"}
    assert stranger.get("/health/ready").json() == {"status": "ok", "checks": FINE}


def test_index_that_is_gone_degrades_health(world: World) -> None:
    world.index.close()
    with running(parts_of(answering_of(world), world=world), "reader-key") as client:
        reply = client.get("/health")
    assert (reply.status_code, reply.json()["status"]) == (200, "degraded")
    assert reply.json()["checks"]["index"] == "unavailable"


def test_models_are_named_to_operators_only(client: Client) -> None:
    states = {"embedder": {"state": "ok"}, "language_model": {"state": "none"}}
    assert client.as_("reader-key").get("/health/models").json() == states
    assert client.get("/health/models").json() == {
        "embedder": {"state": "ok", "name": "fake/fake-lexical-v1/1024"},
        "language_model": {"state": "none", "name": None},
    }
