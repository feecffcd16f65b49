"""Sources that are followed by one loop, in a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from typing_extensions import override

from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder
from citewell.domain.errors import BusyError, EmbedderError
from citewell.domain.source import Source
from citewell.ingestion.fill_vectors import VectorFilling
from citewell.ingestion.watch_source import EndedRun
from citewell.ingestion.watch_sources import SourcesWatch, WatchObservers
from citewell.ports.change_feed import ChangeFeed
from citewell.ports.connector import Connector
from citewell.ports.embedder import PassageText
from citewell.testing.memory_source import MemoryConnector
from citewell.testing.scripted_feed import ScriptedFeed
from conftest import Told, World

DEADLINE_S = 60.0


class NoticingEmbedder(FakeLexicalEmbedder):
    """Calls a test before it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Callable[[], None] = lambda: None

    @override
    def embed_passages(self, passages: Sequence[PassageText]) -> NDArray[np.float32]:
        self.before()
        return super().embed_passages(passages)


class Followed:
    """A world whose source is followed, with room for a second one."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.other = world.catalog.sources.register(
            Source("s2", "other", "folder", "/other", tier="employee")
        )
        self.connectors = {"s1": world.connector, "s2": MemoryConnector()}
        self.connectors["s2"].put("other.md", "other")
        self.feeds: dict[str, ScriptedFeed] = {}
        self.ended: list[EndedRun] = []
        self.troubles: list[str] = []
        self.embedder = NoticingEmbedder()
        self.n_upkeeps = 0
        self.upkeep: Callable[[], None] = lambda: None
        parts = world.sync_parts()
        self.watch = SourcesWatch(
            parts=replace(parts, options=replace(parts.options, settle_s=0)),
            open_feed=self._open,
            connector=lambda source: self.connectors[source.id],
            filling=VectorFilling(
                world.catalog.pending, self.embedder, world.vectors, world.writer, batch_size=3
            ),
            observers=WatchObservers(
                sync=Told(), ended=self.ended.append, trouble=self.troubles.append
            ),
            upkeep=self._keep_up,
        )
        self.thread = threading.Thread(target=self._run)
        self.error: Exception | None = None

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        self.watch.stop()
        self.thread.join(DEADLINE_S)
        assert not self.thread.is_alive()

    def until(self, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while not is_so():
            assert self.thread.is_alive(), self.error
            assert time.monotonic() < deadline
            threading.Event().wait(0.01)

    def _run(self) -> None:
        try:
            self.watch.watch_sources([self.world.source, self.other])
        except Exception as error:  # noqa: BLE001 - told by the test that waits
            self.error = error

    def _open(self, source: Source, _connector: Connector, wake: Callable[[], None]) -> ChangeFeed:
        self.feeds[source.id] = ScriptedFeed(wake)
        return self.feeds[source.id]

    def _keep_up(self) -> None:
        self.n_upkeeps += 1
        self.upkeep()


@pytest.fixture
def followed(world: World) -> Iterator[Followed]:
    world.connector.put("employee/a.md", "alpha")
    made = Followed(world)
    yield made
    if made.thread.is_alive():
        made.stop()


def test_all_are_brought_up_to_date_and_followed_until_told_to_stop(followed: Followed) -> None:
    followed.start()
    followed.until(lambda: followed.world.texts() == ["alpha", "other"])
    followed.connectors["s2"].put("other.md", "changed")
    followed.feeds["s2"].tell("other.md")
    followed.until(lambda: followed.world.texts() == ["alpha", "changed"])
    followed.stop()
    assert followed.error is None
    assert [feed.is_closed for feed in followed.feeds.values()] == [True, True]
    assert followed.world.catalog.sources.status_of("s1").watch_mode is None


def test_vectors_are_made_while_nothing_waits(followed: Followed) -> None:
    followed.start()
    followed.until(lambda: len(followed.world.vectors.keys()) == 2)


def test_vectors_give_way_to_a_change_after_one_batch(followed: Followed) -> None:
    world = followed.world
    for n in range(30):
        world.connector.put(f"employee/{n:02}.md", f"text {n}")
    seen: list[bool] = []

    def remove_one() -> None:
        seen.append("alpha" in world.texts())
        if len(seen) == 1:
            world.connector.remove("employee/a.md")
            followed.feeds["s1"].tell("employee/a.md")

    followed.embedder.before = remove_one
    followed.start()
    followed.until(lambda: len(seen) >= 3)
    assert seen[:3] == [True, False, False]


def test_change_is_looked_at_while_a_batch_takes_long(followed: Followed) -> None:
    world, hold = followed.world, threading.Event()
    followed.embedder.before = lambda: hold.wait(DEADLINE_S)
    followed.start()
    followed.until(lambda: any(t.name == "vectors" for t in threading.enumerate()))
    world.connector.remove("employee/a.md")
    world.connector.put("employee/b.md", "beta")
    followed.feeds["s1"].tell("employee")
    followed.until(lambda: world.texts() == ["beta", "other"])
    assert len(world.vectors.keys()) == 0
    hold.set()
    followed.until(lambda: world.catalog.pending.n_pending_vectors() == 0)


def test_upkeep_waits_for_a_batch_that_is_being_made(followed: Followed) -> None:
    hold = threading.Event()
    followed.embedder.before = lambda: hold.wait(DEADLINE_S)
    followed.start()
    followed.until(lambda: any(t.name == "vectors" for t in threading.enumerate()))
    n_before = followed.n_upkeeps
    followed.world.pause(300)
    followed.world.connector.put("employee/b.md", "beta")
    followed.feeds["s1"].tell("employee/b.md")
    followed.until(lambda: "beta" in followed.world.texts())
    assert followed.n_upkeeps == n_before
    hold.set()
    followed.until(lambda: followed.n_upkeeps > n_before)


def test_embedder_out_of_reach_is_told_and_keeps_nobody_waiting(followed: Followed) -> None:
    def fail() -> None:
        raise EmbedderError("nobody answers")

    followed.embedder.before = fail
    followed.start()
    followed.until(lambda: followed.troubles == ["vectors are made later: nobody answers"])
    followed.world.connector.put("employee/b.md", "beta")
    followed.feeds["s1"].tell("employee/b.md")
    followed.until(lambda: "beta" in followed.world.texts())
    followed.embedder.before = lambda: None
    followed.world.pause(60)
    followed.until(lambda: len(followed.world.vectors.keys()) == 3)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (BusyError("somebody is at it"), "somebody is at it"),
        (ZeroDivisionError("text of a document"), "an unexpected error: ZeroDivisionError"),
    ],
)
def test_upkeep_that_fails_is_told_and_tried_again(
    followed: Followed, error: Exception, told: str
) -> None:
    def fail() -> None:
        raise error

    followed.upkeep = fail
    followed.start()
    followed.until(lambda: followed.troubles == [told])
    followed.upkeep = lambda: None
    followed.world.pause(30)
    followed.until(lambda: followed.n_upkeeps >= 2)


def test_upkeep_is_not_put_off_for_ever_by_what_waits(followed: Followed) -> None:
    followed.world.converter.held.add("employee/a.md")
    followed.start()
    followed.until(lambda: followed.n_upkeeps == 1)
    followed.until(lambda: "employee/a.md" in followed.world.converter.converted)
    followed.world.pause(31)
    followed.until(lambda: "other" in followed.world.texts())
    assert followed.n_upkeeps == 1
    followed.world.pause(200)
    followed.until(lambda: followed.n_upkeeps == 2)


def test_source_that_cannot_be_read_keeps_no_other_from_it(followed: Followed) -> None:
    followed.world.connector.is_available = False
    followed.start()
    followed.until(lambda: followed.world.texts() == ["other"])
    registry = followed.world.catalog.sources
    followed.until(lambda: registry.status_of("s1").state == "unavailable")
    followed.world.connector.is_available = True
    followed.feeds["s1"].tell_everything()
    followed.until(lambda: followed.world.texts() == ["alpha", "other"])


def test_source_that_another_syncs_is_refused_before_anything_is_read(followed: Followed) -> None:
    def busy(_: Source) -> AbstractContextManager[None]:
        raise BusyError("it is being synced")

    followed.watch.parts = replace(followed.watch.parts, hold_source=busy)
    with pytest.raises(BusyError, match="it is being synced"):
        followed.watch.watch_sources([followed.world.source])
    assert followed.world.texts() == []
