"""Who `rag serve` lets in: a real server, keys made and revoked beside it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from command_line import NO_EMBEDDER, CommandLine, isolate


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    isolate(monkeypatch, tmp_path)
    return CommandLine(tmp_path, NO_EMBEDDER)


@contextmanager
def serving(line: CommandLine) -> Iterator[httpx.Client]:
    """Yield a client of a server that runs in a process of its own."""
    command = line.command("serve", "--no-sync", "--port", "0", "--json")
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ) as server:
        try:
            assert server.stdout is not None
            url = json.loads(server.stdout.readline())["url"]
            with httpx.Client(base_url=url, timeout=60) as client:
                yield client
        finally:
            server.terminate()
            server.communicate(timeout=60)


def status(client: httpx.Client, bearer: str | None = None) -> int:
    """Return the status of a request that every credential may make."""
    headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    return client.get("/nowhere", headers=headers).status_code


def test_owner_needs_no_key_until_the_first_is_made_and_keys_act_at_once(line: CommandLine) -> None:
    with serving(line) as client:
        assert status(client) == 404  # let in, and there is nothing
        assert status(client, "cw_x") == 401
        create = ("keys", "create", "--tier", "employee", "--name", "reader", "--json")
        key = line.rag(*create).json["key"]
        assert (status(client), status(client, key)) == (401, 404)
        line.rag("keys", "revoke", "reader")
        assert (status(client), status(client, key)) == (401, 401)

        token = line.data / "server-token"
        assert token.stat().st_mode & 0o777 == 0o600
        assert status(client, token.read_text()) == 404
    assert not token.exists()


def test_address_for_others_needs_a_key_that_works(line: CommandLine) -> None:
    ended = line.rag("serve", "--host", "0.0.0.0", "--port", "0", "--json")
    assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_configuration")
    assert not (line.data / "server-token").exists()
