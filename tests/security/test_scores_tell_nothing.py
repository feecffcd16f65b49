"""Nothing that a reader observes depends on what it may not read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from tiered_worlds import (
    DIRECTOR,
    EMPLOYEE,
    MANAGER,
    TIERS,
    TieredWorld,
    edge_index,
    random_questions,
    random_texts,
)

from citewell.domain.clearance import Clearance
from citewell.domain.errors import RetrievalNotReadyError
from citewell.ports.index import Index
from citewell.testing.memory_index import MemoryIndex

MakeWorld = Callable[..., TieredWorld]
QUESTIONS = random_questions(6, seed=3)


def memory_index(folder: Path) -> MemoryIndex:
    return MemoryIndex(dim=1024)


@pytest.fixture
def make_world(tmp_path: Path) -> Iterator[MakeWorld]:
    worlds: list[TieredWorld] = []

    def make_world(name: str, make_index: Callable[[Path], Index] = edge_index) -> TieredWorld:
        folder = tmp_path / name
        worlds.append(TieredWorld(folder, make_index(folder)))
        return worlds[-1]

    yield make_world
    for world in worlds:
        world.close()


def traces(world: TieredWorld, clearance: Clearance) -> list[dict[str, Any]]:
    return [world.search_trace(question, clearance) for question in QUESTIONS]


def ranking(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a trace says of its candidates but the ids, which are drawn by lot."""
    return [
        {name: value for name, value in candidate.items() if name != "chunk_id"}
        for candidate in trace["explain"]["candidates"]
    ]


@pytest.mark.parametrize("make_index", [memory_index, edge_index])
def test_three_tiers_rank_like_one_for_the_highest_reader(
    make_world: MakeWorld, make_index: Callable[[Path], Index]
) -> None:
    spread, flat = make_world("spread", make_index), make_world("flat", make_index)
    for number, text in enumerate(random_texts(60, seed=4)):
        spread.put(f"{number}.md", text, TIERS[number % 3])
        flat.put(f"{number}.md", text, "employee")
    spread.settle()
    flat.settle()
    for question in QUESTIONS:
        over_three = spread.search_trace(question, DIRECTOR)
        in_one = flat.search_trace(question, DIRECTOR)
        assert ranking(over_three) == ranking(in_one)
        assert [(r["content"], r["score"]) for r in over_three["results"]] == [
            (r["content"], r["score"]) for r in in_one["results"]
        ]
        assert over_three["confidence"] == in_one["confidence"]
    assert {r["tier"] for t in traces(spread, DIRECTOR) for r in t["results"]} == {*TIERS}


def test_scores_are_the_same_to_the_last_digit_whatever_is_hidden(make_world: MakeWorld) -> None:
    world = make_world("one")
    for number, text in enumerate(random_texts(40, seed=5)):
        world.put(f"{number}.md", text, TIERS[number % 2])
    world.settle()
    before = traces(world, MANAGER)
    hidden = [
        world.put(f"hidden/{number}.md", text, "director")
        for number, text in enumerate(random_texts(300, seed=6))
    ]
    world.settle()
    while_there = traces(world, MANAGER)
    seen_above = traces(world, DIRECTOR)
    world.catalog.documents.delete(hidden)
    world.settle()
    assert while_there == before
    assert traces(world, MANAGER) == before
    assert traces(world, DIRECTOR) == before
    assert seen_above != before


def test_scores_are_the_same_to_the_last_digit_after_visible_documents_went(
    make_world: MakeWorld,
) -> None:
    world = make_world("one")
    texts = {f"{n}.md": text for n, text in enumerate(random_texts(40, seed=7))}
    for path, text in texts.items():
        world.put(path, text, "employee")
    world.settle()
    before = traces(world, EMPLOYEE)
    others = {f"other/{n}.md": text for n, text in enumerate(random_texts(300, seed=8))}
    keys = [world.put(path, text, "employee") for path, text in others.items()]
    world.settle()
    assert_contents(traces(world, EMPLOYEE), texts | others)
    world.catalog.documents.delete(keys)
    world.settle()
    assert traces(world, EMPLOYEE) == before
    assert_contents(before, texts)


def assert_contents(found: list[dict[str, Any]], texts: dict[str, str]) -> None:
    """Check that every passage is a piece of the document that it names, at its place."""
    results = [result for trace in found for result in trace["results"]]
    assert results
    for result in results:
        start, end = result["span"]
        assert texts[result["relative_path"]][start:end].split("|") == result["content"].split("\n")


def test_twin_worlds_that_differ_in_hidden_documents_only_give_the_same_bytes(
    make_world: MakeWorld,
) -> None:
    bare, full = make_world("bare"), make_world("full")
    visible, hidden = random_texts(50, seed=9), random_texts(70, seed=10)
    for number, (shown, secret) in enumerate(zip_longest(visible, hidden)):
        if secret:
            full.put(f"hidden/{number}.md", secret, "director")
        if shown:
            for world in (bare, full):
                world.put(f"{number}.md", shown, TIERS[number % 2])
        if number % 10 == 0:
            full.put(f"hidden/{number}.md", f"{secret}|edited", "director")
    full.catalog.documents.delete([full.put("hidden/gone.md", "salary", "director")])
    full.stage("hidden/1.md", "salary", "director")
    bare.settle()
    full.settle()
    for clearance in (EMPLOYEE, MANAGER):
        of_bare = [bare.replies(question, clearance) for question in QUESTIONS]
        assert [full.replies(question, clearance) for question in QUESTIONS] == of_bare
    assert full.replies(QUESTIONS[0], DIRECTOR) != bare.replies(QUESTIONS[0], DIRECTOR)


def test_reader_of_an_empty_tier_is_told_the_same_as_in_an_empty_world(tmp_path: Path) -> None:
    empty = TieredWorld(tmp_path / "empty", MemoryIndex(dim=1024))
    secret = TieredWorld(tmp_path / "secret", MemoryIndex(dim=1024))
    secret.put("a.md", "salary", "director")
    secret.settle()
    said = [reply_or_refusal(world, EMPLOYEE) for world in (empty, secret)]
    found = reply_or_refusal(secret, DIRECTOR)
    empty.close()
    secret.close()
    assert said == ["Nothing is indexed yet: run `rag ingest PATH`."] * 2
    assert "salary" in found


def reply_or_refusal(world: TieredWorld, clearance: Clearance) -> str:
    try:
        return world.replies("salary", clearance).decode()
    except RetrievalNotReadyError as error:
        return str(error)
