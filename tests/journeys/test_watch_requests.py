"""Somebody asks for a watched source to be looked at now."""

import pytest
from test_watch_source import Watcher, watcher

from citewell.domain.errors import BusyError
from citewell.domain.record import RunCounts
from citewell.ingestion.watch_source import SyncRequest
from conftest import World

__all__ = ["watcher"]


def test_request_is_done_at_once_in_a_run_of_its_own(watcher: Watcher, world: World) -> None:
    world.connector.put("employee/c.md", "gamma", modified_at=world.now)
    request = SyncRequest()
    watcher.watched.request_sync(request)
    watcher.watched.look()
    run_id = request.begun.result(timeout=0)
    assert not request.ended.done()
    watcher.settle()
    assert request.ended.result(timeout=0) == run_id
    run = world.catalog.runs.history()[0]
    assert (run.id, run.trigger, run.state, run.counts.added) == (run_id, "manual", "succeeded", 1)


def test_request_that_finds_nothing_new_is_in_the_history_too(
    watcher: Watcher, world: World
) -> None:
    request = SyncRequest()
    watcher.watched.request_sync(request)
    watcher.settle()
    run = world.catalog.runs.history()[0]
    assert (run.id, run.trigger, run.counts) == (
        request.ended.result(timeout=0),
        "manual",
        RunCounts(skipped=2),
    )


def test_second_request_is_refused_until_the_first_has_ended(watcher: Watcher) -> None:
    watcher.watched.request_sync(SyncRequest())
    with pytest.raises(BusyError, match="the source world is being synced"):
        watcher.watched.request_sync(SyncRequest())
    watcher.settle()
    watcher.watched.request_sync(SyncRequest())


def test_run_that_goes_on_takes_a_request_in(watcher: Watcher, world: World) -> None:
    watcher.edit("employee/a.md", "alpha changed")
    watcher.watched.look()
    (going_on, *_) = world.catalog.runs.history()
    assert (going_on.trigger, going_on.state) == ("watch", "running")
    request = SyncRequest()
    watcher.watched.request_sync(request)
    watcher.settle()
    assert request.begun.result(timeout=0) == request.ended.result(timeout=0) == going_on.id
    assert world.texts() == ["alpha changed", "beta"]


def test_request_may_confirm_deletions(watcher: Watcher, world: World) -> None:
    world.connector.remove("employee/a.md")
    world.connector.remove("employee/b.md")
    world.connector.put("employee/c.md", "gamma")
    watcher.watched.request_sync(SyncRequest(confirmed=True))
    watcher.settle()
    assert world.texts() == ["gamma"]


def test_source_that_cannot_be_read_ends_the_request_with_its_run(
    watcher: Watcher, world: World
) -> None:
    world.connector.is_available = False
    request = SyncRequest()
    watcher.watched.request_sync(request)
    watcher.watched.look()
    run = world.catalog.runs.history()[0]
    assert (run.id, run.state) == (request.ended.result(timeout=0), "failed")


def test_watch_that_ends_leaves_nobody_waiting(watcher: Watcher) -> None:
    request = SyncRequest()
    watcher.watched.request_sync(request)
    watcher.watched.close()
    assert request.begun.cancelled()
    assert request.ended.cancelled()
