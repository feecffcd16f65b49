"""Keys made, listed and revoked by the command line."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from command_line import CommandLine, isolate

from citewell.access.api_keys import prefix_of

KEY = re.compile(r"cw_[a-z2-7]{12}_[\w-]{43}")


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    isolate(monkeypatch, tmp_path)
    return CommandLine(tmp_path)


def create(line: CommandLine, name: str, *more: str) -> dict[str, object]:
    ended = line.rag("keys", "create", "--tier", "manager", "--name", name, "--json", *more)
    assert (ended.code, ended.err) == (0, "")
    return ended.json


def test_key_is_shown_once_and_listed_without_its_secret(line: CommandLine) -> None:
    made = create(line, "reader", "--scope", "ask", "--scope", "sync")
    key = str(made.pop("key"))
    assert KEY.fullmatch(key)
    assert made == {
        "id": made["id"],
        "name": "reader",
        "prefix": prefix_of(key),
        "state": "active",
        "tier": "manager",
        "scopes": ["ask", "sync"],
        "created_at": made["created_at"],
        "expires_at": made["expires_at"],
        "revoked_at": None,
        "last_used_on": None,
    }
    listed = line.rag("keys", "list", "--json")
    assert listed.json == {"keys": [made]}
    assert key[16:] not in listed.out + line.rag("keys", "list").out


def test_key_alone_is_printed_to_standard_output(line: CommandLine) -> None:
    ended = line.rag("keys", "create", "--tier", "employee", "--name", "reader")
    assert (ended.code, bool(KEY.fullmatch(ended.out.strip()))) == (0, True)
    assert "reader reads as employee and may ask, until " in ended.err
    assert ended.out.strip() not in ended.err


def test_list_tells_how_keys_stand(line: CommandLine) -> None:
    assert "no key yet" in line.rag("keys", "list").out
    create(line, "first", "--expires", "never")
    create(line, "second")
    line.rag("keys", "revoke", "first")
    second, first = line.rag("keys", "list").out.splitlines()
    assert re.fullmatch(r"second \(cw_\w{12}…, active\): manager, ask, expires .*, not .*", second)
    assert re.fullmatch(r"first \(cw_\w{12}…, revoked\): manager, ask, never .*", first)


def test_key_is_revoked_by_name_or_prefix(line: CommandLine) -> None:
    for made, by in ((create(line, "one"), "name"), (create(line, "two"), "prefix")):
        ended = line.rag("keys", "revoke", str(made[by]), "--json")
        assert (ended.code, ended.json["state"], ended.json["id"]) == (0, "revoked", made["id"])
    assert line.rag("keys", "revoke", "two").code == 2  # the name is free


def test_unknown_key_cannot_be_revoked(line: CommandLine) -> None:
    ended = line.rag("keys", "revoke", "nobody", "--json")
    assert (ended.code, ended.json["error"]["code"]) == (2, "not_found")


@pytest.mark.parametrize(
    "wrong",
    [
        ["--tier", "king", "--name", "a"],
        ["--tier", "manager", "--name", "a", "--expires", "soon"],
        ["--tier", "manager", "--name", "a", "--scope", "root"],
        ["--tier", "manager", "--name", " "],
        ["--tier", "manager"],
        ["--name", "a"],
    ],
)
def test_what_is_not_valid_makes_no_key(line: CommandLine, wrong: list[str]) -> None:
    ended = line.rag("keys", "create", *wrong, "--json")
    assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_request")
    assert line.rag("keys", "list", "--json").json == {"keys": []}


def test_keys_are_made_and_revoked_beside_a_process_that_holds_the_folder(
    line: CommandLine,
) -> None:
    ingest(line)
    with subprocess.Popen(
        line.command("watch", "--json"), stdout=subprocess.PIPE, env=os.environ
    ) as watch:
        try:
            assert watch.stdout is not None
            assert b"watching" in watch.stdout.readline()
            create(line, "reader")
            assert line.rag("keys", "revoke", "reader").code == 0
        finally:
            watch.terminate()
            watch.communicate(timeout=60)


def ingest(line: CommandLine) -> None:
    line.write("a.md", "# A\n\nAlpha.\n")
    assert line.rag("ingest", line.documents, "--tier", "employee").code == 0


def states(line: CommandLine) -> dict[str, str]:
    keys = line.rag("keys", "list", "--json").json["keys"]
    return {key["name"]: key["state"] for key in keys}


def test_restored_backup_brings_no_revoked_key_back(line: CommandLine) -> None:
    ingest(line)
    create(line, "kept")
    create(line, "revoked since")
    backup = line.rag("backup", "--json").json["path"]
    line.rag("keys", "revoke", "revoked since")
    create(line, "made since")
    now = {"made since": "active", "revoked since": "revoked", "kept": "active"}
    assert states(line) == now
    assert line.rag("restore", backup, "--replace").code == 0
    assert states(line) == now


def test_keys_of_a_backup_are_revoked_where_it_is_not_known_what_was_revoked_since(
    line: CommandLine,
) -> None:
    ingest(line)
    create(line, "reader")
    backup = line.rag("backup", "--json").json["path"]
    (line.data / "catalog.sqlite3").unlink()
    assert line.rag("restore", backup).code == 0
    assert states(line) == {"reader": "revoked"}
