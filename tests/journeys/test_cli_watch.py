"""`rag watch` as a process of its own on a real folder, with others searching beside it."""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
import subprocess
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import NO_EMBEDDER, CommandLine, isolate

DEADLINE_S = 120.0
QUICK = NO_EMBEDDER | {"SYNC_SETTLE_SECONDS": "0.2", "MASS_DELETION_MIN_DOCUMENTS": "5"}


class Watching:
    """A running `rag watch --json`."""

    def __init__(self, library: CommandLine, *arguments: str | Path) -> None:
        self.library = library
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.process = subprocess.Popen(
            library.command("watch", *arguments, "--json"), stdout=subprocess.PIPE, text=True
        )
        threading.Thread(target=self._read, daemon=True).start()
        assert self.next()["event"] == "watching"

    def next(self) -> dict[str, Any]:
        """Return the next thing that it tells."""
        line = self._lines.get(timeout=DEADLINE_S)
        assert line is not None, "it has ended"
        return json.loads(line)

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so, while it runs."""
        deadline = time.monotonic() + DEADLINE_S
        while not is_so():
            assert self.process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def finds(self, word: str, *paths: str) -> None:
        """Wait until a search for a word finds just these paths."""
        self.until(lambda: found(self.library, word) == sorted(paths))

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        code = self.process.wait(DEADLINE_S)
        while self._lines.get(timeout=DEADLINE_S) is not None:
            pass
        return code

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self._lines.put(line)
        self._lines.put(None)


def found(library: CommandLine, word: str, *more: str) -> list[str]:
    """Return the paths of the documents that hold a word."""
    ended = library.rag("search", word, "--json", *more)
    if ended.code == 69:  # nothing is indexed for this reader
        return []
    assert ended.code == 0, ended.err
    return sorted(r["relative_path"] for r in ended.json["results"] if word in r["content"])


def make(home: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    isolate(monkeypatch, home)
    made = CommandLine(home, QUICK)
    for n in range(6):
        made.write(f"employee/base{n}.md", f"# Base {n}\n\nThe foundation is base{n}.")
    made.write("employee/name1.md", "# Linked\n\nThe colour is crimson.")
    os.link(made.documents / "employee" / "name1.md", made.documents / "employee" / "name2.md")
    made.write("director/plan.md", "# Plan\n\nThe foundation is secret.")
    ended = made.rag("sources", "add", made.documents, "--folder-per-tier", "--json")
    assert ended.code == 0
    return made


@pytest.fixture(scope="module")
def watching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watching]:
    home = tmp_path_factory.mktemp("watched")
    with pytest.MonkeyPatch.context() as monkeypatch:
        running = Watching(make(home, monkeypatch))
        running.finds("secret", "director/plan.md")
        yield running
        assert running.stop() == 0


@pytest.fixture
def folder(watching: Watching) -> Path:
    return watching.library.documents / "employee"


class TestChanges:
    def test_new_changed_and_removed_file(self, watching: Watching, folder: Path) -> None:
        (folder / "new.md").write_text("# New\n\nThe animal is a zebra.")
        watching.finds("zebra", "employee/new.md")
        (folder / "new.md").write_text("# New\n\nThe animal is a giraffe.")
        watching.finds("giraffe", "employee/new.md")
        assert found(watching.library, "zebra") == []
        (folder / "new.md").unlink()
        watching.finds("giraffe")

    def test_safe_save(self, watching: Watching, folder: Path) -> None:
        (folder / "saved.md").write_text("# Saved\n\nThe fruit is an apple.")
        watching.finds("apple", "employee/saved.md")
        (folder / "saved.md.tmp").write_text("# Saved\n\nThe fruit is a cherry.")
        (folder / "saved.md.tmp").replace(folder / "saved.md")
        watching.finds("cherry", "employee/saved.md")
        assert found(watching.library, "apple") == []

    def test_append_to_a_log(self, watching: Watching, folder: Path) -> None:
        with (folder / "app.log").open("a") as log:
            for word in ("started", "running"):
                log.write(f"the service is {word}\n")
                log.flush()
                watching.finds(word, "employee/app.log")

    def test_files_that_swap_names(self, watching: Watching, folder: Path) -> None:
        (folder / "left.md").write_text("# One\n\nThe metal is copper.")
        (folder / "right.md").write_text("# Two\n\nThe metal is silver.")
        watching.finds("copper", "employee/left.md")
        watching.finds("silver", "employee/right.md")
        (folder / "left.md").rename(folder / "between")
        (folder / "right.md").rename(folder / "left.md")
        (folder / "between").rename(folder / "right.md")
        watching.finds("copper", "employee/right.md")
        watching.finds("silver", "employee/left.md")

    def test_equal_files_under_two_names(self, watching: Watching, folder: Path) -> None:
        for name in ("twin1.md", "twin2.md"):
            (folder / name).write_text("# Twin\n\nThe number is seventeen.")
        watching.finds("seventeen", "employee/twin1.md", "employee/twin2.md")
        (folder / "twin1.md").unlink()
        watching.finds("seventeen", "employee/twin2.md")

    def test_rename_in_case_only(self, watching: Watching, folder: Path) -> None:
        (folder / "case.md").write_text("# Case\n\nThe letter is omega.")
        watching.finds("omega", "employee/case.md")
        (folder / "case.md").rename(folder / "Case.md")
        watching.finds("omega", "employee/Case.md")

    def test_names_that_differ_in_their_unicode_form_only(
        self, watching: Watching, folder: Path
    ) -> None:
        names = [unicodedata.normalize(form, "Grö.md") for form in ("NFC", "NFD")]
        for name in names:
            (folder / name).write_text(f"# Form\n\nThe form is lengthy {len(name)}.")
        watching.finds("lengthy", *(f"employee/{name}" for name in names))
        (folder / names[0]).unlink()
        watching.finds("lengthy", f"employee/{names[1]}")

    def test_hard_link(self, watching: Watching, folder: Path) -> None:
        watching.finds("crimson", "employee/name1.md", "employee/name2.md")
        with (folder / "name2.md").open("a") as file:
            file.write("\nThe colour is azure too.\n")
        watching.finds("azure", "employee/name1.md", "employee/name2.md")
        (folder / "name1.md").unlink()
        watching.finds("crimson", "employee/name2.md")

    def test_folder_of_many_files_that_moves(
        self, watching: Watching, folder: Path, tmp_path: Path
    ) -> None:
        many = tmp_path / "many"
        for n in range(3):
            (many / f"part{n}").mkdir(parents=True)
            for m in range(20):
                text = f"# Part\n\nThe river is danube{n}x{m}."
                (many / f"part{n}" / f"{m}.md").write_text(text)
        many.rename(folder / "many")
        watching.finds("danube2x19", "employee/many/part2/19.md")
        (folder / "many").rename(folder / "more")
        watching.finds("danube2x19", "employee/more/part2/19.md")
        watching.finds("danube0x0", "employee/more/part0/0.md")

    def test_move_to_a_higher_tier(self, watching: Watching, folder: Path) -> None:
        library = watching.library
        (folder / "rise.md").write_text("# Rise\n\nThe bonus is generous.")
        watching.finds("generous", "employee/rise.md")
        (folder / "rise.md").rename(library.documents / "director" / "rise.md")
        watching.until(lambda: found(library, "generous", "--as", "employee") == [])
        watching.finds("generous", "director/rise.md")


class TestBesideIt:
    def test_status_tells_who_is_at_work_and_how_sources_are_watched(
        self, watching: Watching
    ) -> None:
        status = watching.library.rag("status", "--json").json
        assert (status["held_by"]["pid"], status["held_by"]["command"]) == (
            watching.process.pid,
            "rag watch",
        )
        (source,) = status["sources"]
        assert source["watch"] is not None
        assert source["watch"]["mode"] in {"events", "polling"}
        shown = watching.library.rag("status").out
        assert f"`rag watch` is at work (process {watching.process.pid})" in shown
        assert f"  watched by {source['watch']['mode']}" in shown

    @pytest.mark.parametrize("arguments", [["sync"], ["watch"], ["ingest", "."]])
    def test_second_writer_is_told_who_writes(
        self, watching: Watching, arguments: list[str]
    ) -> None:
        ended = watching.library.rag(*arguments, "--json")
        assert (ended.code, ended.json["error"]["code"]) == (75, "data_folder_busy")
        message = ended.json["error"]["message"]
        holder_is = f"`rag watch`, process {watching.process.pid} on {socket.gethostname()}"
        assert f"is held by {holder_is}, since 20" in message


class TestStart:
    @pytest.fixture
    def library(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
        return make(tmp_path, monkeypatch)

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_it_ends_when_it_is_told_to(self, library: CommandLine, number: int) -> None:
        running = Watching(library)
        running.finds("secret", "director/plan.md")
        assert running.stop(number) == 0
        status = library.rag("status", "--json").json
        assert status["held_by"] is None
        assert status["sources"][0]["watch"] is None
        assert status["sources"][0]["last_run"]["state"] in {"succeeded", "cancelled"}
        assert found(library, "secret") == ["director/plan.md"]

    def test_another_takes_over_after_a_kill(self, library: CommandLine) -> None:
        first = Watching(library)
        first.finds("secret", "director/plan.md")
        assert first.stop(signal.SIGKILL) == -signal.SIGKILL
        status = library.rag("status", "--json").json
        assert (status["held_by"], status["sources"][0]["watch"]) == (None, None)
        library.write("employee/later.md", "# Later\n\nThe animal is a heron.")
        second = Watching(library)
        second.finds("heron", "employee/later.md")
        assert second.stop() == 0

    def test_mass_deletion_is_confirmed_beside_it(self, library: CommandLine) -> None:
        running = Watching(library)
        source = lambda: library.rag("status", "--json").json["sources"][0]  # noqa: E731
        running.until(lambda: source()["documents"] == {"searchable": 9})
        for n in range(6):
            (library.documents / "employee" / f"base{n}.md").unlink()  # of nine
        running.until(lambda: source()["missing"] == 6)
        running.until(lambda: source()["held_until"] is not None)
        ended = library.rag("sync", "--confirm-deletions", "--json")
        assert (ended.code, ended.json["confirmed"]) == (0, ["documents"])
        assert f"process {running.process.pid}" in ended.json["left_to"]
        running.until(lambda: source()["missing"] == 0)
        assert running.stop() == 0

    def test_source_that_comes_back_is_followed_again(self, library: CommandLine) -> None:
        running = Watching(library)
        running.finds("secret", "director/plan.md")
        library.documents.rename(library.home / "away")
        state = lambda: library.rag("sources", "--json").json["sources"][0]["state"]  # noqa: E731
        running.until(lambda: state() == "unavailable")
        assert found(library, "secret") == ["director/plan.md"]
        (library.home / "away").rename(library.documents)
        running.until(lambda: state() == "available")
        library.write("employee/later.md", "# Later\n\nThe animal is a heron.")
        running.finds("heron", "employee/later.md")
        assert running.stop() == 0

    def test_name_that_is_not_utf_8_is_indexed_by_polling(self, library: CommandLine) -> None:
        folder = os.fsencode(library.documents / "employee")
        Path(os.fsdecode(folder + b"/caf\xe9.md")).write_text("# Odd\n\nThe drink is espresso.")
        running = Watching(library)
        running.finds("espresso", r"employee/caf\xe9.md")
        (source,) = library.rag("status", "--json").json["sources"]
        assert source["watch"]["mode"] == "polling"
        assert "not UTF-8" in source["watch"]["reason"]
        assert running.stop() == 0

    def test_without_a_source_there_is_nothing_to_watch(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        isolate(monkeypatch, tmp_path)
        ended = CommandLine(tmp_path, QUICK).rag("watch", "--json")
        assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_request")

    def test_it_ends_when_nobody_reads_what_it_tells(self, library: CommandLine) -> None:
        command = library.command("watch", "--no-vectors", "--json")
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stderr is not None
        assert b"watching" in process.stdout.readline()
        process.stdout.close()
        assert process.wait(DEADLINE_S) == 0  # the end of the first run is told to nobody
        assert b"Traceback" not in process.stderr.read()
        process.stderr.close()
        (run,) = library.rag("sync", "--history", "--json").json["runs"]
        assert run["state"] == "succeeded"

    def test_missing_embedder_is_told(self, library: CommandLine) -> None:
        running = Watching(library)
        told = running.next()
        assert (told["event"], bool(told["reason"])) == ("trouble", True)
        assert running.stop() == 0

    def test_tier_without_a_folder_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        isolate(monkeypatch, tmp_path)
        ended = CommandLine(tmp_path, QUICK).rag("watch", "--tier", "employee", "--json")
        assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_request")

    def test_folder_that_is_named_is_registered_and_followed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        isolate(monkeypatch, tmp_path)
        library = CommandLine(tmp_path, QUICK)
        library.write("a.md", "# First\n\nThe bird is a wren.")
        running = Watching(library, library.documents, "--tier", "employee")
        running.finds("wren", "a.md")
        library.write("b.md", "# Second\n\nThe bird is a robin.")
        running.finds("robin", "b.md")
        assert running.stop() == 0
        (source,) = library.rag("sources", "--json").json["sources"]
        assert (source["root"], source["tier"]) == (str(library.documents), "employee")
