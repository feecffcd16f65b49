"""What every index promises, as tests: subclass `IndexContract` with a fixture `index`.

The fixture gives an empty index whose dense leg has `DIM` dimensions.
"""

# ruff: noqa: D102, S101 - these are tests: their names state the facts, asserts are their means

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance
from citewell.domain.errors import (
    EmbeddingMismatchError,
    IndexUnavailableError,
    InvalidDocumentError,
    UsageError,
)
from citewell.ports.index import Candidate, Index, LexicalPoint

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIM = 8
STAFF = Clearance(("staff",))
BOARD = Clearance(("board",))
BOTH = Clearance(("staff", "board"))
THREE = ("staff", "board", "owner")
ODD_TIERS = ("Staff", "staff", "..", "a/b", "a%2Fb", "ceo d'équipe №1", "meta.json", "管理层")


def terms(**weights: float) -> SparseVector:
    """Return a vector of terms named `t1`, `t2`, …: `terms(t1=0.5)`."""
    pairs = sorted((int(name[1:]), weight) for name, weight in weights.items())
    return SparseVector(tuple(i for i, _ in pairs), tuple(weight for _, weight in pairs))


def direction(*coordinates: float) -> NDArray[np.float32]:
    """Return `float32[DIM]` of unit length that starts with these coordinates."""
    vector = np.zeros(DIM, np.float32)
    vector[: len(coordinates)] = coordinates
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def keys(candidates: Sequence[Candidate]) -> list[int]:
    """Return the keys of a ranking, best first."""
    return [candidate.chunk_key for candidate in candidates]


