"""`/mcp`, called by the SDK's own client over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from mcp.client import Client as McpClient
from mcp.client.streamable_http import streamable_http_client
from running_server import Client, running_world
from test_search_passages import put_notes

from citewell.server.access_table import TOOLS

SECRET = "The merger with Globex is planned for March."


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with running_world(tmp_path_factory.mktemp("world"), put_notes) as running:
        yield running


def call(client: Client, key: str, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Return what tools give to the owner of a key."""

    async def run() -> list[Any]:
        headers = {"Authorization": f"Bearer {key}"}
        url = f"{client.http.base_url}/mcp"
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            McpClient(streamable_http_client(url, http_client=http)) as mcp,
        ):
            return [await mcp.call_tool(*each) for each in calls]

    return asyncio.run(run())


def rpc(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


SEARCH = ("search", {"query": "merger with Globex"})
ACCEPT = {"Accept": "application/json, text/event-stream"}


def test_each_caller_finds_what_they_may_read(client: Client) -> None:
    (chief,), (reader,) = call(client, "chief-key", SEARCH), call(client, "reader-key", SEARCH)
    seen = [passage["content"] for passage in chief.structured_content["results"]]
    assert SECRET in seen
    assert SECRET not in str(reader)


def test_denied_looks_like_absent(client: Client) -> None:
    (found,) = call(client, "chief-key", SEARCH)
    document_id = found.structured_content["results"][0]["document_id"]
    (read,) = call(client, "chief-key", ("read_document", {"document_id": document_id}))
    assert SECRET in read.structured_content["text"]
    denied, absent = call(
        client,
        "reader-key",
        ("read_document", {"document_id": document_id}),
        ("read_document", {"document_id": "0" * 32}),
    )
    assert (denied.is_error, denied.content) == (True, absent.content)


def test_answer_cites(client: Client) -> None:
    (asked,) = call(client, "chief-key", ("ask", {"question": "When is the merger with Globex?"}))
    assert asked.structured_content["citations"][0]["quote"] in SECRET
    assert len(asked.structured_content["request_id"]) == 32


def test_nobody_calls_without_a_key(client: Client) -> None:
    for key in (None, "wrong"):
        reply = client.as_(key).post("/mcp", rpc("tools/list"), headers=ACCEPT)
        assert (reply.status_code, reply.json()["error"]["code"]) == (401, "unauthorized")


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_foreign_hosts_and_pages_are_refused(
    client: Client, header: dict[str, str], status: int
) -> None:
    reply = client.post("/mcp", rpc("tools/list"), headers=ACCEPT | header)
    assert reply.status_code == status


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_there_are_no_sessions_to_open_or_close(client: Client, method: str) -> None:
    reply = client.http.request(method, "/mcp", headers=ACCEPT)
    assert (reply.status_code, reply.json()["error"]["code"]) == (405, "method_not_allowed")


def test_body_that_is_too_large_is_refused(client: Client) -> None:
    reply = client.post("/mcp", rpc("tools/list", padding="a" * 2**20), headers=ACCEPT)
    assert reply.status_code == 413


def test_every_tool_has_a_row_and_every_row_a_tool(client: Client) -> None:
    async def run() -> list[str]:
        headers = {"Authorization": "Bearer chief-key"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            McpClient(
                streamable_http_client(f"{client.http.base_url}/mcp", http_client=http)
            ) as mcp,
        ):
            return [tool.name for tool in (await mcp.list_tools()).tools]

    assert sorted(asyncio.run(run())) == sorted(row.path for row in TOOLS)
