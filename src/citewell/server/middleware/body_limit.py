"""Refuses bodies that are larger than anything that may be asked."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.domain.errors import RequestTooLargeError

MAX_BODY_BYTES = 2**20


class BodyLimit:
    """Lets at most 1 MiB of a request's body pass, whatever its headers say."""

    def __init__(self, app: ASGIApp, *, max_bytes: int = MAX_BODY_BYTES) -> None:
        """Take what it wraps."""
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        for name, value in scope["headers"]:
            if name == b"content-length" and not _is_at_most(value, self._max_bytes):
                raise RequestTooLargeError
        n_bytes = 0

        async def receive_some() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > self._max_bytes:
                raise HTTPException(413)  # what reads bodies lets this one through
            return message

        await self._app(scope, receive_some, send)


def _is_at_most(length: bytes, max_bytes: int) -> bool:
    return length.isdigit() and len(length) <= 18 and int(length) <= max_bytes
