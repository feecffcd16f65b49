"""Whatever happens to a watched folder: the catalog ends up with what the folder holds."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from command_line import NO_EMBEDDER, CommandLine, isolate

N_CHANGES = 200
DEADLINE_S = 120.0
TIERS = ("employee", "director")


class Storm:
    """Changes a folder as people and programs do, a seed deciding what happens when."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root = root
        self._chance = chance
        self._n = 0
        for tier in TIERS:
            (root / tier).mkdir(parents=True)
            for number in range(10):
                (root / tier / f"first{number}.md").write_text(self._text())
        self._changes: tuple[Callable[[], object], ...] = (
            lambda: self._new_path().write_text(self._text()),
            lambda: self._file().write_text(self._text()),
            lambda: self._file().unlink(),
            lambda: self._file().rename(self._new_path()),
            lambda: os.link(self._file(), self._new_path()),
            lambda: shutil.copy(self._file(), self._new_path()),
            lambda: self._new_path().with_suffix("").mkdir(),
            lambda: self._folder().rename(self._new_path().with_suffix("")),
            lambda: shutil.rmtree(self._folder()),
            self._append,
            self._save_safely,
            self._swap,
            self._rename_in_case,
        )

    def change(self) -> None:
        """Change something; what cannot be done, such as a move into itself, is left out."""
        with suppress(OSError, IndexError):
            self._chance.choice(self._changes)()

    def files(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*.md") if path.name[0] != ".")

    def contents(self) -> dict[str, tuple[str, str]]:
        """Return hash and tier of every file, by path."""
        found: dict[str, tuple[str, str]] = {}
        for path in self.files():
            name = path.relative_to(self.root)
            found[str(name)] = (hashlib.sha256(path.read_bytes()).hexdigest(), name.parts[0])
        return found

    def _text(self) -> str:
        self._n += 1
        return f"# Text {self._n}\n\nThe number of this text is {self._n}.\n"

    def _file(self) -> Path:
        return self._chance.choice(self.files())

    def _folders(self) -> list[Path]:
        return sorted(path for path in self.root.glob("*/**/") if path.parent != self.root)

    def _folder(self) -> Path:
        return self._chance.choice(self._folders())

    def _new_path(self) -> Path:
        self._n += 1
        tiers = [self.root / tier for tier in TIERS]
        return self._chance.choice([*self._folders(), *tiers]) / f"new{self._n}.md"

    def _append(self) -> None:
        with self._file().open("a") as file:
            file.write(f"\n{self._text()}")

    def _save_safely(self) -> None:
        path = self._file()
        draft = path.with_name(f".{path.name}.swp")
        draft.write_text(self._text())
        draft.replace(path)

    def _swap(self) -> None:
        one, other = self._chance.sample(self.files(), 2)
        aside = self.root.parent / "aside"
        one.rename(aside)
        other.rename(one)
        aside.rename(other)

    def _rename_in_case(self) -> None:
        path = self._file()
        path.rename(path.with_name(path.stem.swapcase() + ".md"))


def indexed(data: Path) -> dict[str, tuple[str, str]]:
    """Return hash and tier of every live document, by path."""
    with closing(sqlite3.connect(data / "catalog.sqlite3")) as connection:
        rows = connection.execute(
            "SELECT relative_path, content_sha256, tier FROM documents WHERE is_live"
        ).fetchall()
    return {path: (digest, tier) for path, digest, tier in rows}


def test_watched_folder_in_a_storm_is_indexed_as_it_ends_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    seed = request.config.getoption("--seed") or random.SystemRandom().randrange(10**6)
    sys.stdout.write(f"storm: --seed {seed}\n")
    isolate(monkeypatch, tmp_path)
    library = CommandLine(tmp_path, NO_EMBEDDER | {"SYNC_SETTLE_SECONDS": "0.2"})
    chance = random.Random(seed)
    storm = Storm(library.documents, chance)
    command = library.command("watch", storm.root, "--folder-per-tier", "--json")
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as watching:
        deadline = time.monotonic() + DEADLINE_S
        for _ in range(N_CHANGES):
            storm.change()
            time.sleep(chance.choice([0.0, 0.0, 0.0, 0.02, 0.2]))
        while not is_followed(library.data, storm):
            assert watching.poll() is None
            assert time.monotonic() < deadline, f"seed {seed}: {difference(library.data, storm)}"
            time.sleep(0.1)
        watching.send_signal(signal.SIGTERM)
        assert watching.wait(DEADLINE_S) == 0
    (report,) = library.rag("sync", "--json").json["sources"]
    assert (report["skipped"], report["drift_repaired"]) == (len(storm.files()), 0)


def is_followed(data: Path, storm: Storm) -> bool:
    """Whether the catalog holds what the folder holds."""
    with suppress(sqlite3.OperationalError):  # not made yet
        return indexed(data) == storm.contents()
    return False


def difference(data: Path, storm: Storm) -> set[str]:
    """Return the paths that are not indexed as they are."""
    return {path for path, _ in indexed(data).items() ^ storm.contents().items()}
