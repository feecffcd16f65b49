"""How similar unrelated chunks are to a question."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from visible_reader import STAFF, NamedReader, visible_chunk

from citewell.adapters.caches.sqlite_vectors import SqliteVectors
from citewell.domain.clearance import Clearance
from citewell.ports.embedder import EmbeddingModel
from citewell.ports.vector_store import VectorStore
from citewell.retrieval.background import SAMPLE_SIZE, Background, BackgroundSampler

EAST = np.array([1, 0], dtype=np.float32)
NORTH = np.array([0, 1], dtype=np.float32)


@pytest.fixture
def vectors(tmp_path: Path) -> Iterator[VectorStore]:
    store = SqliteVectors(tmp_path / "v.sqlite3", EmbeddingModel("made", "made", 2, 99))
    yield store
    store.close()


def test_mean_and_spread_are_those_of_the_visible_chunks(vectors: VectorStore) -> None:
    vectors.put([1, 2, 3], np.stack([EAST, NORTH, EAST]))
    reader = NamedReader(visible_chunk(1), visible_chunk(2), visible_chunk(3, tier="boss"))
    background, share = BackgroundSampler(reader, vectors).measure(STAFF, EAST)
    assert background is not None
    assert (background.mean, background.spread, background.n_sampled) == (0.5, 0.5, 2)
    assert share == 1.0


def test_what_is_hidden_moves_nothing(vectors: VectorStore) -> None:
    vectors.put([1, 2], np.stack([EAST, NORTH]))
    reader = NamedReader(visible_chunk(1), visible_chunk(2))
    before = BackgroundSampler(reader, vectors).measure(STAFF, EAST)
    for key in range(3, 300):
        reader.chunks[key] = visible_chunk(key, tier="boss")
    vectors.put(list(range(3, 300)), np.tile(EAST, (297, 1)))
    assert BackgroundSampler(reader, vectors).measure(STAFF, EAST) == before


def test_share_counts_the_chunks_without_a_vector(vectors: VectorStore) -> None:
    vectors.put([1, 2], np.stack([EAST, NORTH]))
    reader = NamedReader(*(visible_chunk(key) for key in range(1, 9)))
    background, share = BackgroundSampler(reader, vectors).measure(STAFF, EAST)
    assert (background is not None, share) == (True, 0.25)


def test_two_vectors_at_least_are_needed(vectors: VectorStore) -> None:
    vectors.put([1], EAST[np.newaxis])
    reader = NamedReader(visible_chunk(1), visible_chunk(2))
    assert BackgroundSampler(reader, vectors).measure(STAFF, EAST) == (None, 0.5)
    assert BackgroundSampler(NamedReader(), vectors).measure(STAFF, EAST) == (None, 0.0)


def test_spread_is_never_zero(vectors: VectorStore) -> None:
    vectors.put([1, 2], np.stack([EAST, EAST]))
    reader = NamedReader(visible_chunk(1), visible_chunk(2))
    background, _ = BackgroundSampler(reader, vectors).measure(STAFF, EAST)
    assert background is not None
    assert (background.mean, background.spread) == (1.0, 0.001)


def test_sample_is_bounded(vectors: VectorStore) -> None:
    keys = list(range(1, SAMPLE_SIZE + 50))
    vectors.put(keys, np.tile(EAST, (len(keys), 1)))
    reader = NamedReader(*(visible_chunk(key) for key in keys))
    background, share = BackgroundSampler(reader, vectors).measure(STAFF, EAST)
    assert background is not None
    assert (background.n_sampled, share) == (SAMPLE_SIZE, 1.0)


def test_sample_follows_the_chunks_and_their_vectors(vectors: VectorStore) -> None:
    reader = NamedReader(*(visible_chunk(key) for key in (1, 2, 3)))
    sampler = BackgroundSampler(reader, vectors)
    vectors.put([1, 2], np.stack([EAST, NORTH]))
    assert sampler.measure(STAFF, EAST) == (Background(0.5, 0.5, 2), 2 / 3)
    vectors.put([3], NORTH[np.newaxis])
    filled, share = sampler.measure(STAFF, EAST)
    assert filled is not None
    assert (filled.mean, filled.n_sampled, share) == (pytest.approx(1 / 3), 3, 1.0)
    del reader.chunks[1]
    assert sampler.measure(STAFF, EAST) == (Background(0.0, 0.001, 2), 1.0)


def test_sample_that_stays_the_same_is_read_once(vectors: VectorStore) -> None:
    vectors.put([1, 2], np.stack([EAST, NORTH]))
    reader = NamedReader(visible_chunk(1), visible_chunk(2, tier="boss"))
    reader.chunks[3] = visible_chunk(3)
    vectors.put([3], EAST[np.newaxis])
    sampler = BackgroundSampler(reader, vectors)
    before = sampler.measure(STAFF, EAST)
    vectors.delete([1, 3])
    assert sampler.measure(STAFF, EAST) == before
    both = sampler.measure(Clearance(("staff", "boss")), NORTH)
    assert both == (None, 1 / 3)
