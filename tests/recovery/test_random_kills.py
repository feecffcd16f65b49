"""Processes that die at any moment lose nothing that was seen, and leave nothing twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from recovering import TIERS, fork_server, in_process, run_to_the_end, snapshot

_LONGEST_LIFE_S = 1.2


class Folder:
    """Documents that a seed changes; every text is unlike all others."""

    def __init__(self, docs: Path, chance: random.Random) -> None:
        self.docs = docs
        self._chance = chance
        self._n_texts = 0
        for tier in TIERS:
            (docs / tier).mkdir(parents=True)
            for number in range(4):
                (docs / tier / f"first{number}.md").write_text(self._text())

    def paths(self) -> set[str]:
        return {str(path.relative_to(self.docs)) for path in self.docs.rglob("*.md")}

    def change(self) -> set[str]:
        """Change one to three documents, and return the paths that were touched."""
        touched: set[str] = set()
        for _ in range(self._chance.randint(1, 3)):
            touched |= self._change_one()
        return touched

    def _change_one(self) -> set[str]:
        paths = sorted(self.paths())
        path = self._chance.choice(paths)
        action = self._chance.choice(["create", "edit", "delete", "move", "move"])
        new_path = f"{self._chance.choice(TIERS)}/{self._n_texts}.md"
        if action == "create" or len(paths) < 6:
            (self.docs / new_path).write_text(self._text())
            return {new_path}
        if action == "edit":
            (self.docs / path).write_text(self._text())
        elif action == "delete":
            (self.docs / path).unlink()
        else:
            self._n_texts += 1
            (self.docs / path).rename(self.docs / new_path)
        return {path, new_path}

    def _text(self) -> str:
        self._n_texts += 1
        return f"# Text {self._n_texts}\n\nThe number of this text is {self._n_texts}: alpha.\n"


def searchable(home: Path) -> dict[str, tuple[str, str]]:
    """Return tier and text of every live document, by path; no path twice."""
    path = home / "data" / "catalog.sqlite3"
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'chunks'").fetchall():
            return {}
        rows = connection.execute(
            "SELECT d.relative_path, d.tier, group_concat(c.content, '|')"
            " FROM documents d JOIN chunks c ON c.document_key = d.key"
            " AND c.generation = d.generation WHERE d.is_live GROUP BY d.key"
        ).fetchall()
    found = {path: (tier, text) for path, tier, text in rows}
    assert len(found) == len(rows), "a document is there twice"
    return found


def live_for(home: Path, seconds: float) -> int:
    """Sync in a process of its own that is killed after some time; return how it ended."""
    process = fork_server().Process(target=run_to_the_end, args=(home,))
    process.start()
    process.join(seconds)
    if process.exitcode is None:
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
    assert process.exitcode is not None
    return process.exitcode


def test_random_kills_lose_and_double_nothing(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    seed = request.config.getoption("--seed") or random.SystemRandom().randrange(10**6)
    n_kills = request.config.getoption("--kills")
    sys.stdout.write(f"random kills: --seed {seed} --kills {n_kills}\n")
    chance = random.Random(seed)
    folder = Folder(tmp_path / "docs", chance)
    touched: set[str] = set()  # since a sync has last come to its end
    n_killed = 0
    while n_killed < n_kills:
        before = searchable(tmp_path)
        touched |= folder.change()
        ended = live_for(tmp_path, chance.uniform(0.0, _LONGEST_LIFE_S))
        n_killed += ended == -signal.SIGKILL
        after = searchable(tmp_path)
        for path in before.keys() & folder.paths() - touched:
            assert after.get(path) == before[path], f"seed {seed}: {path} was lost"
        for path, (tier, _) in after.items():
            assert tier == path.partition("/")[0], f"seed {seed}: {path} is in tier {tier}"
        if ended == 0:
            touched.clear()
    assert in_process(fork_server(), run_to_the_end, tmp_path) == 0
    fresh = tmp_path / "fresh"
    shutil.copytree(folder.docs, fresh / "docs", copy_function=shutil.copy2)
    assert in_process(fork_server(), run_to_the_end, fresh) == 0
    assert snapshot(tmp_path) == snapshot(fresh), f"seed {seed}"
