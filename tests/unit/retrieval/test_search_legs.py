"""Candidates that a request may read: asked for until there are enough."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typing_extensions import override
from visible_reader import STAFF, NamedReader, visible_chunk

from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance
from citewell.domain.passage import VisibleChunk
from citewell.ports.index import Candidate, LexicalPoint
from citewell.retrieval.search_legs import BothLegs, SearchLegs, VisibleRanking
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


def search_both(legs: SearchLegs, wanted: int, keys: Sequence[int] | None = None) -> BothLegs:
    return legs.search(STAFF, QUERY, lambda: EAST, wanted=wanted, document_keys=keys)


def keys_of(ranking: VisibleRanking) -> list[int]:
    return [candidate.chunk_key for candidate in ranking.candidates]


def test_best_candidates_come_with_their_text(index: CountingIndex) -> None:
    reader = NamedReader(*(visible_chunk(key) for key in range(1, 41)))
    found = search_both(SearchLegs(reader, index), wanted=3)
    for ranking in (found.lexical, found.dense):
        assert (keys_of(ranking), ranking.n_hidden) == ([1, 2, 3], 0)
    assert found.chunks == {key: reader.chunks[key] for key in (1, 2, 3)}
    assert index.limits == [3, 3]


def test_more_are_asked_for_while_too_few_are_visible(index: CountingIndex) -> None:
    reader = NamedReader(*(visible_chunk(key) for key in range(11, 41)))
    found = search_both(SearchLegs(reader, index), wanted=3)
    for ranking in (found.lexical, found.dense):
        assert (keys_of(ranking), ranking.n_hidden) == ([11, 12, 13], 10)
    assert sorted(found.chunks) == [11, 12, 13]
    assert index.limits == [3, 3, 3, 3, 6, 6, 12, 12, 24, 24]


def test_leg_that_has_enough_is_not_asked_again(index: CountingIndex) -> None:
    index.delete("staff", [1, 2, 3])
    index.upsert_lexical("staff", [LexicalPoint(k, k, SparseVector((7,), (1 / k,))) for k in (1,)])
    reader = NamedReader(*(visible_chunk(key) for key in range(4, 41)))
    found = search_both(SearchLegs(reader, index), wanted=3)
    assert (found.lexical.n_hidden, found.dense.n_hidden) == (1, 0)
    assert index.limits == [3, 3, 3, 6]


def test_both_legs_are_read_at_one_moment(index: CountingIndex) -> None:
    class ChangingReader(NamedReader):
        """Forgets a chunk after the first reading."""

        n_readings = 0

        @override
        def visible_chunks(
            self, clearance: Clearance, chunk_keys: Sequence[int]
        ) -> Mapping[int, VisibleChunk]:
            visible = super().visible_chunks(clearance, chunk_keys)
            self.chunks.pop(12, None)
            self.n_readings += 1
            return visible

    reader = ChangingReader(*(visible_chunk(key) for key in (11, 12, 13, 14)))
    found = search_both(SearchLegs(reader, index), wanted=3)
    assert reader.n_readings == 4
    assert keys_of(found.lexical) == keys_of(found.dense) == [11, 13, 14]
    assert sorted(found.chunks) == [11, 13, 14]


def test_version_that_came_after_the_index_answered_is_found(index: CountingIndex) -> None:
    """The document of chunk 1 gets a new version, chunk 41, between index and catalog."""

    class SwitchingReader(NamedReader):
        @override
        def visible_chunks(
            self, clearance: Clearance, chunk_keys: Sequence[int]
        ) -> Mapping[int, VisibleChunk]:
            if self.chunks.pop(1, None):
                self.chunks[41] = visible_chunk(41)
                index.upsert_lexical("staff", [LexicalPoint(41, 1, SparseVector((7,), (1.0,)))])
                index.delete("staff", [1])
            return super().visible_chunks(clearance, chunk_keys)

    reader = SwitchingReader(*(visible_chunk(key) for key in range(1, 4)))
    found = search_both(SearchLegs(reader, index), wanted=2)
    assert (keys_of(found.lexical), keys_of(found.dense)) == ([41, 2], [2, 3])


def test_asking_ends_when_the_index_has_no_more(index: CountingIndex) -> None:
    reader = NamedReader(visible_chunk(40), visible_chunk(39, tier="boss"))
    found = search_both(SearchLegs(reader, index), wanted=5)
    for ranking in (found.lexical, found.dense):
        assert (keys_of(ranking), ranking.n_hidden) == ([40], 39)
    assert index.limits == [5, 5, 5, 5, 10, 10, 20, 20, 40, 40, 80, 80]


def test_asking_ends_at_the_most_that_an_index_gives() -> None:
    index = CountingIndex()
    points = [LexicalPoint(key, key, QUERY) for key in range(1, 10_050)]
    index.upsert_lexical("staff", points)
    legs = SearchLegs(NamedReader(visible_chunk(10_040)), index)
    found = legs.search(STAFF, QUERY, lambda: None, wanted=5_000, document_keys=None)
    assert (keys_of(found.lexical), found.lexical.n_hidden) == ([], 10_000)
    assert index.limits == [5_000, 5_000, 10_000]


def test_search_is_narrowed_to_documents(index: CountingIndex) -> None:
    legs = SearchLegs(NamedReader(*(visible_chunk(key) for key in range(1, 41))), index)
    found = search_both(legs, 3, keys=[5, 30])
    assert found.lexical.candidates == (Candidate(5, 1 / 5), Candidate(30, 1 / 30))
    assert keys_of(found.dense) == [5, 30]
    assert search_both(legs, 3, keys=[]) == BothLegs(VisibleRanking(), VisibleRanking(), {})


@pytest.mark.parametrize("vector", [None, np.zeros(2, dtype=np.float32)])
def test_question_with_nothing_to_search_does_not_reach_the_index(
    index: CountingIndex, vector: NDArray[np.float32] | None
) -> None:
    legs = SearchLegs(NamedReader(), index)
    empty = SparseVector((), ())
    found = legs.search(STAFF, empty, lambda: vector, wanted=3, document_keys=None)
    assert found == BothLegs(VisibleRanking(), VisibleRanking(), {})
    assert index.limits == []


def test_vector_is_waited_for_after_the_lexical_leg_was_asked(index: CountingIndex) -> None:
    asked: list[int] = []

    def late_vector() -> NDArray[np.float32]:
        asked.extend(index.limits)
        return EAST

    legs = SearchLegs(NamedReader(visible_chunk(1)), index)
    legs.search(STAFF, QUERY, late_vector, wanted=40, document_keys=None)
    assert asked == [40]


@pytest.mark.parametrize("exact", [True, False])
def test_exact_search_is_handed_on(index: CountingIndex, exact: bool) -> None:
    search_both(SearchLegs(NamedReader(), index, exact=exact), wanted=30)
    assert set(index.exact) == {exact}
