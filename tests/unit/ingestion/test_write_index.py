"""Bringing the index up to what the catalog says, whatever happens to its process."""

from collections.abc import Sequence

import numpy as np
import pytest
from pending_chunks import MemoryPending, MemoryVectors, chunk
from typing_extensions import override

from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance
from citewell.domain.errors import IndexRestartedError, IndexUnavailableError
from citewell.ingestion.write_index import IndexWriter
from citewell.lexical.weigh import weigh_chunk
from citewell.ports.embedder import EmbeddingModel
from citewell.ports.index import LexicalPoint
from citewell.testing.memory_index import MemoryIndex

STAFF = Clearance(("staff",))
MODEL = EmbeddingModel("made", "made", dim=2, max_tokens=99)


class ForgetfulIndex(MemoryIndex):
    """An index whose process can die: what was not flushed is lost, and one write is told so."""

    def __init__(self) -> None:
        super().__init__(dim=2)
        self.n_restarts_to_tell = 0
        self.n_flushed = 0
        self.n_optimized = 0
        self.dies_in_flush = False

    def die(self, n: int = 1) -> None:
        self.n_restarts_to_tell = n
        for tier in ("staff", "boss"):
            super().delete(tier, self.chunk_keys(tier, "lexical"))
            super().delete(tier, self.chunk_keys(tier, "dense"))

    @override
    def upsert_lexical(self, tier: str, points: Sequence[LexicalPoint]) -> None:
        self._tell()
        super().upsert_lexical(tier, points)

    @override
    def delete(self, tier: str, chunk_keys: Sequence[int]) -> None:
        self._tell()
        super().delete(tier, chunk_keys)

    @override
    def flush(self) -> None:
        if self.dies_in_flush:
            self.dies_in_flush = False
            self.die(0)
            raise IndexRestartedError
        self._tell()
        self.n_flushed += 1

    @override
    def optimize(self) -> None:
        self.n_optimized += 1

    def _tell(self) -> None:
        if self.n_restarts_to_tell:
            self.n_restarts_to_tell -= 1
            raise IndexRestartedError


@pytest.fixture
def index() -> ForgetfulIndex:
    return ForgetfulIndex()


@pytest.fixture
def pending() -> MemoryPending:
    return MemoryPending(chunk(1, "alpha"), chunk(2, "beta"), chunk(3, "gamma"))


@pytest.fixture
def vectors() -> MemoryVectors:
    return MemoryVectors(MODEL)


@pytest.fixture
def writer(pending: MemoryPending, index: ForgetfulIndex, vectors: MemoryVectors) -> IndexWriter:
    return IndexWriter(pending=pending, index=index, vectors=vectors)


def found(index: MemoryIndex, text: str) -> list[int]:
    return [c.chunk_key for c in index.search_lexical(STAFF, weigh_chunk(text), limit=9)]


def test_writes_are_made_from_the_text(
    writer: IndexWriter, pending: MemoryPending, index: MemoryIndex
) -> None:
    pending.ask_for("upsert_lexical", 1, 2)
    writer.catch_up()
    assert (found(index, "alpha"), found(index, "beta")) == ([1], [2])


def test_vectors_that_are_known_need_no_text(
    writer: IndexWriter, pending: MemoryPending, index: MemoryIndex
) -> None:
    pending.ask_for("upsert_lexical", 1, 2)
    vector = SparseVector((7,), (1.0,))
    writer.catch_up({1: vector})
    assert [c.chunk_key for c in index.search_lexical(STAFF, vector, limit=9)] == [1]
    assert pending.texts_read == [2]


def test_writes_are_applied_once_and_in_their_order(
    writer: IndexWriter, pending: MemoryPending, index: MemoryIndex
) -> None:
    pending.ask_for("upsert_lexical", 1)
    pending.ask_for("delete", 1)
    pending.ask_for("upsert_lexical", 2)
    pending.ask_for("upsert_lexical", 3, tier="boss")
    writer.catch_up()
    writer.catch_up()
    assert index.chunk_keys("staff", "lexical") == [2]
    assert index.chunk_keys("boss", "lexical") == [3]
    assert pending.texts_read.count(2) == 1


def test_outbox_longer_than_a_batch_is_applied_whole(index: MemoryIndex) -> None:
    keys = range(1, 451)
    pending = MemoryPending(*(chunk(key, "alpha") for key in keys))
    pending.ask_for("upsert_lexical", *keys)
    IndexWriter(pending=pending, index=index, vectors=None).catch_up()
    assert index.chunk_keys("staff", "lexical") == [*keys]


def test_chunk_that_is_gone_or_has_no_term_is_not_indexed(
    writer: IndexWriter, pending: MemoryPending, index: MemoryIndex
) -> None:
    pending.chunks[4] = chunk(4, "— !")
    pending.ask_for("upsert_lexical", 4, 99, 1)
    writer.settle()
    assert index.chunk_keys("staff", "lexical") == [1]


def test_outbox_is_kept_until_the_index_has_flushed(
    writer: IndexWriter, pending: MemoryPending, index: ForgetfulIndex
) -> None:
    pending.ask_for("upsert_lexical", 1)
    writer.catch_up()
    assert (len(pending.outbox(after=0, limit=9)), index.n_flushed) == (1, 0)
    writer.settle()
    assert (len(pending.outbox(after=0, limit=9)), index.n_flushed) == (0, 1)


