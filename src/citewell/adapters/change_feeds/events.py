"""Changes told by the file system at once."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from typing_extensions import override

from citewell.adapters.change_feeds.gathered import GatheredChanges
from citewell.domain.source import WatchMode
from citewell.ports.change_feed import ChangeFeed, Changes

_STEP_MS = 50  # changes that follow each other within so much belong together
_MOST_MS = 400  # but are told after so much
_LOOK_MS = 1_000  # how often the folder itself is looked at
_CHECK_S = 60.0
_LAST_WORDS_S = 5.0  # for the thread to end; a network drive that hangs is not waited for
_AGAIN_S = (1.5, 10.0)
"""A new folder is told again after that: files that came before it was watched are not told."""


class EventsFailedError(Exception):
    """Events do not work here; the message says why, as one sentence."""


class EventFeed(ChangeFeed):
    """Follows a folder by events.

    A folder that is replaced, unmounted or mounted is followed anew, and told as a whole; so it is
    once the first events can come.
    """

    def __init__(
        self,
        root: Path,
        wake: Callable[[], None],
        *,
        path_of: Callable[[bytes], str],
        on_failure: Callable[[str], None],
        check: Callable[[], None] = lambda: None,
        apart: Path | None = None,
        watch: Callable[..., Iterator[set[tuple[int, str]]]] | None = None,
    ) -> None:
        """Begin to follow a folder in a thread of its own.

        Args:
            root: The folder; it may be missing for a while.
            wake: Called when there is something to take.
            path_of: Returns the relative path of an item from the bytes of the file system.
            on_failure: Told from that thread, once, why events do not work any more.
            check: Called from that thread every minute; raises `EventsFailedError`.
            apart: A folder whose changes are not told.
            watch: Instead of that of watchfiles.
        """
        self._root = root
        self._path_of = path_of
        self._on_failure = on_failure
        self._check = check
        self._apart = None if apart is None else f"{apart}/"
        self._watch = watch
        self._next_check = time.monotonic() + _CHECK_S
        self._gathered = GatheredChanges(wake)
        self._ended = threading.Event()
        self._again: list[tuple[float, str]] = []
        self._thread = threading.Thread(target=self._run, name="events", daemon=True)
        self._thread.start()

    @property
    @override
    def mode(self) -> WatchMode:
        return "events"

    @property
    @override
    def reason(self) -> str | None:
        return None

    @override
    def take(self) -> Changes:
        return self._gathered.take()

    @override
    def close(self) -> None:
        self._ended.set()
        self._thread.join(_LAST_WORDS_S)

    def _run(self) -> None:
        try:
            while not self._ended.is_set():
                try:
                    self._follow()
                except FileNotFoundError:
                    self._ended.wait(_LOOK_MS / 1000)  # who looks finds it unavailable
        except Exception as error:  # noqa: BLE001 - an entry loop: nothing would tell that it ended
            if not self._ended.is_set():
                self._on_failure(_explain(error))

    def _follow(self) -> None:
        """Follow the folder until it is replaced."""
        import watchfiles

        identity = self._identity()
        told = (self._watch or watchfiles.watch)(
            self._root,
            watch_filter=None,
            debounce=_MOST_MS,
            step=_STEP_MS,
            stop_event=self._ended,
            rust_timeout=_LOOK_MS,
            yield_on_timeout=True,
            debug=False,
            raise_interrupt=False,
            force_polling=False,
            ignore_permission_denied=True,
        )
        is_first = True
        for changes in told:
            if is_first:
                self._gathered.add_everything()
                is_first = False
            self._tell(path for _, path in changes)
            self._tell_again()
            if time.monotonic() >= self._next_check:
                self._check()
                self._next_check = time.monotonic() + _CHECK_S
            if self._identity() != identity:
                return

    def _identity(self) -> tuple[int, int]:
        status = self._root.stat()
        return status.st_dev, status.st_ino

    def _tell(self, paths: Iterable[str]) -> None:
        relative: set[str] = set()
        for path in paths:
            if self._apart is not None and f"{path}/".startswith(self._apart):
                continue
            below = os.path.relpath(path, self._root)
            if below == ".":
                self._gathered.add_everything()
            elif not any(part.startswith(".") for part in below.split("/")):  # never offered
                relative.add(self._path_of(os.fsencode(below)))
                if Path(path).is_dir():
                    now = time.monotonic()
                    name = self._path_of(os.fsencode(below))
                    self._again += [(now + pause_s, name) for pause_s in _AGAIN_S]
        if relative:
            self._gathered.add(relative)

    def _tell_again(self) -> None:
        now = time.monotonic()
        due = {path for moment, path in self._again if moment <= now}
        if due:
            self._again = [entry for entry in self._again if entry[0] > now]
            self._gathered.add(due)


def _explain(error: Exception) -> str:
    if isinstance(error, EventsFailedError):
        return str(error)
    return f"events do not work there ({error})"
