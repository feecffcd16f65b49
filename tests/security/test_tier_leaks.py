"""Nobody sees above the clearance, and the checks that say so can fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, and_
from tiered_worlds import (
    DIRECTOR,
    EMPLOYEE,
    MANAGER,
    TIERS,
    TieredWorld,
    edge_index,
    find_leaks,
    random_questions,
    random_texts,
    unwanted_shards,
)
from typing_extensions import override

from citewell.adapters.catalogs.sqlite import passages
from citewell.adapters.catalogs.sqlite.schema import chunks, documents
from citewell.adapters.indexes.edge.client import EdgeIndex
from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance
from citewell.ports.index import Candidate, Index
from citewell.testing.memory_index import MemoryIndex

QUESTIONS = [*random_questions(6, seed=1), "salary"]


def fill(world: TieredWorld) -> None:
    """Fill every tier, with an edited, a deleted and a half-written document in each."""
    for number, text in enumerate(random_texts(30, seed=2)):
        world.put(f"{number}.md", f"{text}|salary", TIERS[number % 3])
    for number in range(3):
        world.put(f"{number}.md", f"edited {number}|salary", TIERS[number])
    world.catalog.documents.delete([4, 5, 6])
    world.settle()
    for number in range(9, 12):
        world.stage(f"{number}.md", f"staged {number}|salary", TIERS[number % 3])
    world.writer.settle()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TieredWorld]:
    made = TieredWorld(tmp_path, MemoryIndex(dim=1024))
    fill(made)
    yield made
    made.close()


@pytest.mark.parametrize("clearance", [EMPLOYEE, MANAGER, DIRECTOR, Clearance(("manager",))])
def test_no_road_leads_above_the_clearance(world: TieredWorld, clearance: Clearance) -> None:
    assert find_leaks(world, clearance, QUESTIONS) == []


def test_every_reader_finds_what_it_may_see(world: TieredWorld) -> None:
    tiers_found = [
        sorted(
            {result["tier"] for result in world.search_trace("salary", clearance)["results"]},
            key=TIERS.index,
        )
        for clearance in (EMPLOYEE, MANAGER, DIRECTOR)
    ]
    assert tiers_found == [list(TIERS[:1]), list(TIERS[:2]), list(TIERS)]


def without_the_tier() -> ColumnElement[bool]:
    return and_(documents.c.is_live, chunks.c.generation == documents.c.generation)


def without_the_version() -> ColumnElement[bool]:
    return and_(documents.c.is_live, documents.c.tier.in_(passages.listed("tiers")))


@pytest.mark.parametrize("mutation", [without_the_tier, without_the_version])
def test_oracle_finds_the_leak_when_a_condition_of_visibility_is_removed(
    world: TieredWorld, monkeypatch: pytest.MonkeyPatch, mutation: object
) -> None:
    monkeypatch.setattr(passages, "visible", mutation)
    world.reopen_catalog()
    leaks = find_leaks(world, EMPLOYEE, QUESTIONS)
    assert {"visible_chunks", "find_chunk", "document_chunks", "sample_chunk_keys"} <= {*leaks}


class OpensEverything(Index):
    """An index that searches all tiers, whoever asks; for the rest it is the one given."""

    def __init__(self, index: Index) -> None:
        self._index = index

    @override
    def search_lexical(
        self,
        clearance: Clearance,
        query: SparseVector,
        *,
        limit: int,
        document_keys: Sequence[int] | None = None,
    ) -> list[Candidate]:
        return self._index.search_lexical(DIRECTOR, query, limit=limit, document_keys=document_keys)

    @override
    def search_dense(
        self,
        clearance: Clearance,
        vector: NDArray[np.float32],
        *,
        limit: int,
        document_keys: Sequence[int] | None = None,
        exact: bool = False,
    ) -> list[Candidate]:
        return self._index.search_dense(
            DIRECTOR, vector, limit=limit, document_keys=document_keys, exact=exact
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a filled world that has been closed."""
    folder = tmp_path_factory.mktemp("world")
    world = TieredWorld(folder, edge_index(folder))
    fill(world)
    world.close()
    return folder


@pytest.fixture
def reopened(folder: Path) -> Iterator[tuple[TieredWorld, EdgeIndex]]:
    """Open the world with an index process that has opened no shard yet: writes open them too."""
    index = edge_index(folder)
    world = TieredWorld(folder, index)
    yield world, index
    world.close()


@pytest.mark.parametrize("clearance", [EMPLOYEE, MANAGER, DIRECTOR])
def test_search_opens_the_shards_of_its_clearance_only(
    reopened: tuple[TieredWorld, EdgeIndex], clearance: Clearance
) -> None:
    world, index = reopened
    world.replies("salary", clearance)
    opened = index.opened_shards()
    assert unwanted_shards(opened, clearance) == []
    assert {tier for tier, _ in opened} == {*clearance.tiers}


def test_check_of_opened_shards_finds_a_search_that_opens_all_tiers(
    reopened: tuple[TieredWorld, EdgeIndex],
) -> None:
    world, index = reopened
    result = world.search_with(OpensEverything(index)).search_passages("salary", EMPLOYEE)
    assert unwanted_shards(index.opened_shards(), EMPLOYEE) == ["director", "manager"]
    assert {passage.chunk.tier for passage in result.passages} == {"employee"}


def test_check_of_opened_shards_finds_the_same_in_the_index_for_tests(world: TieredWorld) -> None:
    index = MemoryIndex(dim=1024)
    world.search_with(index).search_passages("salary", EMPLOYEE)
    assert unwanted_shards(index.opened_shards(), EMPLOYEE) == []
    world.search_with(OpensEverything(index)).search_passages("salary", EMPLOYEE)
    assert unwanted_shards(index.opened_shards(), EMPLOYEE) == ["director", "manager"]
