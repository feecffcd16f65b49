"""Mints the id of each request, and answers what nobody else could."""

from __future__ import annotations

import logging
import secrets

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewell.domain.errors import CitewellError
from citewell.server.errors import error_response
from citewell.server.request_state import REQUEST, note, principal_or_none

_LOG = logging.getLogger("citewell.server")

_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""What every reply says to browsers, unless a route says otherwise."""


class RequestId:
    """The outermost middleware: an id, headers for browsers, and an error for what went wrong."""

    def __init__(self, app: ASGIApp) -> None:
        """Take what it wraps."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = secrets.token_hex(16)
        note(scope, "request_id", request_id)
        token = REQUEST.set({"request_id": request_id})
        try:
            await self._handle(scope, receive, send, request_id)
        finally:
            REQUEST.reset(token)

    async def _handle(self, scope: Scope, receive: Receive, send: Send, request_id: str) -> None:
        is_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request_id
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as error:
            if is_begun:
                raise
            if not isinstance(error, CitewellError):
                _LOG.exception("request %s failed", request_id)
                error = CitewellError()
            principal = principal_or_none(scope)
            response = error_response(error, request_id=request_id, principal=principal)
            await response(scope, receive, send_with_headers)
