"""A watched source, step by step, with a clock that a test moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

import pytest

from citewell.domain.errors import ConversionError, IndexUnavailableError, LowDiskSpaceError
from citewell.domain.record import RunCounts
from citewell.domain.source import RejectedItem, SourceItem, SourceStatus
from citewell.ingestion.watch_source import EndedRun, WatchedSource
from citewell.testing.scripted_feed import ScriptedFeed
from conftest import EMPLOYEE, Told, World

MINUTE = timedelta(minutes=1)


class Watcher:
    """A watched world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.feed = ScriptedFeed()
        self.ended: list[EndedRun] = []
        self.watched = WatchedSource(
            world.source,
            world.connector,
            self.feed,
            parts=world.sync_parts(),
            observer=Told(),
            told=self.ended.append,
        )

    def step(self) -> None:
        """Look and work once."""
        self.watched.look()
        self.watched.work(wait_s=0)

    def settle(self) -> None:
        """Step until nothing waits, moving the clock to where something is ready."""
        for _ in range(100):
            self.step()
            if not self.watched.is_busy:
                return
            self.world.pause(self.watched.idle_s)
        raise AssertionError("it never came to rest")

    def edit(self, path: str, text: str) -> None:
        self.world.connector.put(path, text, modified_at=self.world.now)
        self.feed.tell(path)

    def remove(self, path: str) -> None:
        self.world.connector.remove(path)
        self.feed.tell(path)

    def counts(self) -> list[RunCounts]:
        return [run.counts for run in self.ended]


@pytest.fixture
def watcher(world: World) -> Iterator[Watcher]:
    world.connector.put("employee/a.md", "alpha")
    world.connector.put("employee/b.md", "beta")
    made = Watcher(world)
    made.settle()
    made.ended.clear()
    world.connector.looks.clear()
    yield made
    made.watched.close()


