"""Erasing from every store, in order, again and again until it is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from typing_extensions import override

from citewell.domain.erasure import ErasureRecord, ErasureWork, Store
from citewell.domain.errors import IndexUnavailableError
from citewell.ingestion.forget import ErasableStore, Erasure, ErasureOutcome
from citewell.ports.erasure_log import ErasureLog, LiveChunk

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
NAMES: tuple[Store, ...] = ("index", "vectors", "embedding cache", "answer cache", "catalog")
BUSY = "something else reads it"


class MemoryLog(ErasureLog):
    """A log that remembers what it is told."""

    def __init__(self, *, newest: int, since: datetime = NOON) -> None:
        self.newest = newest
        self.since = since
        self.done: dict[Store, int] = dict.fromkeys(NAMES, 0)
        self.told: list[str] = []

    @override
    def oldest_pending(self) -> datetime | None:
        return self.since if self.done["catalog"] < self.newest else None

    @override
    def work(self, store: Store) -> ErasureWork:
        return ErasureWork(self.newest if self.done[store] < self.newest else 0)

    @override
    def note_erased(self, store: Store, *, up_to: int) -> None:
        self.done[store] = up_to
        self.told.append(f"{store} noted")

    @override
    def drop_hashes(self, *, up_to: int) -> None:
        self.told.append(f"hashes dropped up to {up_to}")

    @override
    def wipe(self) -> bool:
        self.told.append("log wiped")
        return True

    @override
    def compact(self) -> bool:
        raise NotImplementedError

    @override
    def records_of(self, relative_path: str) -> Sequence[ErasureRecord]:
        raise NotImplementedError

    @override
    def texts_of(self, document_keys: Sequence[int]) -> Sequence[str]:
        raise NotImplementedError

    @override
    def n_leftovers(self) -> int:
        raise NotImplementedError

    @override
    def live_tiers(self, chunk_keys: Sequence[int]) -> Mapping[int, str]:
        raise NotImplementedError

    @override
    def live_chunks(self) -> Iterator[LiveChunk]:
        raise NotImplementedError


class Stores:
    """Stores that do as they are told: succeed, are busy, or fail."""

    def __init__(self, log: MemoryLog, **behaviour: bool | Exception) -> None:
        self.log = log
        self.behaviour = behaviour

    def erasure(self, *, now: datetime = NOON) -> Erasure:
        *projections, catalog = (ErasableStore(name, self._eraser(name)) for name in NAMES)
        return Erasure(self.log, projections, catalog, now=lambda: now)

    def _eraser(self, name: Store):
        def erase(work: ErasureWork) -> bool:
            self.log.told.append(f"{name} erased up to {work.up_to}")
            answer = self.behaviour.get(name.replace(" ", "_"), True)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return erase


def test_nothing_to_erase_touches_no_store() -> None:
    log = MemoryLog(newest=0)
    assert Stores(log).erasure().erase() is None
    assert log.told == []


def test_catalog_comes_last_and_its_log_is_wiped_at_the_end() -> None:
    log = MemoryLog(newest=7)
    assert Stores(log).erasure().erase() == ErasureOutcome({})
    assert log.told == [
        "index erased up to 7",
        "index noted",
        "vectors erased up to 7",
        "vectors noted",
        "embedding cache erased up to 7",
        "embedding cache noted",
        "answer cache erased up to 7",
        "answer cache noted",
        "hashes dropped up to 7",
        "catalog erased up to 7",
        "catalog noted",
        "log wiped",
    ]
    assert log.oldest_pending() is None


def test_store_that_fails_keeps_no_other_from_it_and_is_tried_again() -> None:
    log = MemoryLog(newest=7)
    broken = IndexUnavailableError("the index is away")
    outcome = Stores(log, index=broken, embedding_cache=False).erasure().erase()
    assert outcome == ErasureOutcome({"index": "the index is away", "embedding cache": BUSY})
    assert log.done == {
        "index": 0,
        "vectors": 7,
        "embedding cache": 0,
        "answer cache": 7,
        "catalog": 0,
    }
    log.told.clear()
    assert Stores(log).erasure().erase() == ErasureOutcome({})
    assert "vectors erased up to 7" not in log.told
    assert log.done == dict.fromkeys(NAMES, 7)


def test_hashes_stay_until_every_projection_is_done() -> None:
    log = MemoryLog(newest=7)
    Stores(log, vectors=False).erasure().erase()
    assert [told for told in log.told if "hashes" in told or "catalog" in told] == []


def test_catalog_that_is_busy_is_tried_alone_the_next_time() -> None:
    log = MemoryLog(newest=7)
    assert Stores(log, catalog=False).erasure().erase() == ErasureOutcome({"catalog": BUSY})
    log.told.clear()
    Stores(log).erasure().erase()
    assert log.told == [
        "hashes dropped up to 7",
        "catalog erased up to 7",
        "catalog noted",
        "log wiped",
    ]


def test_live_process_lets_deletions_gather() -> None:
    log = MemoryLog(newest=7)
    early = Stores(log).erasure(now=NOON + timedelta(seconds=179))
    assert (early.erase_due(), log.told) == (None, [])
    due = Stores(log).erasure(now=NOON + timedelta(seconds=180))
    assert due.erase_due() == ErasureOutcome({})
    assert due.erase_due() is None


def test_settling_empties_logs_although_nothing_is_to_be_erased() -> None:
    log = MemoryLog(newest=0)
    assert Stores(log).erasure().settle() == ErasureOutcome({})
    assert [told for told in log.told if "erased" in told] == [
        f"{name} erased up to 0" for name in NAMES
    ]
    assert log.done == dict.fromkeys(NAMES, 0)
