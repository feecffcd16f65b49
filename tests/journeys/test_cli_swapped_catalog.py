"""A catalog that is lost, swapped or put back: nothing that was made from another one is read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import NO_EMBEDDER, CommandLine, isolate, make_library

OTHER_NOTES = {
    "cats.md": "# Cats\n\nThe cat of the office is called Zimt and sleeps on the scanner.\n",
    "dogs.md": "# Dogs\n\nA ticket for the dog show costs 12 euros.\n",
    "fish.md": "# Fish\n\nThe fish are fed at noon.\n",
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    home = tmp_path_factory.mktemp("library")
    with pytest.MonkeyPatch.context() as monkeypatch:
        isolate(monkeypatch, home)
        yield make_library(home)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory, template: CommandLine) -> CommandLine:
    """Return a library of other notes, with as many chunks: all keys are the same."""
    made = CommandLine(tmp_path_factory.mktemp("other"), template.settings)
    write_all(made, OTHER_NOTES)
    assert made.rag("ingest", made.documents, "--tier", "employee", "--json").code == 0
    return made


@pytest.fixture
def library(template: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Return a library of its own, which a test may damage."""
    isolate(monkeypatch, tmp_path)
    return template.copy_to(tmp_path)


def write_all(library: CommandLine, notes: dict[str, str]) -> None:
    for name, text in notes.items():
        library.write(name, text)


def remove_catalog(library: CommandLine) -> None:
    for file in library.data.glob("catalog.sqlite3*"):
        file.unlink()


def swap_catalog(library: CommandLine, other: CommandLine) -> None:
    """Put the catalog of another library over index and vectors of this one."""
    remove_catalog(library)
    for file in other.data.glob("catalog.sqlite3*"):
        shutil.copy(file, library.data)


def shown(results: list[dict[str, Any]]) -> list[tuple[str, str, float]]:
    """Return what does not depend on the order in which documents were read: it breaks ties."""
    return sorted((r["relative_path"], r["content"], r["score"]) for r in results)


@pytest.mark.parametrize("question", ["ticket", "escalated to the on-call engineer"])
def test_swapped_catalog_is_searched_by_words_until_its_vectors_are_made(
    library: CommandLine, other: CommandLine, question: str
) -> None:
    swap_catalog(library, other)
    expected = other.found(question)
    searched = library.rag("search", question, "--json")
    found = searched.json["results"]
    assert searched.code == 0
    assert [result["score"] for result in found] == [None] * len(found)
    assert {result["relative_path"] for result in found} <= set(OTHER_NOTES)
    assert "their vectors are being made" in searched.json["notice"]
    synced = library.rag("sync", "--json")
    assert (synced.code, synced.json["embeddings_computed"]) == (0, 3)
    assert library.found(question) == expected
    assert library.rag("sync", "--json").json["embeddings_computed"] == 0


def test_one_sync_of_a_swapped_catalog_makes_all_right(
    library: CommandLine, other: CommandLine
) -> None:
    swap_catalog(library, other)
    assert library.rag("sync", "--json").code == 0
    for question in ("P1 ticket", "scanner", "backups restored on request"):
        assert library.found(question) == other.found(question)


def test_lost_catalog_leaves_nothing_to_other_documents(
    library: CommandLine, other: CommandLine
) -> None:
    remove_catalog(library)
    assert library.rag("search", "ticket", "--json").json["error"]["code"] == "retrieval_not_ready"
    ingested = library.rag("ingest", other.documents, "--tier", "employee", "--json")
    assert ingested.code == 0
    for question in ("P1 ticket", "scanner"):
        assert shown(library.found(question)) == shown(other.found(question))


def test_vectors_newer_than_a_catalog_that_was_put_back_are_not_taken_for_new_chunks(
    library: CommandLine, tmp_path: Path
) -> None:
    documents = library.documents
    library.documents = tmp_path / "documents"
    shutil.copytree(documents, library.documents)
    assert library.rag("ingest", library.documents, "--tier", "employee", "--json").code == 0
    older = library.copy_to(tmp_path / "older")
    library.write("new.md", "# New\n\nThe turtle is green.\n")
    assert library.rag("sync", "--json").code == 0
    swap_catalog(library, older)
    library.write("new.md", "# New\n\nInvoices are paid on Fridays.\n")
    assert library.rag("sync", "--json", settings=NO_EMBEDDER).code == 0
    first = library.found("When are invoices paid?")[0]
    assert (first["relative_path"], first["score"]) == ("new.md", None)
    assert library.rag("sync", "--json").json["embeddings_computed"] == 1
    assert library.found("When are invoices paid?")[0]["score"] > 0.2
