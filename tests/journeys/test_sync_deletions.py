"""What a source does not hold any more: hidden at once, erased when that is right."""

from datetime import timedelta

import pytest

from citewell.domain.errors import SourceUnavailableError
from citewell.domain.source import RejectedItem
from citewell.ingestion.ingest_document import Outcome
from citewell.ingestion.sync_source import SourceSync
from conftest import ALL, EMPLOYEE, Told, World

HOLD = timedelta(hours=1)


def fill(world: World, n: int, folder: str = "employee") -> list[str]:
    """Ingest `n` documents of their own words, and return their paths."""
    paths = [f"{folder}/{number:02}.md" for number in range(n)]
    for path in paths:
        world.connector.put(path, f"text of {path}")
    world.sync()
    world.fill()
    return paths


def remove(world: World, paths: list[str]) -> None:
    for path in paths:
        world.connector.remove(path)


class TestMassDeletion:
    def test_it_hides_at_once_and_erases_nothing(self, world: World) -> None:
        paths = fill(world, 21)
        remove(world, paths[:11])
        counts, _ = world.sync()
        assert (counts.hidden, counts.deleted) == (11, 0)
        assert world.texts() == [f"text of {path}" for path in paths[11:]]
        assert len(world.vectors.keys()) == 21

    def test_next_scan_before_its_time_erases_nothing_either(self, world: World) -> None:
        paths = fill(world, 21)
        remove(world, paths[:11])
        world.sync()
        world.now += HOLD - timedelta(seconds=1)
        counts, _ = world.sync()
        assert (counts.hidden, counts.deleted, len(world.vectors.keys())) == (0, 0, 21)

    def test_scan_after_its_time_that_agrees_erases(self, world: World) -> None:
        paths = fill(world, 21)
        remove(world, paths[:11])
        world.sync()
        world.now += HOLD
        counts, _ = world.sync()
        assert (counts.hidden, counts.deleted, len(world.vectors.keys())) == (0, 11, 10)
        assert sorted(world.states()) == paths[11:]
        assert world.index_is_exact()

    def test_confirmation_erases_what_is_hidden(self, world: World) -> None:
        paths = fill(world, 21)
        remove(world, paths[:11])
        world.sync()
        counts, _ = world.sync(confirmed=True)
        assert (counts.hidden, counts.deleted) == (0, 11)
        assert sorted(world.states()) == paths[11:]
        assert world.index_is_exact()

    def test_confirmation_may_come_with_the_first_scan(self, world: World) -> None:
        paths = fill(world, 21)
        remove(world, paths[:11])
        counts, _ = world.sync(confirmed=True)
        assert (counts.hidden, counts.deleted) == (0, 11)
        assert sorted(world.states()) == paths[11:]

    def test_what_comes_back_is_shown_without_work(self, world: World) -> None:
        paths = fill(world, 21)
        kept = {path: world.connector.take_away(path) for path in paths[:15]}
        world.sync()
        for path in paths[:15]:
            world.connector.give_back(path, kept[path])
        world.connector.reads.clear()
        world.converter.converted.clear()
        counts, _ = world.sync()
        assert (counts.restored, counts.chunks_written) == (15, 0)
        assert (world.connector.reads, world.converter.converted) == ([], [])
        assert world.texts() == [f"text of {path}" for path in paths]
        assert set(world.states().values()) == {"indexed"}
        assert world.index_is_exact()

    def test_what_comes_back_changed_is_never_shown_as_it_was(self, world: World) -> None:
        paths = fill(world, 21)
        remove(world, paths[:15])
        world.sync()
        seen: list[str] = []
        world.connector.on_read = lambda _: seen.extend(world.texts())
        world.connector.put(paths[0], "censored")
        counts, _ = world.sync()
        assert (counts.updated, counts.restored) == (1, 0)
        assert f"text of {paths[0]}" not in seen
        assert world.texts() == ["censored", *(f"text of {path}" for path in paths[15:])]

    def test_what_goes_meanwhile_waits_with_the_others(self, world: World) -> None:
        paths = fill(world, 21)
        remove(world, paths[:11])
        world.sync()
        remove(world, paths[11:12])
        counts, _ = world.sync()
        assert (counts.hidden, counts.deleted) == (1, 0)
        assert len(world.vectors.keys()) == 21

    def test_renaming_a_folder_is_none(self, world: World) -> None:
        paths = fill(world, 21)
        for path in paths:
            world.connector.rename(path, f"manager/{path}")
        counts, _ = world.sync()
        assert (counts.moved, counts.hidden, counts.deleted) == (21, 0, 0)
        assert (world.texts(EMPLOYEE), len(world.texts(ALL))) == ([], 21)

    def test_half_of_a_source_is_none(self, world: World) -> None:
        paths = fill(world, 22)
        remove(world, paths[:11])
        counts, _ = world.sync()
        assert (counts.hidden, counts.deleted, len(world.vectors.keys())) == (0, 11, 11)

    def test_small_source_has_none(self, world: World) -> None:
        paths = fill(world, 20)
        remove(world, paths[:19])
        counts, _ = world.sync()
        assert (counts.hidden, counts.deleted, len(world.vectors.keys())) == (0, 19, 1)


