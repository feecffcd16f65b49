"""Ends what nobody waits for any more: the reader left, was locked out, or time is up."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from starlette.types import Receive

from citewell.domain.clearance import Principal
from citewell.domain.errors import CitewellError, CredentialsError, UnavailableError
from citewell.ports.authenticator import Authenticator
from citewell.server.threads import in_thread

_Result = TypeVar("_Result")


class ReaderLeftError(Exception):
    """Nobody reads the reply any more."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What may end an answer before it is made.

    Attributes:
        authenticator: Asked whether the reader is still let in.
        stopping: Set when the server was told to stop.
        answer_s: How long an answer may take, in seconds.
        shutdown_s: How long it may go on once the server was told to stop, in seconds.
        ask_again_s: How often the authenticator is asked; a revocation must act within five
            seconds.
    """

    authenticator: Authenticator
    answer_s: float
    shutdown_s: float
    ask_again_s: float = 2.0
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    async def reason(self, principal: Principal) -> CitewellError:
        """Return why an answer must end now, as soon as there is a reason."""
        watching = [
            asyncio.ensure_future(self._lock_out(principal)),
            asyncio.ensure_future(self._stop()),
            asyncio.ensure_future(self._time_out()),
        ]
        try:
            done, _ = await asyncio.wait(watching, return_when=asyncio.FIRST_COMPLETED)
            return done.pop().result()
        finally:
            await cancel(*watching)

    async def _lock_out(self, principal: Principal) -> CitewellError:
        is_valid = True
        while is_valid:
            await asyncio.sleep(self.ask_again_s)
            is_valid = await in_thread(self.authenticator.is_valid, principal)
        return CredentialsError()

    async def _stop(self) -> CitewellError:
        await self.stopping.wait()
        await asyncio.sleep(self.shutdown_s)
        return UnavailableError("the server is being stopped: try again later")

    async def _time_out(self) -> CitewellError:
        await asyncio.sleep(self.answer_s)
        return UnavailableError("the answer took too long")


async def until_ended(
    work: Coroutine[Any, Any, _Result], *, receive: Receive, ending: Ending, principal: Principal
) -> _Result:
    """Return what some work gives, unless something ends it first; it is cancelled then.

    Raises:
        ReaderLeftError: The connection was closed.
        CitewellError: Why it ended, or what the work raised.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(left(receive))
    ended = asyncio.ensure_future(ending.reason(principal))
    try:
        await asyncio.wait({working, leaving, ended}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        if ended.done():
            raise ended.result()
        raise ReaderLeftError
    finally:
        await cancel(working, leaving, ended)


async def left(receive: Receive) -> None:
    """Return when the reader has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def cancel(*tasks: asyncio.Future[Any]) -> None:
    """Cancel tasks and wait until they have ended, however they do."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
