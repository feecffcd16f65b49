"""Candidates that a request may read: asked for until there are enough."""

from typing import Any

import numpy as np
import pytest
from typing_extensions import override
from visible_reader import STAFF, NamedReader, visible_chunk

from citewell.domain.chunk import SparseVector
from citewell.ports.index import Candidate, LexicalPoint
from citewell.retrieval.search_legs import SearchLegs, VisibleRanking
from citewell.testing.memory_index import MemoryIndex

QUERY = SparseVector((7,), (1.0,))
EAST = np.array([1, 0], dtype=np.float32)


class CountingIndex(MemoryIndex):
    """An index that remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__(dim=2)
        self.limits: list[int] = []
        self.exact: list[bool] = []

    @override
    def search_lexical(self, *asked: Any, limit: int, **more: Any) -> list[Candidate]:
        self.limits.append(limit)
        return super().search_lexical(*asked, limit=limit, **more)

    @override
    def search_dense(self, *asked: Any, limit: int, exact: bool, **more: Any) -> list[Candidate]:
        self.limits.append(limit)
        self.exact.append(exact)
        return super().search_dense(*asked, limit=limit, **more)


@pytest.fixture
def index() -> CountingIndex:
    """Return an index of 40 points, the first ones best."""
    made = CountingIndex()
    keys = range(1, 41)
    points = [LexicalPoint(key, key, SparseVector((7,), (1 / key,))) for key in keys]
    made.upsert_lexical("staff", points)
    angles = np.linspace(0, np.pi / 2, 40)
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    made.upsert_dense("staff", chunk_keys=keys, document_keys=keys, vectors=vectors)
    return made


def search_both(legs: SearchLegs, wanted: int) -> tuple[VisibleRanking, VisibleRanking]:
    return (
        legs.search_lexical(STAFF, QUERY, wanted=wanted, document_keys=None),
        legs.search_dense(STAFF, EAST, wanted=wanted, document_keys=None),
    )


def keys_of(ranking: VisibleRanking) -> list[int]:
    return [candidate.chunk_key for candidate in ranking.candidates]


def test_best_candidates_come_with_their_text(index: CountingIndex) -> None:
    reader = NamedReader(*(visible_chunk(key) for key in range(1, 41)))
    for ranking in search_both(SearchLegs(reader, index), wanted=3):
        assert keys_of(ranking) == [1, 2, 3]
        assert ranking.chunks == {key: reader.chunks[key] for key in (1, 2, 3)}
        assert ranking.n_hidden == 0
    assert index.limits == [3, 3]


def test_more_are_asked_for_while_too_few_are_visible(index: CountingIndex) -> None:
    reader = NamedReader(*(visible_chunk(key) for key in range(11, 41)))
    for ranking in search_both(SearchLegs(reader, index), wanted=3):
        assert keys_of(ranking) == [11, 12, 13]
        assert sorted(ranking.chunks) == [11, 12, 13]
        assert ranking.n_hidden == 10
    assert index.limits == [3, 6, 12, 24, 3, 6, 12, 24]


def test_asking_ends_when_the_index_has_no_more(index: CountingIndex) -> None:
    reader = NamedReader(visible_chunk(40), visible_chunk(39, tier="boss"))
    for ranking in search_both(SearchLegs(reader, index), wanted=5):
        assert (keys_of(ranking), ranking.n_hidden) == ([40], 39)
    assert index.limits == [5, 10, 20, 40, 80] * 2


def test_asking_ends_at_the_most_that_an_index_gives() -> None:
    index = CountingIndex()
    points = [LexicalPoint(key, key, QUERY) for key in range(1, 10_050)]
    index.upsert_lexical("staff", points)
    legs = SearchLegs(NamedReader(visible_chunk(10_040)), index)
    ranking = legs.search_lexical(STAFF, QUERY, wanted=5_000, document_keys=None)
    assert (keys_of(ranking), ranking.n_hidden) == ([], 10_000)
    assert index.limits == [5_000, 10_000]


def test_search_is_narrowed_to_documents(index: CountingIndex) -> None:
    legs = SearchLegs(NamedReader(*(visible_chunk(key) for key in range(1, 41))), index)
    lexical = legs.search_lexical(STAFF, QUERY, wanted=3, document_keys=[5, 30])
    dense = legs.search_dense(STAFF, EAST, wanted=3, document_keys=[])
    assert lexical.candidates == (Candidate(5, 1 / 5), Candidate(30, 1 / 30))
    assert dense == VisibleRanking.nothing()


def test_question_with_nothing_to_search_does_not_reach_the_index(index: CountingIndex) -> None:
    legs = SearchLegs(NamedReader(), index)
    nothing = VisibleRanking.nothing()
    empty, zero = SparseVector((), ()), np.zeros(2, dtype=np.float32)
    assert legs.search_lexical(STAFF, empty, wanted=3, document_keys=None) == nothing
    assert legs.search_dense(STAFF, None, wanted=3, document_keys=None) == nothing
    assert legs.search_dense(STAFF, zero, wanted=3, document_keys=None) == nothing
    assert index.limits == []


@pytest.mark.parametrize("exact", [True, False])
def test_exact_search_is_handed_on(index: CountingIndex, exact: bool) -> None:
    legs = SearchLegs(NamedReader(), index, exact=exact)
    legs.search_dense(STAFF, EAST, wanted=30, document_keys=None)
    assert set(index.exact) == {exact}
