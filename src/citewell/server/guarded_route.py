"""Routes that ask the access table before anything of a request is read."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from citewell.domain.errors import NotFoundError
from citewell.server.access_table import AccessRow, row_of
from citewell.server.request_state import principal_or_none, say_in_logs


class GuardedRoute(APIRoute):
    """A route that only those may call whom its row lets; without a row it cannot be made."""

    @override
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        rows = {method: row_of(method, self.path) for method in self.methods or ()}
        handle = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            check_access(rows[request.method], request)
            return await handle(request)

        return guarded


class GuardedApp:
    """An application at one path that only those may call whom its row lets."""

    def __init__(self, app: ASGIApp, *, method: str, path: str) -> None:
        """Take the application and where it is.

        Raises:
            LookupError: The access table has no such row.
        """
        self._app = app
        self._row = row_of(method, path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        check_access(self._row, Request(scope))
        await self._app(scope, receive, send)


def check_access(row: AccessRow, request: Request) -> None:
    """Let a request pass whose credential has the scope of the row.

    Raises:
        NotFoundError: It has not; it must not learn that there is something.
    """
    say_in_logs("route", f"{row.method} {row.path}")
    if row.scope is None:
        return
    principal = principal_or_none(request.scope)
    if principal is None or row.scope not in principal.scopes:
        raise NotFoundError
