"""What a person can do about a sync: confirm deletions, try again what failed, read the history."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command_line import NO_EMBEDDER, CommandLine, isolate

SMALL_MASS = {"MASS_DELETION_MIN_DOCUMENTS": "3"}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    isolate(monkeypatch, tmp_path)
    made = CommandLine(tmp_path, NO_EMBEDDER | SMALL_MASS)
    for name in ("alpha", "beta", "gamma", "delta"):
        made.write(f"{name}.md", f"# {name}\n\nThe text is {name}.")
    assert made.rag("ingest", made.documents, "--name", "my notes", "--json").code == 0
    return made


def paths(library: CommandLine) -> list[str]:
    return sorted(result["relative_path"] for result in library.found("text"))


def remove(library: CommandLine, *names: str) -> None:
    for name in names:
        (library.documents / f"{name}.md").unlink()


class TestMassDeletion:
    def test_it_is_hidden_and_told_until_it_is_confirmed(self, library: CommandLine) -> None:
        remove(library, "alpha", "beta", "gamma")
        synced = library.rag("sync")
        assert synced.code == 0
        assert "my notes: 3 hidden, 1 skipped" in synced.err
        assert "run `rag sync 'my notes' --confirm-deletions`" in synced.err
        assert paths(library) == ["delta.md"]
        (source,) = library.rag("status", "--json").json["sources"]
        assert (source["documents"], source["missing"]) == ({"searchable": 1}, 3)
        assert source["held_until"] > source["last_run"]["started_at"]
        shown = library.rag("status", "--documents").out
        assert "3 documents are missing and hidden: many went at once" in shown
        assert "missing     my notes: alpha.md" in shown
        confirmed = library.rag("sync", "my notes", "--confirm-deletions", "--json")
        (report,) = confirmed.json["sources"]
        assert (confirmed.code, report["deleted"], report["hidden"]) == (0, 3, 0)
        (source,) = library.rag("status", "--json").json["sources"]
        assert (source["documents"], source["missing"], source["held_until"]) == (
            {"searchable": 1},
            0,
            None,
        )

    def test_what_comes_back_is_shown(self, library: CommandLine, tmp_path: Path) -> None:
        shutil.copytree(library.documents, tmp_path / "kept", copy_function=shutil.move)
        (tmp_path / "kept" / "delta.md").rename(library.documents / "delta.md")
        library.rag("sync")
        assert paths(library) == ["delta.md"]
        for name in ("alpha", "beta", "gamma"):
            (tmp_path / "kept" / f"{name}.md").rename(library.documents / f"{name}.md")
        (report,) = library.rag("sync", "--json").json["sources"]
        assert report["chunks_written"] == 0
        assert paths(library) == ["alpha.md", "beta.md", "delta.md", "gamma.md"]


class TestEmptySource:
    def test_it_says_how_to_confirm(self, library: CommandLine) -> None:
        remove(library, "alpha", "beta", "gamma", "delta")
        ended = library.rag("sync", "--json")
        error = ended.json["error"]
        assert (ended.code, error["code"]) == (69, "source_empty")
        assert "--confirm-deletions" in error["message"]
        assert len(paths(library)) == 4
        (source,) = library.rag("sources", "--json").json["sources"]
        assert (source["state"], source["last_run"]["state"]) == ("unavailable", "failed")
        assert "the source's folder is empty" in source["reason"]
        assert library.rag("sync", "--confirm-deletions").code == 0
        assert library.rag("search", "text").code == 69


def test_failed_file_is_tried_again_when_asked(library: CommandLine) -> None:
    limit = {"MAX_FILE_MIB": "1"}
    library.write("large.txt", "The text is large. " * 60_000)
    library.rag("sync", settings=limit)
    again = library.rag("sync", "--json").json["sources"][0]
    retried = library.rag("sync", "--retry-failed", "--json").json["sources"][0]
    assert (again["skipped"], again["added"], again["updated"]) == (5, 0, 0)
    assert (retried["skipped"], retried["updated"]) == (4, 1)
    assert "large.txt" in paths(library)