class TestEmptySource:
    def test_it_deletes_nothing(self, world: World) -> None:
        paths = fill(world, 3)
        remove(world, paths)
        with pytest.raises(SourceUnavailableError, match="empty"):
            world.sync()
        assert len(world.texts()) == 3
        assert world.catalog.sources.status_of("s1").state == "unavailable"

    def test_confirmation_deletes_everything(self, world: World) -> None:
        paths = fill(world, 3)
        remove(world, paths)
        counts, _ = world.sync(confirmed=True)
        assert (counts.deleted, world.states(), world.texts()) == (3, {}, [])
        assert world.catalog.sources.status_of("s1").state == "available"

    def test_confirmation_does_not_make_an_unreadable_source_empty(self, world: World) -> None:
        fill(world, 3)
        world.connector.is_available = False
        with pytest.raises(SourceUnavailableError):
            world.sync(confirmed=True)
        assert len(world.texts()) == 3


class TestHidingComesFirst:
    """What is visible when the first item is read."""

    def visible_at_first_read(self, world: World) -> list[str]:
        seen: list[list[str]] = []
        world.connector.on_read = lambda _: seen.append(world.texts(EMPLOYEE))
        world.sync()
        return seen[0]

    def test_deleted_document_is_hidden_before_anything_is_read(self, world: World) -> None:
        fill(world, 2)
        world.connector.remove("employee/00.md")
        world.connector.put("employee/new.md", "a new text of another size")
        assert self.visible_at_first_read(world) == ["text of employee/01.md"]

    def test_document_that_rises_is_hidden_before_its_bytes_are_compared(
        self, world: World
    ) -> None:
        fill(world, 2)
        world.connector.rename("employee/00.md", "director/00.md")
        assert self.visible_at_first_read(world) == ["text of employee/01.md"]
        assert world.texts(EMPLOYEE) == ["text of employee/01.md"]
        assert world.states()["director/00.md"] == "indexed"

    def test_document_that_only_moves_stays_readable_meanwhile(self, world: World) -> None:
        fill(world, 2)
        world.connector.rename("employee/00.md", "employee/sub/00.md")
        assert len(self.visible_at_first_read(world)) == 2

    def test_all_documents_of_a_source_that_rises_are_hidden_before_one_is_read(
        self, world: World
    ) -> None:
        fill(world, 2)
        world.change_source(tier="director", folder_per_tier=False)
        world.connector.put("employee/new.md", "a new text of another size")
        assert self.visible_at_first_read(world) == []
        assert (world.texts(EMPLOYEE), len(world.texts(ALL))) == ([], 3)
        assert world.index_is_exact()

    def test_document_that_is_rejected_now_is_hidden_before_anything_is_read(
        self, world: World
    ) -> None:
        fill(world, 2)
        world.connector.remove("employee/00.md")
        world.connector.rejected = [RejectedItem("employee/00.md", "a symbolic link")]
        world.connector.put("employee/new.md", "a new text of another size")
        assert self.visible_at_first_read(world) == ["text of employee/01.md"]


class TestOrder:
    """What hides something is committed before other work."""

    def test_what_went_is_hidden_before_moves_are_followed(self, world: World) -> None:
        world.connector.put("employee/a.md", "alpha")
        world.connector.put("employee/b.md", "bravo")
        world.sync()
        world.connector.rename("employee/a.md", "employee/c.md")
        world.connector.remove("employee/b.md")
        documents, seen = world.catalog.documents, list[list[str]]()
        move = documents.move

        def look_and_move(*arguments: object, **more: object) -> None:
            seen.append(world.texts())
            move(*arguments, **more)  # type: ignore[arg-type]

        documents.move = look_and_move  # type: ignore[method-assign]
        world.sync()
        assert (seen, world.texts()) == ([["alpha"]], ["alpha"])

    def test_mass_deletion_that_a_crash_left_without_its_hold_is_held(self, world: World) -> None:
        paths = fill(world, 22)
        for path in paths[:12]:
            world.connector.remove(path)
        known = world.catalog.documents.known_items("s1")
        world.catalog.documents.hide([item.document_key for item in known[:12]])  # and then died
        world.sync()
        assert len(world.vectors.keys()) == 22
        world.now += HOLD
        world.sync()
        assert len(world.vectors.keys()) == 10


