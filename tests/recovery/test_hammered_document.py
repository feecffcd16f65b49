"""Readers of a document that is edited all the time see exactly one version of it."""

from __future__ import annotations

import asyncio
import re
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from recovering import TIERS, Told, open_world, sync

from citewell.access.clearance import clearance_of
from citewell.bootstrap import Citewell
from citewell.domain.ask_request import AskRequest
from citewell.domain.clearance import Principal
from citewell.ingestion.sync_parts import Run, Tally
from citewell.ingestion.sync_run import SyncRun

EDITS = 200
READERS = 2
ALL = clearance_of(Principal("reader", TIERS[-1]), tiers=TIERS)
QUESTION = "How long is the notice period of the contract?"
VERSION = re.compile(r"version (\d+)")


def contract(version: int) -> str:
    """Return a document of several chunks that all name the version."""
    said = f"The notice period of the contract is {version + 10} days, by version {version}."
    return "".join(
        f"# Part {part}\n\n{said} " + "More words follow. " * 20 + "\n\n" for part in "AB"
    )


@dataclass
class Reader(threading.Thread):
    """Searches and asks until it is told to stop."""

    parts: Citewell
    stopped: threading.Event
    searched: list[set[str]] = field(default_factory=list)
    answered: list[set[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def run(self) -> None:
        while not self.stopped.is_set():
            found = self.parts.search.search_passages(QUESTION, ALL, top_k=5)
            texts = [p.content for p in found.passages if p.chunk.relative_path.endswith("c.md")]
            self.searched.append({v for text in texts for v in VERSION.findall(text)})
            answer = asyncio.run(self.parts.answering.answer_question(AskRequest(QUESTION), ALL))
            self.answered.append(set(VERSION.findall(answer.text)))

    __hash__ = threading.Thread.__hash__


def edits_of(parts: Citewell) -> SyncRun:
    """Return what follows edits of the folder one by one, at once."""
    (source,) = parts.catalog.sources.sources()
    options = replace(parts.sync.parts.options, settle_s=0.0)
    syncing = replace(parts.sync.parts, options=options)
    return SyncRun(Run(source, parts.connector(source), Tally(), syncing), Told())


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Return a folder with the contract and other documents, synced."""
    docs = tmp_path / "docs" / "employee"
    docs.mkdir(parents=True)
    for number in range(20):
        (docs / f"{number}.md").write_text(f"# Other {number}\n\nA garden with {number} trees.\n")
    (docs / "c.md").write_text(contract(0))
    return tmp_path


def test_no_reader_sees_two_versions_or_none(world: Path) -> None:
    with open_world(world) as parts:
        sync(parts, world)
        stopped = threading.Event()
        readers = [Reader(parts, stopped) for _ in range(READERS)]
        assert parts.search.search_passages(QUESTION, ALL).is_sufficient
        for reader in readers:
            reader.start()
        editing = edits_of(parts)
        for version in range(1, EDITS + 1):
            (world / "docs" / "employee" / "c.md").write_text(contract(version))
            editing.look(["employee/c.md"])
            while not editing.is_done:
                editing.work(wait_s=1)
        stopped.set()
        for reader in readers:
            reader.join()
    searched = [versions for reader in readers for versions in reader.searched]
    answered = [versions for reader in readers for versions in reader.answered]
    assert len(searched) > EDITS / 2
    assert [versions for versions in searched if len(versions) != 1] == []
    assert [versions for versions in answered if len(versions) != 1] == []
    assert len({version for versions in answered for version in versions}) > EDITS / 10