def test_everything_is_looked_at_first(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    watcher = Watcher(world)
    watcher.settle()
    assert world.texts() == ["alpha"]
    (run,) = world.catalog.runs.history()
    assert (run.trigger, run.state, run.counts.added) == ("schedule", "succeeded", 1)
    assert watcher.counts() == [RunCounts(added=1, chunks_written=1)]
    watcher.watched.close()


def test_nothing_is_looked_at_while_nothing_changes(watcher: Watcher) -> None:
    for _ in range(20):
        watcher.world.pause(10)
        watcher.step()
    assert (watcher.world.connector.looks, watcher.ended) == ([], [])


def test_only_what_changed_is_looked_at(watcher: Watcher) -> None:
    watcher.edit("employee/a.md", "gamma")
    watcher.settle()
    assert watcher.world.texts() == ["gamma", "beta"]
    assert watcher.world.connector.looks == [["employee/a.md"], ["employee/a.md"]]
    assert watcher.world.connector.reads[-1:] == ["employee/a.md"]
    assert [(run.trigger, run.counts.updated) for run in watcher.ended] == [("watch", 1)]


def test_edit_is_read_once_it_rests(watcher: Watcher) -> None:
    for text in ("g", "ga", "gam", "gamm"):
        watcher.edit("employee/a.md", text)
        watcher.step()
        watcher.world.pause(0.9)
        watcher.step()
    watcher.edit("employee/a.md", "gamma")
    watcher.settle()
    assert watcher.world.converter.converted.count("employee/a.md") == 2
    assert watcher.world.texts() == ["gamma", "beta"]


def test_deletion_is_hidden_at_once_and_erased_a_minute_later(watcher: Watcher) -> None:
    watcher.world.fill()
    watcher.remove("employee/a.md")
    watcher.step()
    assert watcher.world.texts() == ["beta"]
    assert len(watcher.world.vectors.keys()) == 2
    watcher.world.now += 2 * MINUTE
    watcher.settle()
    assert len(watcher.world.vectors.keys()) == 1
    assert watcher.world.index_is_exact()
    assert [run.counts.deleted for run in watcher.ended] == [1]


def test_file_that_comes_back_before_is_not_erased(watcher: Watcher) -> None:
    watcher.world.fill()
    kept = watcher.world.connector.take_away("employee/a.md")
    watcher.feed.tell("employee/a.md")
    watcher.step()
    watcher.world.connector.give_back("employee/a.md", kept)
    watcher.feed.tell("employee/a.md")
    watcher.settle()
    watcher.world.now += 2 * MINUTE
    watcher.settle()
    assert (watcher.world.texts(), len(watcher.world.vectors.keys())) == (["alpha", "beta"], 2)


def test_file_that_comes_back_untold_is_seen_before_it_is_erased(watcher: Watcher) -> None:
    kept = watcher.world.connector.take_away("employee/a.md")
    watcher.feed.tell("employee/a.md")
    watcher.step()
    watcher.world.connector.give_back("employee/a.md", kept)
    watcher.world.now += 2 * MINUTE
    watcher.settle()
    assert watcher.world.texts() == ["alpha", "beta"]


def test_rise_is_hidden_at_once(watcher: Watcher) -> None:
    watcher.world.connector.rename("employee/a.md", "director/a.md")
    watcher.feed.tell("employee/a.md", "director/a.md")
    watcher.step()
    assert watcher.world.texts(EMPLOYEE) == ["beta"]
    assert watcher.world.states()["director/a.md"] == "searchable"


def test_deletion_is_hidden_while_a_conversion_takes_long(watcher: Watcher) -> None:
    watcher.world.converter.held.add("employee/slow.md")
    watcher.edit("employee/slow.md", "slow")
    watcher.step()
    watcher.world.pause(2)
    watcher.step()
    assert watcher.watched.is_converting
    watcher.remove("employee/a.md")
    watcher.step()
    assert watcher.world.texts() == ["beta"]
    watcher.world.converter.release("employee/slow.md")
    watcher.settle()
    assert watcher.world.texts() == ["beta", "slow"]
    assert [(run.counts.added, run.counts.deleted) for run in watcher.ended] == [(1, 1)]


def test_file_that_goes_while_it_is_converted_never_shows(watcher: Watcher) -> None:
    watcher.world.converter.held.add("employee/slow.md")
    watcher.edit("employee/slow.md", "slow")
    watcher.step()
    watcher.world.pause(2)
    watcher.step()
    watcher.remove("employee/slow.md")
    watcher.step()
    watcher.world.converter.release("employee/slow.md")
    watcher.settle()
    assert watcher.world.texts() == ["alpha", "beta"]


def test_deletion_is_hidden_while_many_wait_that_need_no_conversion(watcher: Watcher) -> None:
    world = watcher.world
    for _ in range(2):  # the second time nothing is new but the fingerprints
        for n in range(30):
            world.connector.put(f"employee/many/{n:02}.md", f"text {n}")
        watcher.feed.tell("employee/many")
        watcher.step()
        world.connector.reads.clear()
        world.connector.on_read = lambda _: world.pause(0.1)  # a slow disk
        world.pause(2)
        watcher.step()
        assert 0 < len(world.connector.reads) < 20
        world.connector.on_read = lambda _: None
        watcher.settle()
        world.connector.reads.clear()
    assert len(world.texts()) == 32
    assert world.converter.converted.count("employee/many/00.md") == 1


def test_edit_comes_before_a_bulk(watcher: Watcher) -> None:
    for n in range(300):
        watcher.world.connector.put(f"employee/bulk/{n:03}.md", f"bulk {n}")
    watcher.feed.tell("employee/bulk")
    watcher.step()
    watcher.world.pause(2)
    watcher.step()
    watcher.edit("employee/a.md", "gamma")
    watcher.step()
    watcher.world.pause(1)
    watcher.step()
    assert "gamma" in watcher.world.texts()
    assert len(watcher.world.texts()) < 200
    watcher.settle()
    assert len(watcher.world.texts()) == 302


def test_file_that_no_event_told_of_is_found_by_the_next_scan(watcher: Watcher) -> None:
    watcher.world.connector.put("employee/c.md", "gamma")
    watcher.step()
    assert len(watcher.world.texts()) == 2
    watcher.world.pause(watcher.world.source.scan_interval_s)
    watcher.settle()
    assert (len(watcher.world.texts()), watcher.ended[0].trigger) == (3, "schedule")


def test_scan_is_in_the_history_from_its_start(watcher: Watcher) -> None:
    world, seen = watcher.world, list[str]()
    scan = world.connector.scan

    def see_and_scan(within: Sequence[str] | None = None) -> Iterator[SourceItem | RejectedItem]:
        seen.append(world.catalog.runs.history()[0].state)
        return scan(within)

    world.connector.scan = see_and_scan  # type: ignore[method-assign]
    world.pause(world.source.scan_interval_s)
    watcher.settle()
    assert seen == ["running"]


class TestTrouble:
    def test_source_that_goes_is_unavailable_and_comes_back_by_itself(
        self, watcher: Watcher
    ) -> None:
        watcher.world.connector.is_available = False
        watcher.feed.tell_everything()
        for _ in range(5):
            watcher.step()
            watcher.world.pause(5)
        assert watcher.world.texts() == ["alpha", "beta"]
        assert watcher.world.catalog.sources.status_of("s1").state == "unavailable"
        assert [run.error is None for run in watcher.ended] == [False]
        watcher.world.connector.is_available = True
        watcher.world.connector.put("employee/c.md", "gamma")
        watcher.settle()
        assert watcher.world.texts() == ["alpha", "beta", "gamma"]
        assert watcher.world.catalog.sources.status_of("s1").state == "available"
        states = [run.state for run in watcher.world.catalog.runs.history()]
        assert states == ["succeeded", "failed", "succeeded"]

    def test_full_disk_pauses_ingestion_but_not_hiding(self, watcher: Watcher) -> None:
        watcher.world.space_error = LowDiskSpaceError("the disk is full")
        watcher.edit("employee/c.md", "gamma")
        watcher.settle()
        watcher.world.pause(2)
        watcher.settle()
        watcher.remove("employee/a.md")
        watcher.settle()
        assert watcher.world.texts() == ["beta"]
        assert watcher.ended[0].error == "the disk is full"
        watcher.world.space_error = None
        watcher.world.pause(10)
        watcher.settle()
        assert watcher.world.texts() == ["beta", "gamma"]

    def test_index_that_is_away_is_tried_again(self, watcher: Watcher) -> None:
        parts = watcher.world.sync_parts()
        catch_up, parts.ingestion.writer.catch_up = parts.ingestion.writer.catch_up, _unavailable
        watcher.remove("employee/a.md")
        watcher.edit("employee/c.md", "gamma")
        watcher.settle()
        assert watcher.world.texts() == ["beta"]
        parts.ingestion.writer.catch_up = catch_up
        watcher.world.pause(10)
        watcher.settle()
        assert watcher.world.texts() == ["beta", "gamma"]

    def test_fault_of_ours_does_not_end_the_watch(self, watcher: Watcher) -> None:
        watcher.world.connector.rejected = None  # type: ignore[assignment]
        watcher.edit("employee/a.md", "gamma")
        watcher.settle()
        assert watcher.ended[-1].error == "an unexpected error: TypeError"
        watcher.world.connector.rejected = []
        watcher.world.pause(watcher.world.source.scan_interval_s)
        watcher.settle()
        assert watcher.world.texts() == ["gamma", "beta"]

    def test_bad_file_is_retried_by_scans(self, watcher: Watcher) -> None:
        watcher.world.converter.failing["employee/c.md"] = ConversionError("it is broken")
        watcher.edit("employee/c.md", "gamma")
        watcher.settle()
        assert watcher.world.states()["employee/c.md"] == "failed"
        watcher.world.converter.failing.clear()
        watcher.world.pause(watcher.world.source.scan_interval_s)
        watcher.settle()
        assert watcher.world.states()["employee/c.md"] == "searchable"


def _unavailable(*_: object) -> None:
    raise IndexUnavailableError("the index is away")


class TestMassDeletion:
    @pytest.fixture
    def many(self, watcher: Watcher) -> Watcher:
        for n in range(20):
            watcher.world.connector.put(f"employee/{n:02}.md", f"text {n}")
        watcher.feed.tell("employee")
        watcher.settle()
        watcher.ended.clear()
        for n in range(12):
            watcher.remove(f"employee/{n:02}.md")
            watcher.step()
        assert len(watcher.world.texts()) == 10
        return watcher

    def test_it_waits_for_a_scan_that_agrees_an_hour_later(self, many: Watcher) -> None:
        for _ in range(10):
            many.world.now += 5 * MINUTE
            many.settle()
        assert len(many.world.catalog.documents.missing_items("s1")) == 12
        for _ in range(3):
            many.world.now += 5 * MINUTE
            many.settle()
        assert many.world.catalog.documents.missing_items("s1") == []
        assert len(many.world.texts()) == 10

    def test_it_is_erased_when_another_process_confirms(self, many: Watcher) -> None:
        many.world.catalog.sources.request_confirmation("s1")
        many.world.pause(1)
        many.settle()
        assert many.world.catalog.documents.missing_items("s1") == []
        assert many.ended[-1].counts.deleted > 0


class TestState:
    def test_how_it_is_watched_is_recorded_while_it_is(self, world: World) -> None:
        world.connector.put("employee/a.md", "alpha")
        watcher = Watcher(world)
        watcher.settle()
        assert world.catalog.sources.status_of("s1") == SourceStatus("available", None, "events")
        watcher.feed.fall_back("it lies on nfs")
        world.pause(1)
        watcher.settle()
        assert world.catalog.sources.status_of("s1") == SourceStatus(
            "available", None, "polling", "it lies on nfs"
        )
        watcher.watched.close()
        assert world.catalog.sources.status_of("s1") == SourceStatus("available")
        assert watcher.feed.is_closed

    def test_run_that_goes_on_is_cancelled_when_it_is_closed(self, world: World) -> None:
        world.connector.put("employee/a.md", "alpha")
        world.converter.held.add("employee/a.md")
        watcher = Watcher(world)
        watcher.step()
        watcher.watched.close()
        (run,) = world.catalog.runs.history()
        assert (run.state, run.error) == ("cancelled", "it was told to stop")
        assert world.texts() == []

    def test_events_that_mean_nothing_are_no_runs(self, watcher: Watcher) -> None:
        watcher.feed.tell("employee/a.md", "employee/nothing.md", "employee")
        watcher.settle()
        assert watcher.ended == []
        assert len(watcher.world.catalog.runs.history()) == 1