def write_dense(index: Index, tier: str, rows: dict[int, NDArray[np.float32]]) -> None:
    """Write vectors by chunk key; the document's key is a tenth of the chunk's."""
    index.upsert_dense(
        tier,
        chunk_keys=list(rows),
        document_keys=[key // 10 for key in rows],
        vectors=np.array(list(rows.values()), np.float32).reshape(-1, DIM),
    )


def made_points(n: int) -> list[LexicalPoint]:
    """Return `n` points over few terms and copies of a quarter of them."""
    generator = np.random.default_rng(7)
    points: list[LexicalPoint] = []
    for key in range(n):
        indices = np.unique(generator.integers(0, 40, size=5)) * 99_991
        values = generator.uniform(0.2, 2.2, size=len(indices)).round(1)
        vector = SparseVector(tuple(indices.tolist()), tuple(values.tolist()))
        points.append(LexicalPoint(key, key // 10, vector))
    return points + [LexicalPoint(n + p.chunk_key, 0, p.terms) for p in points[: n // 4]]


def made_vectors(n: int) -> dict[int, NDArray[np.float32]]:
    """Return `n` vectors by key and copies of a quarter of them."""
    generator = np.random.default_rng(11)
    rows = generator.standard_normal((n, DIM)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    repeated = {n + key: rows[key] for key in range(n // 4)}
    return {key: rows[key] for key in range(n)} | repeated


MADE_QUERY = SparseVector(
    tuple(range(0, 20 * 99_991, 99_991)), tuple(0.3 + 0.7 * i for i in range(20))
)
MADE_DIRECTION = direction(0.3, -0.2, 0.5, 0.1, -0.7, 0.2, 0.4, -0.1)


class LexicalContract:
    """The promises of the lexical leg."""

    def test_score_is_the_dot_product(self, index: Index) -> None:
        index.upsert_lexical("staff", [LexicalPoint(1, 1, terms(t1=0.5, t2=1.5, t9=2.0))])
        (found,) = index.search_lexical(STAFF, terms(t1=2.0, t2=3.0, t8=9.0), limit=5)
        assert found.chunk_key == 1
        assert found.score == pytest.approx(5.5, rel=0.01)

    def test_best_comes_first_and_a_chunk_without_shared_terms_never(self, index: Index) -> None:
        points = [
            LexicalPoint(1, 1, terms(t1=1.0)),
            LexicalPoint(2, 1, terms(t1=1.0, t2=1.0)),
            LexicalPoint(3, 1, terms(t3=2.0)),
        ]
        index.upsert_lexical("staff", points)
        assert keys(index.search_lexical(STAFF, terms(t1=1.0, t2=1.0), limit=9)) == [2, 1]
        assert index.search_lexical(STAFF, terms(t4=1.0), limit=9) == []

    def test_reader_of_another_tier_finds_nothing(self, index: Index) -> None:
        index.upsert_lexical("board", [LexicalPoint(1, 1, terms(t1=1.0))])
        assert keys(index.search_lexical(BOARD, terms(t1=1.0), limit=5)) == [1]
        assert keys(index.search_lexical(BOTH, terms(t1=1.0), limit=5)) == [1]
        assert index.search_lexical(STAFF, terms(t1=1.0), limit=5) == []

    def test_equal_scores_are_ordered_by_key_also_at_the_limit(self, index: Index) -> None:
        points = [LexicalPoint(key, 1, terms(t1=1.0)) for key in range(200)]
        index.upsert_lexical("staff", points[::-1])
        index.upsert_lexical("staff", [LexicalPoint(500, 1, terms(t1=1.5))])
        index.upsert_lexical("board", [LexicalPoint(40_000, 1, terms(t1=1.0))])
        found = index.search_lexical(BOTH, terms(t1=1.0), limit=5)
        assert keys(found) == [500, 0, 1, 2, 3]
        assert keys(index.search_lexical(BOTH, terms(t1=1.0), limit=202))[-2:] == [199, 40_000]

    def test_three_tiers_rank_like_one(self, index: Index) -> None:
        points = made_points(400)
        index.upsert_lexical("all", points)
        for i, tier in enumerate(THREE):
            index.upsert_lexical(tier, points[i::3])
        together = index.search_lexical(Clearance(("all",)), MADE_QUERY, limit=300)
        assert index.search_lexical(Clearance(THREE), MADE_QUERY, limit=300) == together

    def test_deleting_other_points_leaves_scores_identical(self, index: Index) -> None:
        points = made_points(400)
        index.upsert_lexical("staff", points)
        before = index.search_lexical(STAFF, MADE_QUERY, limit=500)
        deleted = [point.chunk_key for point in points if point.chunk_key % 4 != 1][:300]
        index.delete("staff", deleted)
        kept = [candidate for candidate in before if candidate.chunk_key not in deleted]
        assert len(deleted) == 300
        assert index.search_lexical(STAFF, MADE_QUERY, limit=500) == kept
        index.flush()
        index.optimize()
        assert index.search_lexical(STAFF, MADE_QUERY, limit=500) == kept

    def test_writing_a_point_again_replaces_it(self, index: Index) -> None:
        index.upsert_lexical("staff", [LexicalPoint(1, 1, terms(t1=1.0, t2=1.0))])
        index.upsert_lexical("staff", [LexicalPoint(1, 7, terms(t2=1.0, t3=1.0))])
        assert index.search_lexical(STAFF, terms(t1=1.0), limit=5) == []
        assert keys(index.search_lexical(STAFF, terms(t3=1.0), limit=5)) == [1]
        old, new = ([1], [7])
        assert index.search_lexical(STAFF, terms(t2=1.0), limit=5, document_keys=old) == []
        assert keys(index.search_lexical(STAFF, terms(t2=1.0), limit=5, document_keys=new)) == [1]

    def test_a_chunk_without_terms_is_listed_and_never_found(self, index: Index) -> None:
        index.upsert_lexical("staff", [LexicalPoint(1, 1, terms(t1=1.0))])
        index.upsert_lexical("staff", [LexicalPoint(1, 1, terms()), LexicalPoint(2, 1, terms())])
        assert index.chunk_keys("staff", "lexical") == [1, 2]
        assert index.search_lexical(STAFF, terms(t1=1.0), limit=5) == []

    def test_a_query_without_terms_finds_nothing(self, index: Index) -> None:
        index.upsert_lexical("staff", [LexicalPoint(1, 1, terms(t1=1.0))])
        assert index.search_lexical(STAFF, terms(), limit=5) == []

    def test_largest_terms_and_keys_are_kept(self, index: Index) -> None:
        largest = SparseVector((0, 2**32 - 1), (1.0, 1.0))
        index.upsert_lexical("staff", [LexicalPoint(2**63 - 1, 2**63 - 1, largest)])
        found = index.search_lexical(STAFF, largest, limit=5, document_keys=[2**63 - 1])
        assert found == [Candidate(2**63 - 1, 2.0)]

    @pytest.mark.parametrize(
        "broken",
        [
            SparseVector((1,), (math.nan,)),
            SparseVector((1,), (math.inf,)),
            SparseVector((1,), (0.0,)),
            SparseVector((1,), (-1.0,)),
            SparseVector((2, 1), (1.0, 1.0)),
            SparseVector((1, 1), (1.0, 1.0)),
            SparseVector((1, 2), (1.0,)),
            SparseVector((2**32,), (1.0,)),
            SparseVector((-1,), (1.0,)),
        ],
    )
    def test_broken_weights_are_refused_and_nothing_is_written(
        self, index: Index, broken: SparseVector
    ) -> None:
        good = LexicalPoint(1, 1, terms(t1=1.0))
        with pytest.raises(InvalidDocumentError):
            index.upsert_lexical("staff", [good, LexicalPoint(2, 1, broken)])
        with pytest.raises(UsageError):
            index.search_lexical(STAFF, broken, limit=5)
        assert index.chunk_keys("staff", "lexical") == []


class DenseContract:
    """The promises of the dense leg."""

    def test_score_is_the_cosine(self, index: Index) -> None:
        write_dense(index, "staff", {1: direction(1.0), 2: direction(1.0, 1.0), 3: direction(-1.0)})
        found = index.search_dense(STAFF, direction(1.0), limit=5)
        assert keys(found) == [1, 2, 3]
        assert [c.score for c in found] == pytest.approx([1.0, math.sqrt(0.5), -1.0], abs=1e-5)

    def test_reader_of_another_tier_finds_nothing(self, index: Index) -> None:
        write_dense(index, "board", {1: direction(1.0)})
        assert keys(index.search_dense(BOARD, direction(1.0), limit=5)) == [1]
        assert keys(index.search_dense(BOTH, direction(1.0), limit=5)) == [1]
        assert index.search_dense(STAFF, direction(1.0), limit=5) == []

    def test_exact_search_gives_the_true_order(self, index: Index) -> None:
        rows = made_vectors(400)
        write_dense(index, "staff", rows)
        scores = {key: float(row @ MADE_DIRECTION) for key, row in rows.items()}
        expected = sorted(scores, key=lambda key: (-round(scores[key], 6), key))
        assert (
            keys(index.search_dense(STAFF, MADE_DIRECTION, limit=50, exact=True)) == expected[:50]
        )

    def test_three_tiers_rank_like_one(self, index: Index) -> None:
        rows = made_vectors(400)
        write_dense(index, "all", rows)
        for i, tier in enumerate(THREE):
            write_dense(index, tier, {key: row for key, row in rows.items() if key % 3 == i})
        one, three = Clearance(("all",)), Clearance(THREE)
        together = index.search_dense(one, MADE_DIRECTION, limit=300, exact=True)
        assert index.search_dense(three, MADE_DIRECTION, limit=300, exact=True) == together

    def test_deleting_other_points_leaves_scores_identical(self, index: Index) -> None:
        rows = made_vectors(400)
        write_dense(index, "staff", rows)
        before = index.search_dense(STAFF, MADE_DIRECTION, limit=500, exact=True)
        deleted = [key for key in rows if key % 4 != 1][:300]
        index.delete("staff", deleted)
        kept = [candidate for candidate in before if candidate.chunk_key not in deleted]
        assert len(deleted) == 300
        assert index.search_dense(STAFF, MADE_DIRECTION, limit=500, exact=True) == kept

    def test_equal_scores_are_ordered_by_key_also_at_the_limit(self, index: Index) -> None:
        write_dense(index, "staff", {key: direction(1.0) for key in range(200)})
        write_dense(index, "board", {40_000: direction(1.0), 40_001: direction(2.0, 0.1)})
        assert keys(index.search_dense(BOTH, direction(1.0), limit=3)) == [0, 1, 2]

    def test_writing_a_point_again_replaces_it(self, index: Index) -> None:
        write_dense(index, "staff", {1: direction(1.0)})
        write_dense(index, "staff", {1: direction(0.0, 1.0)})
        (found,) = index.search_dense(STAFF, direction(0.0, 1.0), limit=5)
        assert found.score == pytest.approx(1.0)

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 0.0])
    def test_vectors_that_could_never_be_found_are_refused(
        self, index: Index, value: float
    ) -> None:
        broken = np.full(DIM, value, np.float32)
        with pytest.raises(InvalidDocumentError):
            write_dense(index, "staff", {1: direction(1.0), 2: broken})
        with pytest.raises(UsageError):
            index.search_dense(STAFF, broken, limit=5)
        assert index.chunk_keys("staff", "dense") == []

    def test_another_dimension_is_refused(self, index: Index) -> None:
        longer = np.ones((1, DIM + 1), np.float32)
        with pytest.raises(EmbeddingMismatchError):
            index.upsert_dense("staff", chunk_keys=[1], document_keys=[1], vectors=longer)
        with pytest.raises(EmbeddingMismatchError):
            index.search_dense(STAFF, longer[0], limit=5)


class IndexContract(LexicalContract, DenseContract):
    """The promises of the port `Index`; each test takes the fixture `index`."""

    def test_document_filter_keeps_only_chunks_of_these_documents(self, index: Index) -> None:
        index.upsert_lexical("staff", [LexicalPoint(k, k // 10, terms(t1=1.0)) for k in range(50)])
        write_dense(index, "staff", {key: direction(1.0) for key in range(50)})
        for search in _searches(index):
            assert keys(search(limit=50, document_keys=[2, 2, 4, 99])) == [
                *range(20, 30),
                *range(40, 50),
            ]
            assert search(limit=50, document_keys=[99]) == []

    def test_empty_document_filter_gives_nothing(self, index: Index) -> None:
        index.upsert_lexical("staff", [LexicalPoint(1, 0, terms(t1=1.0))])
        write_dense(index, "staff", {1: direction(1.0)})
        for search in _searches(index):
            assert keys(search(limit=5, document_keys=None)) == [1]
            assert search(limit=5, document_keys=[]) == []

    def test_never_more_than_the_limit(self, index: Index) -> None:
        index.upsert_lexical("staff", [LexicalPoint(k, 0, terms(t1=1.0)) for k in range(250)])
        write_dense(index, "staff", {key: direction(1.0) for key in range(250)})
        for search in _searches(index):
            assert keys(search(limit=1)) == [0]
            assert keys(search(limit=10_000)) == list(range(250))

    @pytest.mark.parametrize("limit", [0, -1, 10_001, 10**7])
    def test_limits_out_of_range_are_refused(self, index: Index, limit: int) -> None:
        for search in _searches(index):
            with pytest.raises(UsageError):
                search(limit=limit)

    def test_deleted_points_are_gone_from_both_legs(self, index: Index) -> None:
        index.upsert_lexical("staff", [LexicalPoint(k, 0, terms(t1=1.0)) for k in (1, 2)])
        write_dense(index, "staff", {1: direction(1.0), 2: direction(1.0)})
        index.delete("staff", [1, 12345])
        index.delete("board", [2])
        assert [keys(search(limit=5)) for search in _searches(index)] == [[2], [2]]
        assert index.chunk_keys("staff", "lexical") == [2]
        assert index.chunk_keys("staff", "dense") == [2]

    def test_vacuum_keeps_all_other_points(self, index: Index) -> None:
        index.upsert_lexical("staff", [LexicalPoint(k, 0, terms(t1=1.0)) for k in (1, 2)])
        write_dense(index, "staff", {1: direction(1.0), 2: direction(1.0)})
        index.delete("staff", [1])
        index.vacuum("staff")
        index.vacuum("board")
        assert [keys(search(limit=5)) for search in _searches(index)] == [[2], [2]]

    def test_a_key_in_two_tiers_is_returned_once(self, index: Index) -> None:
        for tier in BOTH.tiers:
            index.upsert_lexical(tier, [LexicalPoint(1, 0, terms(t1=1.0))])
            write_dense(index, tier, {1: direction(1.0)})
        assert keys(index.search_lexical(BOTH, terms(t1=1.0), limit=5)) == [1]
        assert keys(index.search_dense(BOTH, direction(1.0), limit=5)) == [1]

    def test_keys_are_listed_ascending_per_tier_and_leg(self, index: Index) -> None:
        index.upsert_lexical("staff", [LexicalPoint(k, 0, terms(t1=1.0)) for k in (30, 4, 2000)])
        write_dense(index, "staff", {9: direction(1.0), 3: direction(1.0)})
        assert index.chunk_keys("staff", "lexical") == [4, 30, 2000]
        assert index.chunk_keys("staff", "dense") == [3, 9]
        assert index.chunk_keys("board", "lexical") == []

    def test_tiers_with_odd_names_are_apart(self, index: Index) -> None:
        for key, tier in enumerate(ODD_TIERS):
            index.upsert_lexical(tier, [LexicalPoint(key, 0, terms(t1=1.0))])
        found = [
            keys(index.search_lexical(Clearance((tier,)), terms(t1=1.0), limit=20))
            for tier in ODD_TIERS
        ]
        assert found == [[key] for key in range(len(ODD_TIERS))]

    def test_writing_nothing_changes_nothing(self, index: Index) -> None:
        index.upsert_lexical("staff", [])
        write_dense(index, "staff", {})
        index.delete("staff", [])
        assert index.chunk_keys("staff", "dense") == []

    def test_threads_write_and_search_at_once(self, index: Index) -> None:
        def work(worker: int) -> list[int]:
            mine = [LexicalPoint(worker * 100 + i, worker, terms(t1=1.0)) for i in range(30)]
            index.upsert_lexical("staff", mine)
            own = [worker]
            return keys(index.search_lexical(STAFF, terms(t1=1.0), limit=50, document_keys=own))

        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(work, range(8)))
        assert found == [[worker * 100 + i for i in range(30)] for worker in range(8)]

    def test_after_close_everything_is_refused(self, index: Index) -> None:
        index.upsert_lexical("staff", [LexicalPoint(1, 0, terms(t1=1.0))])
        index.close()
        index.close()
        calls: list[Callable[[], object]] = [
            lambda: index.upsert_lexical("staff", [LexicalPoint(1, 0, terms(t1=1.0))]),
            lambda: write_dense(index, "staff", {1: direction(1.0)}),
            lambda: index.delete("staff", [1]),
            lambda: index.search_lexical(STAFF, terms(t1=1.0), limit=5),
            lambda: index.search_dense(STAFF, direction(1.0), limit=5),
            lambda: index.chunk_keys("staff", "lexical"),
            index.flush,
            index.optimize,
        ]
        for call in calls:
            with pytest.raises(IndexUnavailableError):
                call()


def _searches(index: Index) -> list[Callable[..., list[Candidate]]]:
    """Return one search per leg over tier `staff`, to be called with limit and filter."""

    def lexical(*, limit: int, document_keys: Sequence[int] | None = None) -> list[Candidate]:
        query = terms(t1=1.0)
        return index.search_lexical(STAFF, query, limit=limit, document_keys=document_keys)

    def dense(*, limit: int, document_keys: Sequence[int] | None = None) -> list[Candidate]:
        query = direction(1.0)
        return index.search_dense(STAFF, query, limit=limit, document_keys=document_keys)

    return [lexical, dense]
