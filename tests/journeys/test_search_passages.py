"""A question finds its passages, with everything real but the index and the source."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from typing_extensions import override

from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder
from citewell.domain.errors import EmbedderError, RetrievalNotReadyError, UsageError
from citewell.domain.passage import Passage, SearchFilters, SearchResult
from citewell.domain.visible_text import clean_text
from citewell.retrieval.assess import CalibratedJudge, load_gate
from citewell.testing.memory_index import MemoryIndex
from conftest import ALL, EMPLOYEE, World

JUDGE = CalibratedJudge(load_gate(FakeLexicalEmbedder().model.key))


def search(world: World, question: str, **more: Any) -> SearchResult:
    return world.search(question, judge=JUDGE, **more)


def paths(result: SearchResult) -> list[str]:
    return [passage.chunk.relative_path for passage in result.passages]


def first(world: World, question: str, **more: Any) -> Passage:
    return search(world, question, **more).passages[0]


@pytest.fixture
def handbook(world: World) -> World:
    """Return a world with some notes, indexed."""
    put_notes(world)
    return world


def put_notes(world: World) -> None:
    notes = {
        "employee/tickets.md": "# Tickets\n\n## P1\n\nA P1 ticket is escalated within 15 minutes.",
        "employee/export.md": "# Export\n\nThe limit is 500 rows. Above it stands error E-4711.",
        "employee/数据.md": "# 数据\n\n客户数据不得发送到外部模型。",
        "manager/salaries.md": "# Salaries\n\nA salary is reviewed each March.",
        "director/merger.txt": "The merger with Globex is planned for March.",
    }
    for path, text in notes.items():
        world.connector.put(path, text)
    world.sync()
    world.fill()


def test_passage_tells_what_it_says_and_where_it_stands(handbook: World) -> None:
    passage = first(handbook, "How fast is a P1 ticket escalated?")
    text = "# Tickets\n\n## P1\n\nA P1 ticket is escalated within 15 minutes."
    assert (passage.rank, passage.content, passage.span) == (1, text, (0, len(text)))
    assert (passage.chunk.relative_path, passage.chunk.tier) == ("employee/tickets.md", "employee")
    assert passage.chunk.heading_path[0] == "Tickets"
    assert passage.score is not None
    assert 0 < passage.score <= 1


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("E-4711", "employee/export.md"),
        ("e-4711?", "employee/export.md"),
        ("客户数据可以发送到外部模型吗?", "employee/数据.md"),
        ("Globex merger", "director/merger.txt"),
    ],
)
def test_what_is_asked_for_comes_first(handbook: World, question: str, path: str) -> None:
    assert paths(search(handbook, question))[0] == path


def test_reader_finds_only_what_its_clearance_holds(handbook: World) -> None:
    assert "director/merger.txt" in paths(search(handbook, "March", clearance=ALL))
    found = search(handbook, "March", clearance=EMPLOYEE)
    assert {path.split("/")[0] for path in paths(found)} == {"employee"}


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (SearchFilters(path_prefix="manager/"), ["manager/salaries.md"]),
        (SearchFilters(types=("txt",)), ["director/merger.txt"]),
        (SearchFilters(source="world", path_prefix="director/"), ["director/merger.txt"]),
        (SearchFilters(source="another"), []),
    ],
)
def test_search_is_narrowed_by_filters(
    handbook: World, filters: SearchFilters, found: list[str]
) -> None:
    assert paths(search(handbook, "March", filters=filters)) == found


def test_no_more_passages_than_asked_for(handbook: World) -> None:
    assert [len(search(handbook, "March", top_k=k).passages) for k in (1, 2, 20)] == [1, 2, 5]


def test_same_question_gives_the_same_ranking(handbook: World) -> None:
    once, again = (search(handbook, "March review") for _ in range(2))
    assert once == again


def test_neighbours_of_one_section_become_one_passage(world: World) -> None:
    sentences = [f"Step {n} of the migration moves table number {n}." for n in range(120)]
    text = "# Migration\n\n" + "\n\n".join(sentences)
    world.connector.put("employee/long.md", text)
    world.sync()
    world.fill()
    passages = search(world, "migration step moves table").passages
    assert max(len(passage.chunks) for passage in passages) > 1
    assert [passage.content for passage in passages] == [
        text[slice(*passage.span)] for passage in passages
    ]


class TestFreshness:
    def test_deleted_document_is_not_found_although_the_index_still_has_it(
        self, handbook: World
    ) -> None:
        (known,) = [
            item
            for item in handbook.catalog.documents.known_items("s1")
            if item.relative_path == "employee/export.md"
        ]
        handbook.catalog.documents.delete([known.document_key])
        result = search(handbook, "E-4711", explain=True)
        assert "employee/export.md" not in paths(result)
        assert result.explain is not None
        assert result.explain["legs"]["stale_lexical_points"] == 1
        assert result.explain["legs"]["stale_dense_points"] == 1

    def test_many_stale_points_do_not_crowd_out_what_is_there(self, world: World) -> None:
        for number in range(150):
            world.connector.put(f"employee/{number}.md", "alpha alpha alpha")
        world.connector.put("employee/last.md", "alpha among many other words that are here")
        world.sync()
        world.fill()
        stale = [
            item.document_key
            for item in world.catalog.documents.known_items("s1")
            if item.relative_path != "employee/last.md"
        ]
        world.catalog.documents.delete(stale)
        assert paths(search(world, "alpha")) == ["employee/last.md"]

    def test_edit_is_found_by_its_new_words_only(self, handbook: World) -> None:
        handbook.connector.put("employee/export.md", "# Export\n\nThe limit is gone: see X-99.")
        handbook.sync()
        assert first(handbook, "X-99").content == "# Export\n\nThe limit is gone: see X-99."
        found = " ".join(passage.content for passage in search(handbook, "E-4711").passages)
        assert "E-4711" not in found

    def test_new_document_is_found_by_words_before_it_has_a_vector(self, handbook: World) -> None:
        handbook.connector.put("employee/new.md", "# Quasar\n\nThe quasar project starts in May.")
        handbook.sync()
        result = search(handbook, "quasar project")
        assert (paths(result)[0], result.passages[0].score) == ("employee/new.md", None)
        assert result.notice == (
            "some documents are searched by words alone: their vectors are being made"
        )
        handbook.fill()
        result = search(handbook, "quasar project")
        assert (result.passages[0].score is not None, result.notice) == (True, None)


class AwayEmbedder(FakeLexicalEmbedder):
    """An embedder that cannot be reached."""

    @override
    def embed_query(self, question: str) -> NDArray[np.float32]:
        raise EmbedderError("the service is away")


def test_embedder_that_is_away_leaves_the_words(handbook: World) -> None:
    handbook.embedder = AwayEmbedder()
    result = search(handbook, "E-4711")
    assert paths(result) == ["employee/export.md"]
    assert result.passages[0].score is None
    assert result.notice == "searched by words alone: the service is away"


class TestRefusals:
    @pytest.mark.parametrize("question", ["", " \n\t "])
    def test_empty_question(self, handbook: World, question: str) -> None:
        with pytest.raises(UsageError, match="the question is empty"):
            search(handbook, question)

    def test_question_that_is_too_long(self, handbook: World) -> None:
        assert search(handbook, "ticket " * 1_142).passages
        with pytest.raises(UsageError, match="8001 characters, more than 8000"):
            search(handbook, "x" * 8_001)

    @pytest.mark.parametrize("top_k", [0, 21, -1])
    def test_number_of_passages_out_of_range(self, handbook: World, top_k: int) -> None:
        with pytest.raises(UsageError, match=r"must be in \[1, 20\]"):
            search(handbook, "ticket", top_k=top_k)

    def test_nothing_indexed(self, world: World) -> None:
        with pytest.raises(RetrievalNotReadyError, match="rag ingest PATH"):
            search(world, "ticket")

    def test_nothing_indexed_for_this_reader(self, world: World) -> None:
        world.connector.put("director/a.md", "alpha")
        world.sync()
        assert paths(search(world, "alpha", clearance=ALL)) == ["director/a.md"]
        with pytest.raises(RetrievalNotReadyError, match="Nothing is indexed yet"):
            search(world, "alpha", clearance=EMPLOYEE)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder: Path = tmp_path_factory.mktemp("shared")
    made = World(folder, MemoryIndex(dim=1024))
    put_notes(made)
    yield made
    made.close()


@settings(max_examples=60)
@given(question=st.text(min_size=1, max_size=200).filter(lambda text: clean_text(text)[0].strip()))
def test_no_question_that_shows_something_is_an_error(shared: World, question: str) -> None:
    result = search(shared, question, explain=True)
    assert 0 <= result.confidence <= 1
    assert [passage.rank for passage in result.passages] == [*range(1, len(result.passages) + 1)]
