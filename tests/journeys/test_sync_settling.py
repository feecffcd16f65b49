"""A file that is still being written is not indexed half."""

from datetime import timedelta

import pytest

from citewell.domain.errors import DocumentError, SourceUnavailableError
from conftest import World


def write(world: World, text: str) -> None:
    """Write to the item as of now."""
    world.connector.put("employee/a.md", text, modified_at=world.now)


def test_file_written_a_moment_ago_waits_until_it_rests(world: World) -> None:
    write(world, "half")
    run = world.sync_run()
    run.look()
    for more in ("half of", "half of it", "half of it all"):
        world.pause(0.9)
        run.work(wait_s=0)
        write(world, more)
        world.pause(0.2)
        run.work(wait_s=0)
    assert (world.connector.reads, world.texts()) == ([], [])
    world.finish(run)
    assert (world.connector.reads, world.texts()) == (["employee/a.md"], ["half of it all"])


def test_file_written_some_time_ago_is_read_at_once(world: World) -> None:
    world.connector.put("employee/a.md", "alpha", modified_at=world.now - timedelta(seconds=2))
    before = world.now
    world.sync()
    assert (world.texts(), world.now) == (["alpha"], before)


def test_file_from_the_future_is_read_at_once(world: World) -> None:
    world.connector.put("employee/a.md", "alpha", modified_at=world.now + timedelta(days=9))
    before = world.now
    world.sync()
    assert (world.texts(), world.now) == (["alpha"], before)


def test_sync_waits_for_what_was_just_written(world: World) -> None:
    write(world, "alpha")
    before = world.now
    world.sync()
    assert (world.texts(), world.now - before) == (["alpha"], timedelta(seconds=1))


def test_log_that_never_rests_is_read_after_half_a_minute(world: World) -> None:
    write(world, "line 0")
    run = world.sync_run()
    run.look()
    start = world.now
    n = 0
    while not world.connector.reads and n < 100:
        n += 1
        world.pause(0.5)
        write(world, f"line {n}")
        run.work(wait_s=0)
    assert timedelta(seconds=30) <= world.now - start <= timedelta(seconds=32)
    world.finish(run)
    assert world.texts() == [f"line {n}"]


def test_file_that_goes_while_it_settles_is_forgotten(world: World) -> None:
    world.connector.put("employee/b.md", "beta")
    write(world, "alpha")
    run = world.sync_run()
    run.look()
    world.connector.remove("employee/a.md")
    world.finish(run)
    assert world.states() == {"employee/b.md": "searchable"}


def test_source_that_goes_while_a_file_settles_is_unavailable(world: World) -> None:
    write(world, "alpha")
    run = world.sync_run()
    run.look()
    world.connector.is_available = False
    with pytest.raises(SourceUnavailableError):
        world.finish(run)
    assert world.catalog.sources.status_of("s1").state == "unavailable"


def test_look_at_an_edit_waits_however_old_the_file_says_it_is(world: World) -> None:
    world.connector.put("employee/a.md", "alpha", modified_at=world.now - timedelta(days=9))
    run = world.sync_run()
    run.look(["employee/a.md"], is_live=True)
    run.work(wait_s=0)
    assert world.connector.reads == []
    world.finish(run)
    assert world.texts() == ["alpha"]


def test_file_that_keeps_changing_while_it_is_read_is_tried_again_later(world: World) -> None:
    def keeps_changing(path: str) -> None:
        raise DocumentError("the file keeps changing while it is read; it is tried again later")

    write(world, "alpha")
    world.connector.on_read = keeps_changing
    world.sync()
    assert world.states() == {"employee/a.md": "failed"}
    world.connector.on_read = lambda _: None
    world.now += timedelta(minutes=2)
    world.sync()
    assert (world.states(), world.texts()) == ({"employee/a.md": "searchable"}, ["alpha"])
