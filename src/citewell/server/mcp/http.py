"""MCP over HTTP: one path, no sessions, the same callers and limits as every other route."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import Context
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Message, Scope
from typing_extensions import override

from citewell.domain.clearance import Principal
from citewell.server.guarded_route import GuardedApp
from citewell.server.mcp.door import Door, Result, ToolParts, Work
from citewell.server.mcp.tools import make_tool_server
from citewell.server.middleware.body_limit import MAX_BODY_BYTES
from citewell.server.races import until_ended
from citewell.server.request_state import principal_of, request_id_of

if TYPE_CHECKING:
    from citewell.server.parts import ServerParts

PATH = "/mcp"


class HttpDoor(Door):
    """Calls that came as HTTP requests, whose callers were let in already."""

    def __init__(self, parts: ServerParts) -> None:
        """Take the parts of the server."""
        self._parts = parts
        self._lent = ToolParts(
            tiers=parts.tiers,
            top_k=parts.top_k,
            searching=parts.searching,
            answering=parts.answering,
            passages=parts.passages,
            library=parts.library,
            sources=parts.sources,
            tracer=parts.tracer,
        )

    @override
    def principal_of(self, context: Context[Any, Any]) -> Principal:
        return principal_of(_scope_of(context))

    @override
    def request_id_of(self, context: Context[Any, Any]) -> str:
        return request_id_of(_scope_of(context))

    @override
    @asynccontextmanager
    async def lent(self) -> AsyncGenerator[ToolParts]:
        yield self._lent

    @override
    async def hold(self, principal: Principal, work: Work[Result]) -> Result:
        async with self._parts.places.place(principal):
            return await until_ended(
                work(), receive=_nothing_more, ending=self._parts.ending, principal=principal
            )


class McpRoute:
    """The path of MCP and the sessions behind it, which last as long as one request."""

    def __init__(self, parts: ServerParts) -> None:
        """Take the parts of the server."""
        self._server = make_tool_server(HttpDoor(parts), version=version("citewell"))
        self._server.streamable_http_app(
            stateless_http=True,  # a session would be for whoever has its id
            json_response=True,
            max_request_body_size=MAX_BODY_BYTES,
            transport_security=TransportSecuritySettings(
                allowed_hosts=list(_with_ports(parts.hosts)),
                allowed_origins=[*_origins(parts.hosts), *parts.origins],
            ),
        )
        handle = self._server.session_manager.asgi_app
        self.route = Route(PATH, GuardedApp(handle, method="POST", path=PATH), methods=["POST"])

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Answer calls while it is entered."""
        async with self._server.session_manager.run():
            yield


def _scope_of(context: Context[Any, Any]) -> Scope:
    """Return the scope of the request that made this very call."""
    request = context.request_context.request
    if not isinstance(request, Request):
        raise TypeError("the call did not come over HTTP")
    return request.scope


async def _nothing_more() -> Message:
    """Wait for ever: whether the caller left is not told for each call."""
    return await asyncio.get_running_loop().create_future()


def _with_ports(hosts: Iterable[str]) -> Iterable[str]:
    for host in hosts:
        named = f"[{host}]" if ":" in host else host
        yield from (named, f"{named}:*")


def _origins(hosts: Iterable[str]) -> Iterable[str]:
    for host in _with_ports(hosts):
        yield from (f"http://{host}", f"https://{host}")
