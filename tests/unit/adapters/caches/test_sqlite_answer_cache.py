"""What only the file shows: sharing, damage, whose it is, and what is left in it."""

from __future__ import annotations

import logging
import multiprocessing
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from citewell.adapters.caches.sqlite_answer_cache import SqliteAnswerCache, discard_foreign_answers
from citewell.domain.errors import ConfigurationError, UnavailableError
from citewell.ports.answer_cache import UsedChunk
from citewell.testing.answer_cache_contract import made, named

Open = Callable[..., SqliteAnswerCache]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite3"


@pytest.fixture
def opened(path: Path) -> Iterator[Open]:
    caches: list[SqliteAnswerCache] = []

    def open_cache(catalog_id: str | None = "ours", **options: float) -> SqliteAnswerCache:
        caches.append(SqliteAnswerCache(path, catalog_id=catalog_id, **options))  # type: ignore[arg-type]
        return caches[-1]

    yield open_cache
    for cache in caches:
        cache.close()


def bytes_on_disk(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")))


def is_there(cache: SqliteAnswerCache, name: str = "a") -> bool:
    return cache.get(named(name).exact) is not None


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def test_answers_come_back_after_reopening(opened: Open) -> None:
    cache = opened()
    cache.put(named("a"), made())
    cache.close()
    assert is_there(opened())


class TestWhoseItIs:
    def test_other_catalog_reads_and_writes_nothing(self, opened: Open) -> None:
        opened().put(named("a"), made())
        other = opened("theirs")
        other.put(named("b"), made("b", "d2"))
        assert [is_there(other, name) for name in "ab"] == [False, False]
        assert [is_there(opened(), name) for name in "ab"] == [True, False]

    def test_without_a_catalog_it_is_only_for_erasing(self, opened: Open) -> None:
        opened().put(named("a"), made("a", "d1"))
        anyone = opened(None)
        anyone.put(named("b"), made("b", "d2"))
        assert list(anyone.used_chunks()) == [UsedChunk("d1", 1, "staff")]
        assert [is_there(anyone, name) for name in "ab"] == [False, False]
        assert anyone.forget(["d1"])
        assert not is_there(opened())

    def test_answers_of_another_catalog_are_discarded(self, path: Path, opened: Open) -> None:
        beside = opened()
        beside.put(named("a"), made("Kingfisher moves"))
        assert not discard_foreign_answers(path, "ours")
        assert is_there(beside)
        assert discard_foreign_answers(path, "theirs")
        assert b"Kingfisher" not in bytes_on_disk(path)
        theirs = opened("theirs")
        theirs.put(named("b"), made())
        beside.put(named("c"), made())
        assert [is_there(theirs, name) for name in "abc"] == [False, True, False]
        assert [is_there(beside, name) for name in "abc"] == [False, False, False]

    def test_missing_broken_and_foreign_files_are_left_to_whoever_opens_them(
        self, path: Path
    ) -> None:
        assert not discard_foreign_answers(path, "ours")
        change(path, "CREATE TABLE catalog AS SELECT 'theirs' AS id")
        change(path, "CREATE TABLE entries AS SELECT 'precious' AS text")
        before = path.read_bytes()
        assert not discard_foreign_answers(path, "ours")
        assert path.read_bytes() == before
        path.write_bytes(b"not a database at all " * 500)
        assert not discard_foreign_answers(path, "ours")
        assert path.exists()


class TestForgetting:
    def test_leaves_no_trace_on_disk(self, path: Path, opened: Open) -> None:
        cache = opened()
        for number in range(20):
            cache.put(named(str(number)), made(f"Kingfisher {number}", "gone"))
            cache.put(named(f"kept {number}"), made(f"Heron {number}", "kept"))
        assert b"Kingfisher" in bytes_on_disk(path)
        assert cache.forget(["gone"])
        assert cache.compact()
        assert b"Kingfisher" not in bytes_on_disk(path)
        assert b"Heron 7" in bytes_on_disk(path)

    def test_removed_answer_leaves_no_trace_either(self, path: Path, opened: Open) -> None:
        cache = opened()
        cache.put(named("a"), made("Kingfisher"))
        cache.remove(named("a").exact)
        assert b"Kingfisher" not in bytes_on_disk(path)

    def test_takes_what_is_too_old_along(self, path: Path, opened: Open) -> None:
        opened(clock=lambda: 1_000.0).put(named("a"), made("Kingfisher", "d1"))
        assert opened(None, max_age_s=60.0).forget([])
        assert b"Kingfisher" not in bytes_on_disk(path)

    def test_entry_that_does_not_say_what_it_used_is_told_and_goes(
        self, path: Path, opened: Open
    ) -> None:
        cache = opened()
        cache.put(named("a"), made())
        change(path, "DELETE FROM used")
        assert list(cache.used_chunks()) == [UsedChunk("", 0, "")]
        assert cache.forget([])
        assert list(cache.used_chunks()) == []

    def test_reader_in_the_way_is_reported(self, path: Path, opened: Open) -> None:
        cache = opened(busy_timeout_s=0.01)
        cache.put(named("a"), made("a", "d1"))
        with closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM entries").fetchone()
            assert not cache.forget(["d1"])
            assert not is_there(cache)
        assert cache.forget(["d1"])


def test_another_writer_in_the_way_costs_only_the_memory(
    path: Path, opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    cache = opened(busy_timeout_s=0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with caplog.at_level(logging.WARNING):
            cache.put(named("a"), made())
        writer.execute("ROLLBACK")
    assert "SQLITE_BUSY" in caplog.text
    assert not is_there(cache)
    cache.put(named("a"), made())
    assert is_there(cache)


@pytest.mark.parametrize(
    "content", [b"not a database at all " * 500, b"SQLite format 3\0" + b"\xff" * 9000]
)
def test_file_that_is_no_database_is_started_anew(path: Path, content: bytes, opened: Open) -> None:
    path.write_bytes(content)
    cache = opened()
    cache.put(named("a"), made())
    assert is_there(cache)


def test_damage_that_shows_later_starts_the_file_anew(path: Path, opened: Open) -> None:
    cache = opened()
    for number in range(200):
        cache.put(named(str(number)), made())
    cache.close()
    content = bytearray(path.read_bytes())
    content[2 * 4096 :] = b"\xff" * (len(content) - 2 * 4096)
    path.write_bytes(content)
    cache = opened()
    assert not is_there(cache, "7")
    cache.put(named("a"), made())
    cache.put(named("a"), made())
    assert is_there(cache)


def test_file_of_another_version_is_started_anew(path: Path, opened: Open) -> None:
    cache = opened()
    cache.put(named("a"), made())
    cache.close()
    change(path, "PRAGMA user_version = 999")
    assert not is_there(opened())


def test_database_of_something_else_is_left_alone(path: Path, opened: Open) -> None:
    change(path, "CREATE TABLE precious (content TEXT)")
    before = path.read_bytes()
    with pytest.raises(ConfigurationError, match="something else"):
        opened()
    assert path.read_bytes() == before


def test_folder_that_cannot_be_written_means_no_memory(tmp_path: Path) -> None:
    cache = SqliteAnswerCache(tmp_path / "missing" / "answers.sqlite3", catalog_id="ours")
    cache.put(named("a"), made())
    assert not is_there(cache)
    assert not cache.forget(["d1"])
    with pytest.raises(UnavailableError, match="cannot be read"):
        cache.used_chunks()
    cache.close()


@pytest.mark.parametrize("broken", ["not JSON", "[]", "{}", '{"sentences": 1}', "null"])
@pytest.mark.parametrize("column", ["answer", "searches"])
def test_entry_that_cannot_be_read_is_a_miss(
    path: Path, opened: Open, column: str, broken: str
) -> None:
    cache = opened()
    cache.put(named("a"), made())
    change(path, f"UPDATE entries SET {column} = '{broken}'")
    found = cache.get(named("a").exact)
    assert found is None or (column, broken, found.searches) in {
        ("searches", "[]", ()),
        ("searches", "{}", ()),
    }


def test_lone_surrogate_is_not_remembered(opened: Open) -> None:
    cache = opened()
    remembered = made()
    cache.put(named("a"), replace(remembered, answer=replace(remembered.answer, text="\ud800")))
    assert not is_there(cache)


def write_many(path: Path, first: int) -> None:
    cache = SqliteAnswerCache(path, catalog_id="ours", busy_timeout_s=30.0)
    for number in range(first, first + 30):
        cache.put(named(str(number)), made(str(number)))
    cache.close()


def test_processes_share_a_file(path: Path, opened: Open) -> None:
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=write_many, args=(path, first)) for first in (0, 100)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    cache = opened()
    numbers = [*range(30), *range(100, 130)]
    assert [is_there(cache, str(number)) for number in numbers] == [True] * 60
