"""How similar unrelated chunks are to a question."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from visible_reader import STAFF, NamedReader, visible_chunk

from citewell.adapters.caches.sqlite_vectors import SqliteVectors
from citewell.ports.embedder import EmbeddingModel
from citewell.ports.vector_store import VectorStore
from citewell.retrieval.background import SAMPLE_SIZE, measure_background

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
    background, share = measure_background(STAFF, EAST, reader=reader, vectors=vectors)
    assert background is not None
    assert (background.mean, background.spread, background.n_sampled) == (0.5, 0.5, 2)
    assert share == 1.0


def test_what_is_hidden_moves_nothing(vectors: VectorStore) -> None:
    vectors.put([1, 2], np.stack([EAST, NORTH]))
    reader = NamedReader(visible_chunk(1), visible_chunk(2))
    before = measure_background(STAFF, EAST, reader=reader, vectors=vectors)
    for key in range(3, 300):
        reader.chunks[key] = visible_chunk(key, tier="boss")
    vectors.put(list(range(3, 300)), np.tile(EAST, (297, 1)))
    assert measure_background(STAFF, EAST, reader=reader, vectors=vectors) == before


def test_share_counts_the_chunks_without_a_vector(vectors: VectorStore) -> None:
    vectors.put([1, 2], np.stack([EAST, NORTH]))
    reader = NamedReader(*(visible_chunk(key) for key in range(1, 9)))
    background, share = measure_background(STAFF, EAST, reader=reader, vectors=vectors)
    assert (background is not None, share) == (True, 0.25)


def test_two_vectors_at_least_are_needed(vectors: VectorStore) -> None:
    vectors.put([1], EAST[np.newaxis])
    reader = NamedReader(visible_chunk(1), visible_chunk(2))
    assert measure_background(STAFF, EAST, reader=reader, vectors=vectors) == (None, 0.5)
    assert measure_background(STAFF, EAST, reader=NamedReader(), vectors=vectors) == (None, 0.0)


def test_spread_is_never_zero(vectors: VectorStore) -> None:
    vectors.put([1, 2], np.stack([EAST, EAST]))
    reader = NamedReader(visible_chunk(1), visible_chunk(2))
    background, _ = measure_background(STAFF, EAST, reader=reader, vectors=vectors)
    assert background is not None
    assert (background.mean, background.spread) == (1.0, 0.001)


def test_sample_is_bounded(vectors: VectorStore) -> None:
    keys = list(range(1, SAMPLE_SIZE + 50))
    vectors.put(keys, np.tile(EAST, (len(keys), 1)))
    reader = NamedReader(*(visible_chunk(key) for key in keys))
    background, share = measure_background(STAFF, EAST, reader=reader, vectors=vectors)
    assert background is not None
    assert (background.n_sampled, share) == (SAMPLE_SIZE, 1.0)
