from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citewell.adapters.caches.sqlite_answer_cache import SqliteAnswerCache
from citewell.ports.answer_cache import AnswerCache
from citewell.testing.answer_cache_contract import (
    MAX_AGE_S,
    MAX_ENTRIES,
    AnswerCacheContract,
    SetClock,
)
from citewell.testing.memory_answer_cache import MemoryAnswerCache


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


class TestMemoryAnswerCache(AnswerCacheContract):
    @pytest.fixture
    def cache(self, clock: SetClock) -> AnswerCache:
        return MemoryAnswerCache(max_entries=MAX_ENTRIES, max_age_s=MAX_AGE_S, clock=clock)


class TestSqliteAnswerCache(AnswerCacheContract):
    @pytest.fixture
    def cache(self, tmp_path: Path, clock: SetClock) -> Iterator[AnswerCache]:
        cache = SqliteAnswerCache(
            tmp_path / "answers.sqlite3",
            catalog_id="ours",
            max_entries=MAX_ENTRIES,
            max_age_s=MAX_AGE_S,
            clock=clock,
        )
        yield cache
        cache.close()
