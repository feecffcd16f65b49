"""The change feed of a folder: events where they reach, else polling."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from typing_extensions import override

from citewell.adapters.change_feeds.events import EventFeed, EventsFailedError
from citewell.adapters.change_feeds.gathered import GatheredChanges
from citewell.adapters.change_feeds.polling import PollingFeed
from citewell.adapters.change_feeds.reach import take_census, why_not_events
from citewell.domain.source import WatchMode
from citewell.ports.change_feed import ChangeFeed, Changes
from citewell.ports.connector import Connector


class FolderFeeds:
    """Opens the feeds of folders, and counts what they follow: the system has one limit for all."""

    def __init__(
        self,
        *,
        poll_interval_s: float,
        path_of: Callable[[bytes], str],
        apart: Path | None = None,
    ) -> None:
        """Say how folders are followed.

        Args:
            poll_interval_s: Seconds between two listings.
            path_of: Returns the relative path of an item from the bytes of the file system.
            apart: A folder whose changes are no news, resolved: that of our own data.
        """
        self._apart = apart
        self._path_of = path_of
        self._poll_interval_s = poll_interval_s
        self._lock = threading.Lock()
        self._n_folders: dict[Path, int] = {}

    def open(self, root: str, connector: Connector, wake: Callable[[], None]) -> ChangeFeed:
        """Return the feed of a folder; `connector` lists it if it must be polled."""
        return FolderFeed(
            Path(root),
            connector,
            wake,
            poll_interval_s=self._poll_interval_s,
            path_of=self._path_of,
            check=self.check,
            apart=self._apart,
        )

    def check(self, root: Path) -> None:
        """Count the folders below `root`.

        Raises:
            EventsFailedError: Events would miss changes there.
        """
        census = take_census(root)
        with self._lock:
            self._n_folders[root] = census.n_folders
            others = sum(self._n_folders.values()) - census.n_folders
            if reason := why_not_events(root, census, n_other_folders=others):
                del self._n_folders[root]
                raise EventsFailedError(reason)


class FolderFeed(ChangeFeed):
    """Follows a folder by events, and polls it from the moment on at which they do not reach."""

    def __init__(
        self,
        root: Path,
        connector: Connector,
        wake: Callable[[], None],
        *,
        poll_interval_s: float,
        path_of: Callable[[bytes], str],
        check: Callable[[Path], None],
        apart: Path | None = None,
    ) -> None:
        """Begin to follow.

        Args:
            root: The folder.
            connector: Lists it.
            wake: Called when there is something to take.
            poll_interval_s: Seconds between two listings.
            path_of: Returns the relative path of an item from the bytes of the file system.
            check: Raises `EventsFailedError` where events would miss changes.
            apart: A folder whose changes are not told.
        """
        self._connector = connector
        self._wake = wake
        self._poll_interval_s = poll_interval_s
        self._missed = GatheredChanges(wake)
        self._lock = threading.Lock()
        self._closed = False
        self._feed: ChangeFeed
        with self._lock:  # a failure may be told before the feed is ours
            try:
                check(root)
                self._feed = EventFeed(
                    root,
                    wake,
                    path_of=path_of,
                    on_failure=self._fall_back,
                    check=lambda: check(root),
                    apart=apart,
                )
            except EventsFailedError as error:
                self._feed = self._polling(str(error))

    @property
    @override
    def mode(self) -> WatchMode:
        return self._feed.mode

    @property
    @override
    def reason(self) -> str | None:
        return self._feed.reason

    @override
    def take(self) -> Changes:
        missed = self._missed.take()
        found = self._feed.take()
        return missed if missed.everything else found

    @override
    def close(self) -> None:
        with self._lock:
            self._closed = True
            feed = self._feed
        feed.close()

    def _fall_back(self, reason: str) -> None:
        """Poll from now on; called from the thread of the events."""
        with self._lock:
            if not self._closed:
                self._feed = self._polling(reason)
                self._missed.add_everything()

    def _polling(self, reason: str) -> PollingFeed:
        return PollingFeed(
            self._connector, self._wake, interval_s=self._poll_interval_s, reason=reason
        )
