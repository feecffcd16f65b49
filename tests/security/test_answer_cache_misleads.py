"""No remembered answer is given to a question that asks for something else.

The worst case: every search finds the same, and every question has the same vector.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from near_misses import KINDS, LANGUAGES, NearMiss, near_misses, politely
from tiered_worlds import EMPLOYEE, TieredWorld

from citewell.answering.remembering.answer_cache import AnswerMemory, CacheKey
from citewell.domain.passage import SearchResult
from citewell.testing.memory_answer_cache import MemoryAnswerCache
from citewell.testing.memory_index import MemoryIndex
from citewell.testing.scripted_embedder import ScriptedEmbedder
from model_answers import answer_quoting

PAIRS = near_misses()
QUESTIONS = {question for pair in PAIRS for question in (pair.question, pair.other)}
POLITE = {politely(pair.language, pair.question) for pair in PAIRS}

Asks = Callable[[str, str], bool]
"""Remembers an answer to the first question; tells whether the second one gets it."""


def key(question: str) -> CacheKey:
    return CacheKey(question, EMPLOYEE, top_k=5, model="small", version="1")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[TieredWorld, SearchResult]:
    world = TieredWorld(tmp_path_factory.mktemp("world"), MemoryIndex(dim=1024))
    world.put("a.md", "Atlas exports at most 500 rows", "employee")
    world.settle()
    return world, world.search_with(world.index).search_passages("Atlas exports", EMPLOYEE)


@pytest.fixture(params=[None, 0.95, 0.0], ids=["equal", "similar", "however similar"])
def asks(found: tuple[TieredWorld, SearchResult], request: pytest.FixtureRequest) -> Asks:
    world, result = found
    embedder = ScriptedEmbedder({text: [1, 0] for text in QUESTIONS | POLITE}, dim=2)
    answer = answer_quoting(result.passages[0].chunk)

    def gets_the_answer(question: str, other: str) -> bool:
        memory = AnswerMemory(MemoryAnswerCache(), world.catalog.passages, embedder, request.param)
        assert memory.keep(key(question), {question: result}, answer, written_by="small")
        assert memory.find(key(question), lambda _: result) is not None
        return memory.find(key(other), lambda _: result) is not None

    return gets_the_answer


def test_there_are_500_pairs_of_every_kind_and_language() -> None:
    counts = Counter((pair.language, pair.kind) for pair in PAIRS)
    assert counts == {(language, kind): 25 for language in LANGUAGES for kind in KINDS}
    assert len({frozenset((pair.question, pair.other)) for pair in PAIRS}) == 500


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_near_miss_gets_the_answer(asks: Asks, language: str) -> None:
    misled = [
        pair
        for pair in PAIRS
        if pair.language == language
        and (asks(pair.question, pair.other) or asks(pair.other, pair.question))
    ]
    assert misled == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_near_miss_gets_it_for_being_polite(asks: Asks, language: str) -> None:
    pairs = [pair for pair in PAIRS if pair.language == language]
    assert [p for p in pairs if asks(p.other, politely(language, p.question))] == []


def test_polite_question_gets_the_answer_with_the_setting_only(
    asks: Asks, request: pytest.FixtureRequest
) -> None:
    """Shows that the pairs above are told apart by what they ask."""
    hits = [asks(pair.question, politely(pair.language, pair.question)) for pair in _one_each()]
    is_off = "equal" in request.node.callspec.id
    assert hits == [not is_off] * len(hits)


def _one_each() -> Sequence[NearMiss]:
    return list({(pair.language, pair.kind): pair for pair in PAIRS}.values())
