"""Keeps an issuer's keys: fresh while it answers, those of before while it does not.

The issuer is asked at the first token, then from time to time, and when a token names a key that is
not known. Tokens can be made by anybody, so that last one is limited, and few threads wait for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.domain.errors import UnavailableError

if TYPE_CHECKING:
    from jwt import PyJWK

    from citewell.adapters.identity.issuer_keys import IssuerKeys

_WAITING = 4
"""Threads that wait for an answer of the issuer; more would be those that answer questions."""
_PATIENCE_S = 6.0
"""A little more than a fetch may take."""


@dataclass(frozen=True, slots=True)
class RingOptions:
    """How keys are kept.

    Attributes:
        refresh_s: After that many seconds they are fetched anew, while the old ones go on.
        pause_s: Between two fetches at least, whoever asks for them.
        outage_s: How long keys are used that could not be fetched anew.
    """

    refresh_s: float = 300.0
    pause_s: float = 15.0
    outage_s: float = 86_400.0


def start_thread(work: Callable[[], None]) -> None:
    """Run work beside; the end of the process does not wait for it."""
    threading.Thread(target=work, name="issuer-keys", daemon=True).start()


class KeyRing:
    """The keys of one issuer; safe to use from several threads."""

    def __init__(
        self,
        fetch: Callable[[], IssuerKeys],
        *,
        options: RingOptions | None = None,
        clock: Callable[[], float] = time.monotonic,
        run_beside: Callable[[Callable[[], None]], None] = start_thread,
    ) -> None:
        """Take what fetches the keys, how to keep them, a clock, and what runs a fetch beside."""
        self._fetch = fetch
        self._options = options or RingOptions()
        self._clock = clock
        self._run_beside = run_beside
        self._keys: IssuerKeys | None = None
        self._fetched_at = 0.0
        self._tried_at: float | None = None
        self._reason = ""
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._done.set()
        self._waiters = threading.BoundedSemaphore(_WAITING)

    def find(self, name: str, algorithm: str) -> PyJWK | None:
        """Return the key of this name for an algorithm; None if the issuer has none.

        Args:
            name: As the token has it, or "" where it names no key: then there must be only one.
            algorithm: One of those that are accepted.

        Raises:
            UnavailableError: The issuer's keys are not known.
        """
        keys = self._current()
        if keys is None:
            self._start_fetch()
            self._wait()
            keys = self._current()
            if keys is None:
                raise UnavailableError(f"the issuer of tokens cannot be asked: {self._reason}")
        elif self._clock() - self._fetched_at > self._options.refresh_s:
            self._start_fetch()
        found = _pick(keys, name, algorithm)
        if found is None and self._start_fetch():
            self._wait()
            found = _pick(self._current() or {}, name, algorithm)
        return found

    def has(self, name: str) -> bool:
        """Return whether a key of this name is known; asks nobody, but looks whether it should."""
        keys = self._current()
        if keys is None or self._clock() - self._fetched_at > self._options.refresh_s:
            self._start_fetch()
        return keys is not None and any(name in ("", known) for known, _ in keys)

    def _current(self) -> IssuerKeys | None:
        """Return the keys unless they are too old to be believed."""
        with self._lock:
            is_old = self._clock() - self._fetched_at > self._options.outage_s
            return None if is_old else self._keys

    def _start_fetch(self) -> bool:
        """Ask the issuer unless it was asked just now; whether it is being asked."""
        with self._lock:
            if not self._done.is_set():
                return True
            now = self._clock()
            if self._tried_at is not None and now - self._tried_at < self._options.pause_s:
                return False
            self._tried_at = now
            self._done.clear()
        self._run_beside(self._refresh)
        return True

    def _refresh(self) -> None:
        try:
            keys = self._fetch()
            with self._lock:
                self._keys, self._fetched_at = keys, self._clock()
        except UnavailableError as error:
            self._reason = str(error)
        finally:
            self._done.set()

    def _wait(self) -> None:
        """Wait for the fetch that goes on, if there is one and not too many wait for it."""
        if self._waiters.acquire(blocking=False):
            try:
                self._done.wait(_PATIENCE_S)
            finally:
                self._waiters.release()


def _pick(keys: IssuerKeys, name: str, algorithm: str) -> PyJWK | None:
    if name:
        return keys.get((name, algorithm))
    fitting = [key for (_, signs_with), key in keys.items() if signs_with == algorithm]
    return fitting[0] if len(fitting) == 1 else None
