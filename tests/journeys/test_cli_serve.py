"""`rag serve` as a process: it answers, follows its sources, syncs when asked, ends in order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from command_line import FAKE, CommandLine, isolate, make_library

SETTINGS = {
    **FAKE,
    "SERVER_SHUTDOWN_SECONDS": "0",
    "SERVER_QUESTIONS_PER_MINUTE": "100000",
    "SERVER_REQUESTS_PER_MINUTE": "100000",
}


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    isolate(monkeypatch, tmp_path)
    return make_library(tmp_path, SETTINGS)


@contextmanager
def serving(line: CommandLine) -> Iterator[tuple[subprocess.Popen[bytes], httpx.Client]]:
    """Yield a server in a process of its own, and a client of it."""
    command = line.command("serve", "--port", "0", "--json")
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ) as server:
        try:
            assert server.stdout is not None
            url = json.loads(server.stdout.readline())["url"]
            with httpx.Client(base_url=url, timeout=60) as client:
                yield server, client
        finally:
            if server.poll() is None:
                server.terminate()
            server.communicate(timeout=60)


def found(client: httpx.Client, query: str) -> list[str]:
    results = client.post("/search", json={"query": query}).json()["results"]
    return [passage["relative_path"] for passage in results]


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_served_folder_is_searched_as_it_changes_and_beside_the_command_line(
    line: CommandLine,
) -> None:
    with serving(line) as (server, client):
        assert found(client, "P1 ticket")[0] == "tickets.md"
        line.write("leave.md", "# Leave\n\nZebra leave lasts 30 days.\n")
        eventually(lambda: "leave.md" in found(client, "zebra leave"))
        (line.documents / "leave.md").unlink()
        eventually(lambda: "leave.md" not in found(client, "zebra leave"))
        assert line.found("P1 ticket")[0]["relative_path"] == "tickets.md"
        busy = line.rag("sync", "--json")
        assert (busy.code, busy.json["error"]["code"]) == (75, "data_folder_busy")
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=60) == 0
    assert line.rag("sync", "--json").code == 0


def test_sync_is_begun_over_http_and_found_in_the_history(line: CommandLine) -> None:
    with serving(line) as (_, client):
        (source,) = client.get("/sources").json()["sources"]
        reply: dict[str, Any] = {}

        def is_followed() -> bool:
            response = client.post(f"/sync/{source['name']}", params={"wait": True})
            reply.update(status=response.status_code, **response.json())
            return response.status_code == 200

        eventually(is_followed)
        runs = client.get(f"/sync/{source['name']}/history").json()["runs"]
        assert reply["run"] == next(run for run in runs if run["id"] == reply["run_id"])
        assert reply["run"]["state"] == "succeeded"
        health = client.get("/health").json()
        assert (health["status"], health["details"]["sources"][0]["name"]) == (
            "ok",
            source["name"],
        )


def test_first_ctrl_c_ends_it_in_order(line: CommandLine) -> None:
    with serving(line) as (server, client):
        assert client.get("/health/ready").json()["status"] == "ok"
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=60) == 0


def test_port_that_is_taken_is_said(line: CommandLine) -> None:
    with serving(line) as (_, client):
        other = CommandLine(line.home / "other", line.settings)
        other.home.mkdir()
        ended = other.rag("serve", "--port", str(client.base_url.port), "--json")
        assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_configuration")