def test_nothing_to_write_is_not_flushed(writer: IndexWriter, index: ForgetfulIndex) -> None:
    writer.settle()
    assert index.n_flushed == 0


def test_writes_that_a_restart_lost_are_made_again(
    writer: IndexWriter, pending: MemoryPending, index: ForgetfulIndex
) -> None:
    pending.ask_for("upsert_lexical", 1, 2)
    writer.catch_up()
    index.die()
    pending.ask_for("upsert_lexical", 3)
    writer.settle()
    assert index.chunk_keys("staff", "lexical") == [1, 2, 3]
    assert pending.outbox(after=0, limit=9) == []


def test_writes_that_are_lost_in_the_flush_are_made_again(
    writer: IndexWriter, pending: MemoryPending, index: ForgetfulIndex
) -> None:
    pending.ask_for("upsert_lexical", 1, 2)
    index.dies_in_flush = True
    writer.settle()
    assert index.chunk_keys("staff", "lexical") == [1, 2]
    assert (pending.outbox(after=0, limit=9), index.n_flushed) == ([], 1)


def test_index_that_keeps_dying_is_given_up_and_the_outbox_keeps_all(
    writer: IndexWriter, pending: MemoryPending, index: ForgetfulIndex
) -> None:
    pending.ask_for("upsert_lexical", 1, 2)
    index.die(n=2)
    with pytest.raises(IndexUnavailableError):
        writer.settle()
    assert [entry.chunk_key for entry in pending.outbox(after=0, limit=9)] == [1, 2]
    writer.settle()
    assert index.chunk_keys("staff", "lexical") == [1, 2]


def test_next_writer_applies_what_the_one_before_left(
    writer: IndexWriter, pending: MemoryPending, vectors: MemoryVectors
) -> None:
    pending.ask_for("upsert_lexical", 1)
    writer.catch_up()
    other = MemoryIndex(dim=2)
    IndexWriter(pending=pending, index=other, vectors=vectors).settle()
    assert other.chunk_keys("staff", "lexical") == [1]


class TestVectors:
    def test_stored_vectors_are_indexed(
        self,
        writer: IndexWriter,
        pending: MemoryPending,
        index: MemoryIndex,
        vectors: MemoryVectors,
    ) -> None:
        vectors.put([1, 2], np.eye(2, dtype=np.float32))
        pending.ask_for("upsert_dense", 1, 2, 3)
        writer.catch_up()
        nearest = index.search_dense(STAFF, np.array([0, 1], dtype=np.float32), limit=1)
        assert index.chunk_keys("staff", "dense") == [1, 2]
        assert nearest[0].chunk_key == 2

    def test_vector_of_a_chunk_that_is_gone_is_not_indexed(
        self,
        writer: IndexWriter,
        pending: MemoryPending,
        index: MemoryIndex,
        vectors: MemoryVectors,
    ) -> None:
        vectors.put([1], np.eye(1, 2, dtype=np.float32))
        pending.ask_for("upsert_dense", 1)
        del pending.chunks[1]
        writer.catch_up()
        assert index.chunk_keys("staff", "dense") == []

    def test_vector_goes_with_its_chunk_but_not_with_a_change_of_tier(
        self,
        writer: IndexWriter,
        pending: MemoryPending,
        index: MemoryIndex,
        vectors: MemoryVectors,
    ) -> None:
        vectors.put([1, 2], np.eye(2, dtype=np.float32))
        pending.ask_for("upsert_lexical", 1, 2)
        pending.ask_for("upsert_dense", 1, 2)
        writer.catch_up()
        del pending.chunks[1]
        pending.ask_for("delete", 1, 2)
        pending.ask_for("upsert_dense", 2, tier="boss")
        writer.catch_up()
        assert vectors.keys() == [2]
        assert (index.chunk_keys("staff", "dense"), index.chunk_keys("boss", "dense")) == ([], [2])

    def test_without_an_embedder_words_are_indexed_all_the_same(
        self, pending: MemoryPending, index: MemoryIndex
    ) -> None:
        pending.ask_for("upsert_lexical", 1, 2)
        pending.ask_for("upsert_dense", 1)
        pending.ask_for("delete", 2)
        IndexWriter(pending=pending, index=index, vectors=None).settle()
        assert index.chunk_keys("staff", "lexical") == [1]


class TestRebuild:
    def test_index_is_rebuilt_after_writes_and_only_then(
        self, writer: IndexWriter, pending: MemoryPending, index: ForgetfulIndex
    ) -> None:
        writer.rebuild()
        assert index.n_optimized == 0
        pending.ask_for("upsert_lexical", 1)
        writer.settle()
        writer.rebuild()
        writer.rebuild()
        assert index.n_optimized == 1

    def test_many_writes_rebuild_it_on_the_way(self, index: ForgetfulIndex) -> None:
        pending = MemoryPending(chunk(1, "alpha"))
        writer = IndexWriter(pending=pending, index=index, vectors=None)
        pending.ask_for("delete", *range(2, 50_002))
        writer.catch_up()
        assert index.n_optimized == 2
        assert len(pending.outbox(after=0, limit=50_000)) == 10_000