class TestConvertedTooLate:
    def test_item_that_went_while_it_was_converted_is_not_shown(self, world: World) -> None:
        world.connector.put("employee/a.md", "alpha")
        world.connector.put("employee/b.md", "beta")
        world.converter.held.add("employee/a.md")
        run = world.sync_run()
        run.look()
        run.work(wait_s=0)
        world.connector.remove("employee/a.md")
        run.look(["employee/a.md"], is_live=True)
        world.converter.release("employee/a.md")
        world.finish(run)
        assert world.states() == {"employee/b.md": "searchable"}

    def test_item_that_changed_while_it_was_converted_is_converted_again(
        self, world: World
    ) -> None:
        world.connector.put("employee/a.md", "alpha")
        world.converter.held.add("employee/a.md")
        run = world.sync_run()
        run.look()
        run.work(wait_s=0)
        world.converter.held.clear()
        world.connector.put("employee/a.md", "beta")
        run.look(["employee/a.md"], is_live=True)
        world.pause(2)
        run.work(wait_s=0)
        assert world.converter.converted == ["employee/a.md"]
        world.converter.release("employee/a.md")
        world.finish(run)
        assert (world.texts(), len(world.converter.converted)) == (["beta"], 2)

    def test_look_at_other_paths_drops_nothing(self, world: World) -> None:
        world.connector.put("employee/a.md", "alpha")
        world.connector.put("employee/b.md", "beta")
        world.converter.held.add("employee/a.md")
        run = world.sync_run()
        run.look()
        run.work(wait_s=0)
        run.look(["employee/b.md"], is_live=True)
        world.converter.release("employee/a.md")
        world.finish(run)
        assert world.texts() == ["alpha", "beta"]


class TestLiveLook:
    """A look at what changed just now, as a watcher takes it."""

    def test_what_went_is_hidden_and_erased_by_a_later_look(self, world: World) -> None:
        fill(world, 3)
        world.connector.remove("employee/00.md")
        run = world.sync_run()
        run.look(["employee/00.md"], is_live=True)
        run.erase_missing(min_age=timedelta(seconds=60))
        assert (len(world.texts()), len(world.vectors.keys())) == (2, 3)
        world.now += timedelta(seconds=60)
        run.look(["employee/00.md"], is_live=True)
        run.erase_missing(min_age=timedelta(seconds=60))
        assert len(world.vectors.keys()) == 2
        assert world.index_is_exact()

    def test_what_is_found_elsewhere_later_has_moved(self, world: World) -> None:
        fill(world, 3)
        world.connector.rename("employee/00.md", "manager/00.md")
        run = world.sync_run()
        run.look(["employee/00.md"], is_live=True)
        assert len(world.texts(ALL)) == 2
        world.converter.converted.clear()
        run.look(["manager/00.md"], is_live=True)
        world.finish(run)
        assert (world.converter.converted, len(world.vectors.keys())) == ([], 3)
        assert (len(world.texts(EMPLOYEE)), len(world.texts(ALL))) == (2, 3)
        assert world.states()["manager/00.md"] == "indexed"

    def test_what_was_not_looked_at_is_not_erased(self, world: World) -> None:
        fill(world, 3)
        for name in ("00", "01"):
            world.connector.remove(f"employee/{name}.md")
        run = world.sync_run()
        run.look(["employee/00.md", "employee/01.md"], is_live=True)
        world.now += timedelta(minutes=2)
        world.connector.put("employee/new.md", "new")
        run.look(["employee/00.md", "employee/new.md"], is_live=True)
        run.erase_missing(min_age=timedelta(seconds=60))
        assert len(world.vectors.keys()) == 2

    def test_many_that_went_in_several_looks_are_a_mass_deletion(self, world: World) -> None:
        paths = fill(world, 22)
        run = world.sync_run()
        for path in paths[:12]:
            world.connector.remove(path)
            run.look([path], is_live=True)
        world.now += timedelta(minutes=2)
        run.look(paths[:12], is_live=True)
        run.erase_missing(min_age=timedelta(seconds=60))
        assert (len(world.texts()), len(world.vectors.keys())) == (10, 22)
        world.now += HOLD
        run.look(paths[:12], is_live=True)
        run.erase_missing(min_age=timedelta(seconds=60))
        assert len(world.vectors.keys()) == 10


def test_sync_that_takes_long_erases_what_is_due_meanwhile(world: World) -> None:
    class Slow(Told):
        def done(self, outcome: Outcome) -> None:
            world.pause(20)

    for number in range(20):
        world.connector.put(f"employee/{number}.md", f"text {number}")
    started = world.now
    SourceSync(world.sync_parts(), pause=world.pause).sync_source(
        world.source, world.connector, observer=Slow()
    )
    after = [(at - started).total_seconds() for at in world.asked_to_erase_at]
    assert after == [120, 240, 360, 400]  # six documents are in flight at once
