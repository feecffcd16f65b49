"""`rag mcp`, called by the SDK's own client over standard input and output."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import NO_EMBEDDER, CommandLine, isolate
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

SECRET = "The merger with Initech is planned for May."


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    home = tmp_path_factory.mktemp("library")
    with pytest.MonkeyPatch.context() as monkeypatch:
        isolate(monkeypatch, home)
        made = CommandLine(home, NO_EMBEDDER)
        made.write("employee/tickets.md", "# Tickets\n\nA P1 ticket is escalated to Ada.\n")
        made.write("director/merger.md", f"# Merger\n\n{SECRET}\n")
        ended = made.rag("ingest", made.documents, "--folder-per-tier", "--json")
        assert (ended.code, ended.json["added"]) == (0, 2)
        yield made


def called(
    line: CommandLine, calls: Callable[[Client], Awaitable[Any]], *more: str, errors: Path
) -> Any:
    """Return what some calls give; the server's messages go to a file."""
    command, *arguments = line.command("mcp", *more)

    async def run() -> Any:
        with errors.open("w") as messages:
            server = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
            async with Client(stdio_client(server, errlog=messages)) as client:
                return await calls(client)

    return asyncio.run(run())


def test_assistant_searches_asks_reads_and_lists(line: CommandLine, tmp_path: Path) -> None:
    async def calls(client: Client) -> dict[str, Any]:
        tools = (await client.list_tools()).tools
        found = await client.call_tool("search", {"query": "merger Initech"})
        passage = (found.structured_content or {})["results"][0]
        read = await client.call_tool("read_document", {"document_id": passage["document_id"]})
        asked = await client.call_tool("ask", {"question": "When is the merger with Initech?"})
        listed = await client.call_tool("list_sources", {})
        return {
            "tools": [
                (tool.name, tool.annotations and tool.annotations.read_only_hint) for tool in tools
            ],
            "found": passage["relative_path"],
            "read": (read.structured_content or {})["text"],
            "asked": (asked.structured_content or {})["citations"][0]["quote"],
            "listed": listed.structured_content,
        }

    got = called(line, calls, errors=tmp_path / "errors")
    names = ("search", "ask", "read_document", "list_sources")
    assert got == {
        "tools": [(name, True) for name in names],
        "found": "director/merger.md",
        "read": got["read"],
        "asked": got["asked"],
        "listed": {"sources": [{"name": "documents", "type": "folder"}]},
    }
    assert SECRET in got["read"]
    assert got["asked"] in SECRET


def test_assistant_that_reads_as_a_lower_tier_finds_no_more(
    line: CommandLine, tmp_path: Path
) -> None:
    (merger,) = line.found("merger Initech", "--source", "documents", "--path", "director")

    async def calls(client: Client) -> list[Any]:
        return [
            await client.call_tool("search", {"query": "merger Initech"}),
            await client.call_tool("search", {"query": "merger", "tier": "director"}),
            await client.call_tool("search", {"query": "merger", "tier": "king"}),
            await client.call_tool("read_document", {"document_id": merger["document_id"]}),
            await client.call_tool("read_document", {"document_id": "0" * 32}),
        ]

    got = called(line, calls, "--as", "employee", errors=tmp_path / "errors")
    found, above, unknown, denied, absent = got
    paths = [each["relative_path"] for each in found.structured_content["results"]]
    assert "director/merger.md" not in paths
    assert [each.is_error for each in (above, unknown, denied, absent)] == [True] * 4
    assert above.content[0].text.replace("director", "king") == unknown.content[0].text
    assert denied.content == absent.content
    assert "not_found" in denied.content[0].text


def test_call_that_is_not_valid_is_told(line: CommandLine, tmp_path: Path) -> None:
    async def calls(client: Client) -> list[bool]:
        wrong: list[tuple[str, dict[str, Any]]] = [
            ("search", {"query": ""}),
            ("search", {"query": "a" * 8001}),
            ("search", {"query": "a", "top_k": 21}),
            ("search", {}),
            ("read_document", {"document_id": "x", "limit": 0}),
        ]
        return [bool((await client.call_tool(*each)).is_error) for each in wrong]

    assert called(line, calls, errors=tmp_path / "errors") == [True] * 5


def test_folder_is_free_for_a_sync_while_the_assistant_idles(
    line: CommandLine, tmp_path: Path
) -> None:
    async def calls(client: Client) -> int:
        await client.call_tool("list_sources", {})
        ended = await asyncio.to_thread(line.rag, "sync", "--json")
        await client.call_tool("list_sources", {})
        return ended.code

    assert called(line, calls, errors=tmp_path / "errors") == 0
