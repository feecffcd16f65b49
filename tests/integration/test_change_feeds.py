"""What a real file system tells of changes, and what happens where it tells nothing."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from citewell.adapters.change_feeds.events import EventFeed, EventsFailedError
from citewell.adapters.change_feeds.folder import FolderFeed, FolderFeeds
from citewell.adapters.change_feeds.polling import PollingFeed
from citewell.adapters.connectors.folder import FolderConnector
from citewell.adapters.connectors.names import path_of_bytes
from citewell.ports.change_feed import ChangeFeed

DEADLINE_S = 60.0


class Listener:
    """Takes from a feed until it has told of something."""

    def __init__(self) -> None:
        self.woken = threading.Event()
        self.paths: set[str] = set()
        self.n_everything = 0

    def until(self, feed: ChangeFeed, is_enough: Callable[[Listener], bool]) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while True:
            changes = feed.take()
            self.paths |= changes.paths
            self.n_everything += changes.everything
            if is_enough(self):
                return
            assert time.monotonic() < deadline, (self.paths, self.n_everything)
            self.woken.wait(1)
            self.woken.clear()

    def hears(self, feed: ChangeFeed, *paths: str) -> None:
        self.until(feed, lambda heard: heard.paths >= set(paths))

    def hears_of_everything(self, feed: ChangeFeed) -> None:
        n = self.n_everything
        self.until(feed, lambda heard: heard.n_everything > n)


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "docs"
    path.mkdir()
    (path / "a.md").write_text("alpha")
    return path


@pytest.fixture
def feed(root: Path, listener: Listener) -> Iterator[ChangeFeed]:
    opened = follow(root, listener)
    if opened.mode != "events":
        opened.close()
        pytest.skip(f"no events in the temporary folder: {opened.reason}")
    listener.hears_of_everything(opened)  # from now on events can come
    yield opened
    opened.close()


def follow(root: Path, listener: Listener) -> ChangeFeed:
    feeds = FolderFeeds(poll_interval_s=0.05, path_of=path_of_bytes)
    return feeds.open(str(root), FolderConnector(root), listener.woken.set)


class TestEvents:
    def test_new_changed_and_removed_files_are_told(
        self, feed: ChangeFeed, root: Path, listener: Listener
    ) -> None:
        (root / "b.md").write_text("beta")
        listener.hears(feed, "b.md")
        listener.paths.clear()
        (root / "b.md").write_text("gamma")
        listener.hears(feed, "b.md")
        listener.paths.clear()
        (root / "b.md").unlink()
        listener.hears(feed, "b.md")

    def test_safe_save_tells_of_the_target(
        self, feed: ChangeFeed, root: Path, listener: Listener
    ) -> None:
        (root / ".a.md.swp").write_text("beta")
        (root / ".a.md.swp").rename(root / "a.md")
        listener.hears(feed, "a.md")
        assert listener.paths == {"a.md"}

    def test_rename_tells_of_both_names(
        self, feed: ChangeFeed, root: Path, listener: Listener
    ) -> None:
        (root / "a.md").rename(root / "A.md")
        listener.hears(feed, "a.md", "A.md")

    def test_moved_folder_is_told_as_a_folder(
        self, feed: ChangeFeed, root: Path, tmp_path: Path, listener: Listener
    ) -> None:
        outside = tmp_path / "outside" / "deep"
        outside.mkdir(parents=True)
        (outside / "b.md").write_text("beta")
        (tmp_path / "outside").rename(root / "inside")
        listener.hears(feed, "inside")
        listener.paths.clear()
        (root / "inside" / "deep" / "b.md").write_text("gamma")
        listener.hears(feed, "inside/deep/b.md")

    def test_new_folder_is_told_again_for_what_was_missed(
        self, feed: ChangeFeed, root: Path, listener: Listener
    ) -> None:
        (root / "new").mkdir()
        listener.hears(feed, "new")
        listener.paths.clear()
        listener.hears(feed, "new")

    def test_names_are_told_as_the_source_lists_them(
        self, feed: ChangeFeed, root: Path, listener: Listener
    ) -> None:
        name = r"Größe \x41 空.md"
        (root / name).write_text("text")
        listed = {item.relative_path for item in FolderConnector(root).scan()} - {"a.md"}
        listener.hears(feed, *listed)

    def test_replaced_root_is_followed_and_told_as_a_whole(
        self, feed: ChangeFeed, root: Path, listener: Listener
    ) -> None:
        root.rename(root.with_name("old"))
        root.mkdir()
        listener.hears_of_everything(feed)
        listener.until(feed, lambda _: bool(_try_to_be_heard(feed, root, listener)))
        shutil.rmtree(root.with_name("old"))

    def test_root_that_is_missing_is_followed_once_it_is_there(
        self, tmp_path: Path, listener: Listener
    ) -> None:
        root = tmp_path / "later"
        feed = follow(root, listener)
        root.mkdir()
        listener.hears_of_everything(feed)
        (root / "a.md").write_text("alpha")
        listener.hears(feed, "a.md")
        feed.close()

    def test_name_that_is_not_utf_8_makes_it_poll(
        self, feed: ChangeFeed, root: Path, listener: Listener
    ) -> None:
        Path(os.fsdecode(os.fsencode(root) + b"/\xff.md")).write_text("text")
        listener.until(feed, lambda _: feed.mode == "polling")
        assert feed.reason is not None
        (root / "b.md").write_text("beta")
        listener.until(
            feed, lambda heard: "b.md" in heard.paths or _seen_by_now(feed, heard, root / "b.md")
        )


def _try_to_be_heard(feed: ChangeFeed, root: Path, listener: Listener) -> bool:
    """Write until it is told: events of a new root come only some time after it is there."""
    (root / "b.md").write_text(str(time.monotonic()))
    listener.woken.wait(0.2)
    return "b.md" in feed.take().paths


def _seen_by_now(feed: ChangeFeed, heard: Listener, path: Path) -> bool:
    path.write_text(str(time.monotonic()))
    return False


class TestPolling:
    @pytest.fixture
    def polled(self, root: Path, listener: Listener) -> Iterator[ChangeFeed]:
        feed = PollingFeed(
            FolderConnector(root), listener.woken.set, interval_s=0.05, reason="a test"
        )
        listener.hears_of_everything(feed)
        yield feed
        feed.close()

    def test_new_changed_and_removed_files_are_told(
        self, polled: ChangeFeed, root: Path, listener: Listener
    ) -> None:
        (root / "b.md").write_text("beta")
        listener.hears(polled, "b.md")
        listener.paths.clear()
        (root / "b.md").write_text("beta, longer")
        listener.hears(polled, "b.md")
        listener.paths.clear()
        (root / "b.md").unlink()
        listener.hears(polled, "b.md")
        assert (polled.mode, polled.reason) == ("polling", "a test")

    def test_source_that_goes_and_comes_is_told_as_a_whole(
        self, polled: ChangeFeed, root: Path, listener: Listener
    ) -> None:
        root.rename(root.with_name("old"))
        listener.hears_of_everything(polled)
        root.with_name("old").rename(root)
        listener.hears_of_everything(polled)
        listener.paths.clear()
        (root / "b.md").write_text("beta")
        listener.hears(polled, "b.md")


class TestFallback:
    def test_folder_that_events_do_not_reach_is_polled_from_the_start(
        self, root: Path, listener: Listener
    ) -> None:
        def check(_: Path) -> None:
            raise EventsFailedError("it lies on nfs")

        feed = FolderFeed(
            root,
            FolderConnector(root),
            listener.woken.set,
            poll_interval_s=0.05,
            path_of=path_of_bytes,
            check=check,
        )
        assert (feed.mode, feed.reason) == ("polling", "it lies on nfs")
        listener.hears_of_everything(feed)
        (root / "b.md").write_text("beta")
        listener.hears(feed, "b.md")
        feed.close()

    def test_limit_of_the_system_that_is_reached_makes_it_poll(
        self, root: Path, listener: Listener
    ) -> None:
        def watch(*_: object, **__: object) -> Iterator[set[tuple[int, str]]]:
            raise OSError("OS file watch limit reached.")

        told: list[str] = []
        feed = EventFeed(
            root,
            listener.woken.set,
            path_of=path_of_bytes,
            on_failure=told.append,
            watch=watch,
        )
        feed._thread.join(DEADLINE_S)
        assert told == ["events do not work there (OS file watch limit reached.)"]
        feed.close()

    def test_changes_of_our_own_data_are_not_told(self, root: Path, listener: Listener) -> None:
        (root / "data").mkdir()
        feeds = FolderFeeds(poll_interval_s=1, path_of=path_of_bytes, apart=root / "data")
        feed = feeds.open(str(root), FolderConnector(root), listener.woken.set)
        if feed.mode == "events":
            listener.hears_of_everything(feed)
            (root / "data" / "catalog").write_text("ours")
            (root / "database.md").write_text("theirs")
            listener.hears(feed, "database.md")
            assert listener.paths == {"database.md"}
        feed.close()

    def test_folders_of_all_sources_count_against_the_limit(self, tmp_path: Path) -> None:
        feeds = FolderFeeds(poll_interval_s=1, path_of=path_of_bytes)
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            feeds.check(tmp_path / name)
        feeds.check(tmp_path / "a")
        assert feeds._n_folders == {tmp_path / "a": 1, tmp_path / "b": 1}
