"""How much one principal may ask, and how much is answered at once: more gets 429, at once."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from citewell.domain.clearance import Principal
from citewell.domain.errors import RateLimitedError

_TRY_AGAIN_S = 1.0  # about as long as a search or a quoted answer takes when all places are taken


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """How much may be asked.

    Attributes:
        requests_per_minute: Of one principal, of any kind.
        questions_per_minute: Searches and questions of one principal.
        questions_per_principal: Of those, answered or waiting at the same time.
        questions_at_once: Answered at the same time, of all principals.
        questions_waiting: Waiting for a place, of all principals.
        waiting_s: How long a place is waited for, in seconds.
    """

    requests_per_minute: int
    questions_per_minute: int
    questions_per_principal: int
    questions_at_once: int
    questions_waiting: int
    waiting_s: float


class RequestRate:
    """Counts the requests of each principal over the last minute; it lives in memory."""

    def __init__(self, per_minute: int) -> None:
        """Take how many are allowed."""
        self._item = RateLimitItemPerMinute(per_minute)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def count(self, principal: Principal) -> None:
        """Count one request.

        Raises:
            RateLimitedError: It is one too many; it is not counted.
        """
        if self._limiter.hit(self._item, principal.id):
            return
        free_at = self._limiter.get_window_stats(self._item, principal.id).reset_time
        raise RateLimitedError(
            f"more than {self._item.amount} requests in a minute: try again later",
            retry_after_s=free_at - time.time(),
        )


class QuestionPlaces:
    """The places in which searches and questions are answered, and the queue before them.

    It belongs to one event loop.
    """

    def __init__(self, options: LimitOptions) -> None:
        """Take how many places there are."""
        self._options = options
        self._rate = RequestRate(options.questions_per_minute)
        self._free = asyncio.Semaphore(options.questions_at_once)
        self._n_waiting = 0
        self._of_principal: Counter[str] = Counter()

    @asynccontextmanager
    async def place(self, principal: Principal) -> AsyncGenerator[None]:
        """Hold a place while it is entered; first come, first served.

        Raises:
            RateLimitedError: The principal asks too much, or too many wait.
        """
        if self._of_principal[principal.id] >= self._options.questions_per_principal:
            raise _too_many("you have too many questions open at once")
        if self._free.locked() and self._n_waiting >= self._options.questions_waiting:
            raise _too_many("too many questions wait for an answer")
        self._rate.count(principal)
        self._of_principal[principal.id] += 1
        try:
            await self._wait()
            try:
                yield
            finally:
                self._free.release()
        finally:
            self._leave(principal)

    async def _wait(self) -> None:
        self._n_waiting += 1
        try:
            async with asyncio.timeout(self._options.waiting_s):
                await self._free.acquire()
        except TimeoutError:
            raise _too_many("no place became free in time") from None
        finally:
            self._n_waiting -= 1

    def _leave(self, principal: Principal) -> None:
        self._of_principal[principal.id] -= 1
        if self._of_principal[principal.id] <= 0:
            del self._of_principal[principal.id]


def _too_many(reason: str) -> RateLimitedError:
    return RateLimitedError(f"{reason}: try again later", retry_after_s=_TRY_AGAIN_S)
