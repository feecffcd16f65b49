"""What is remembered for one reader tells another one nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tiered_worlds import (
    DIRECTOR,
    EMPLOYEE,
    MANAGER,
    TIERS,
    TieredWorld,
    masked,
    random_questions,
    random_texts,
)
from typing_extensions import override

from citewell.adapters.caches.sqlite_answer_cache import SqliteAnswerCache
from citewell.answering.remembering.answer_cache import AnswerMemory, CacheKey, Search
from citewell.domain.answer import Answer
from citewell.domain.clearance import Clearance
from citewell.domain.passage import SearchResult
from citewell.ports.answer_cache import RememberedAnswer
from citewell.replies import answer_reply
from citewell.testing.memory_index import MemoryIndex
from model_answers import answer_quoting

QUESTIONS = random_questions(12, seed=3)
READERS = (DIRECTOR, MANAGER, EMPLOYEE)


class Careless(AnswerMemory):
    """A memory that keeps no reader apart and believes what it remembers."""

    @override
    def find(self, key: CacheKey, search: Search) -> Answer | None:
        return AnswerMemory.find(self, replace(key, clearance=DIRECTOR), search)

    @override
    def keep(self, key: CacheKey, *args: object, **more: object) -> bool:
        return AnswerMemory.keep(self, replace(key, clearance=DIRECTOR), *args, **more)  # type: ignore[arg-type]

    @override
    def _checked(self, remembered: RememberedAnswer, *_: object, **__: object) -> Answer | None:
        return replace(remembered.answer, cached=True)


class Desk:
    """Answers by what is found first, and remembers it."""

    def __init__(self, folder: Path, kind: type[AnswerMemory]) -> None:
        self.world = TieredWorld(folder, MemoryIndex(dim=1024))
        self.cache = SqliteAnswerCache(folder / "answers.sqlite3", catalog_id="world")
        self.memory = kind(self.cache, self.world.catalog.passages, self.world.embedder, 0.95)

    def ask(self, question: str, clearance: Clearance) -> Answer | None:
        """Return the answer of the memory or a new one; None where nothing is found."""
        search = self.world.search_with(self.world.index)

        def search_once(text: str) -> SearchResult:
            return search.search_passages(text, clearance)

        key = CacheKey(question, clearance, top_k=5, model="small", version="1")
        remembered = self.memory.find(key, search_once)
        if remembered is not None:
            return remembered
        found = search_once(question)
        if not found.passages:
            return None
        answer = answer_quoting(found.passages[0].chunk)
        self.memory.keep(key, {question: found}, answer, written_by="small")
        return answer

    def said(self, question: str, clearance: Clearance) -> str:
        """Return the bytes of the reply, ids masked."""
        answer = self.ask(question, clearance)
        return "" if answer is None else json.dumps(masked(answer_reply(answer, request_id="")))

    def close(self) -> None:
        self.cache.close()
        self.world.close()


MakeDesk = Callable[..., Desk]


@pytest.fixture
def make_desk(tmp_path: Path) -> Iterator[MakeDesk]:
    desks: list[Desk] = []

    def make_desk(name: str, kind: type[AnswerMemory] = AnswerMemory) -> Desk:
        desks.append(Desk(tmp_path / name, kind))
        return desks[-1]

    yield make_desk
    for desk in desks:
        desk.close()


def filled(desk: Desk) -> Desk:
    for number, text in enumerate(random_texts(45, seed=4)):
        desk.world.put(f"{number}.md", text, TIERS[number % 3])
    desk.world.settle()
    return desk


def tiers_told(desk: Desk, clearance: Clearance) -> set[str]:
    """Return the tiers of what a reader is told, asking everything twice."""
    answers = [desk.ask(question, clearance) for question in QUESTIONS * 2]
    return {c.tier for answer in answers if answer is not None for c in answer.citations}


def test_no_hit_crosses_clearances(make_desk: MakeDesk) -> None:
    desk = filled(make_desk("one"))
    for reader in READERS:
        for question in QUESTIONS:
            first = desk.ask(question, reader)
            assert first is None or not first.cached
    for reader in READERS:
        assert tiers_told(desk, reader) <= set(reader.tiers)
    again = [desk.ask(question, EMPLOYEE) for question in QUESTIONS]
    assert {answer.cached for answer in again if answer is not None} == {True}


def test_check_of_clearances_finds_a_memory_that_keeps_no_reader_apart(make_desk: MakeDesk) -> None:
    desk = filled(make_desk("careless", Careless))
    tiers_told(desk, DIRECTOR)
    assert not tiers_told(desk, EMPLOYEE) <= set(EMPLOYEE.tiers)


def twins(make_desk: MakeDesk, kind: type[AnswerMemory]) -> list[list[str]]:
    """Return what an employee hears in two worlds, of which one has hidden documents.

    Directors ask the same before and in between.
    """
    heard: list[list[str]] = []
    for name in ("bare", "full"):
        desk = make_desk(name, kind)
        for number, text in enumerate(random_texts(30, seed=9)):
            desk.world.put(f"{number}.md", text, "employee")
        if name == "full":
            for number, text in enumerate(random_texts(30, seed=10)):
                desk.world.put(f"hidden/{number}.md", text, "director")
        desk.world.settle()
        for question in QUESTIONS:
            desk.said(question, DIRECTOR)
        first = [desk.said(question, EMPLOYEE) for question in QUESTIONS]
        for question in QUESTIONS:
            desk.said(question, DIRECTOR)
        heard.append(first + [desk.said(question, EMPLOYEE) for question in QUESTIONS])
    return heard


def test_twin_worlds_with_a_memory_give_the_same_bytes(make_desk: MakeDesk) -> None:
    bare, full = twins(make_desk, AnswerMemory)
    assert full == bare
    assert any('"cached": true' in said for said in bare)


def test_check_of_twin_worlds_finds_a_memory_that_keeps_no_reader_apart(
    make_desk: MakeDesk,
) -> None:
    bare, full = twins(make_desk, Careless)
    assert full != bare


@pytest.mark.parametrize("tier", ["manager", "director"])
def test_raised_document_is_told_to_those_above_only(make_desk: MakeDesk, tier: str) -> None:
    desk = make_desk("one")
    desk.world.put("a.md", "salary forecast of the board", "employee")
    desk.world.put("b.md", "salary plan", "employee")
    desk.world.settle()
    for reader in READERS:
        first = desk.ask("salary forecast of the board", reader)
        assert first is not None
        assert first.citations[0].source_id == "a.md"
    desk.world.put("a.md", "salary forecast of the board", tier)
    desk.world.settle()
    for reader in READERS:
        answer = desk.ask("salary forecast of the board", reader)
        assert answer is not None
        assert not answer.cached
        told = "a.md" if tier in reader.tiers else "b.md"
        assert answer.citations[0].source_id == told


def test_file_of_one_reader_holds_no_text_that_it_may_not_read(
    make_desk: MakeDesk, tmp_path: Path
) -> None:
    desk = make_desk("one")
    desk.world.put("a.md", "salary plan", "employee")
    desk.world.put("b.md", "salary merger kingfisher", "director")
    desk.world.settle()
    desk.ask("salary", EMPLOYEE)
    desk.cache.compact()
    data = (tmp_path / "one" / "answers.sqlite3").read_bytes()
    assert (b"salary plan" in data, b"kingfisher" in data) == (True, False)


def test_memory_survives_nothing_that_only_another_catalog_knows(
    make_desk: MakeDesk, tmp_path: Path
) -> None:
    """A catalog of the same documents, whose ids are others."""
    first, second = filled(make_desk("one")), filled(make_desk("two"))
    assert tiers_told(first, EMPLOYEE) == {"employee"}
    same_id = SqliteAnswerCache(tmp_path / "one" / "answers.sqlite3", catalog_id="world")
    with closing(same_id):
        second.memory = replace(second.memory, cache=same_id)
        answers = [second.ask(question, EMPLOYEE) for question in QUESTIONS]
    assert {answer.cached for answer in answers if answer is not None} == {False}
