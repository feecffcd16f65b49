"""Replies that are sent as they come (server-sent events), and end when they must."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from citewell.domain.clearance import Principal
from citewell.domain.errors import CitewellError
from citewell.server.races import Ending, cancel, left, until_ended

_LOG = logging.getLogger("citewell.server")
_HEARTBEAT = b": still here\n\n"
_END = {"type": "http.response.body", "body": b"", "more_body": False}
_PATIENCE_S = 30.0  # with a reader who reads nothing of what was sent
_LAST_WORD_S = 1.0  # for telling why it ends to a reader who may not read


class EventStream(Response):
    """Sends the pieces that a generator gives, each at once, and closes it however it ends.

    It ends early when the reader leaves, is locked out, or reads too slowly; when the server stops;
    and when time is up. What is raised while pieces are made becomes the last piece.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        pieces: AsyncGenerator[bytes, None],
        *,
        place: AbstractAsyncContextManager[None],
        ending: Ending,
        principal: Principal,
        last_word: Callable[[CitewellError], bytes],
        heartbeat_s: float,
    ) -> None:
        """Take what is sent and what it needs.

        Args:
            pieces: What to send, in order.
            place: Entered before anything is sent; it is left when the stream ends.
            ending: What may end it early.
            principal: Who reads.
            last_word: Returns what is sent when it ends with an error.
            heartbeat_s: After so many seconds of silence a comment is sent.
        """
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._pieces = pieces
        self._place = place
        self._ending = ending
        self._principal = principal
        self._last_word = last_word
        self._heartbeat_s = heartbeat_s

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._enter(receive)
            try:
                await send(
                    {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
                )
                await self._send_until_ended(receive, send)
            finally:
                await self._place.__aexit__(None, None, None)
        finally:
            await asyncio.shield(self._pieces.aclose())

    async def _enter(self, receive: Receive) -> None:
        """Wait for a place, unless the reader leaves meanwhile."""
        await until_ended(
            self._place.__aenter__(),
            receive=receive,
            ending=self._ending,
            principal=self._principal,
        )

    async def _send_until_ended(self, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send_all(send))
        leaving = asyncio.ensure_future(left(receive))
        ended = asyncio.ensure_future(self._ending.reason(self._principal))
        try:
            await asyncio.wait({sending, leaving, ended}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
                return
            await cancel(sending)
            if ended.done():
                await self._say_why(ended.result(), send)
        finally:
            await cancel(sending, leaving, ended)

    async def _send_all(self, send: Send) -> None:
        try:
            async for piece in self._with_heartbeat():
                await _send_piece(send, piece)
        except CitewellError as error:
            await _send_piece(send, self._last_word(error))
        except TimeoutError:
            return  # the reader does not read
        except Exception:  # noqa: BLE001 - logged; the reader must be told, and a status has been sent
            _LOG.exception("a stream failed")
            await _send_piece(send, self._last_word(CitewellError()))
        await send(_END)

    async def _with_heartbeat(self) -> AsyncGenerator[bytes, None]:
        """Yield the pieces, and a comment whenever none came for a while."""
        while True:
            coming = asyncio.ensure_future(anext(self._pieces, None))
            try:
                while not (await asyncio.wait({coming}, timeout=self._heartbeat_s))[0]:
                    yield _HEARTBEAT
                piece = coming.result()
            finally:
                await cancel(coming)
            if piece is None:
                return
            yield piece

    async def _say_why(self, error: CitewellError, send: Send) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORD_S):
                await _send_piece(send, self._last_word(error))
                await send(_END)


async def _send_piece(send: Send, piece: bytes) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        await send({"type": "http.response.body", "body": piece, "more_body": True})
