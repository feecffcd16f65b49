"""The HTTP application: middleware, routes, errors and their description."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI, Request
from starlette.middleware import Middleware
from starlette.responses import Response

from citewell.server.access_table import open_paths
from citewell.server.described_api import DescribedApi
from citewell.server.errors import answer_errors
from citewell.server.limits import RequestRate
from citewell.server.mcp.http import McpRoute
from citewell.server.middleware.authentication import Authentication
from citewell.server.middleware.body_limit import BodyLimit
from citewell.server.middleware.host_check import HostCheck
from citewell.server.middleware.request_id import RequestId
from citewell.server.parts import ServerParts
from citewell.server.races import ReaderLeftError
from citewell.server.routes import (
    ask,
    conversations,
    feedback,
    health,
    library,
    metrics,
    openai,
    search,
    sources,
)

Lifespans = Sequence[AbstractAsyncContextManager[object]]

_ROUTERS = (
    health.router,
    search.router,
    ask.router,
    library.router,
    sources.router,
    openai.router,
    conversations.router,
    feedback.router,
    metrics.router,
)


def make_app(parts: ServerParts, *, lifespans: Lifespans = ()) -> FastAPI:
    """Return the application.

    Args:
        parts: What its routes work with.
        lifespans: Entered when it starts, left when it ends.
    """
    mcp = McpRoute(parts)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(mcp.running())
            for each in lifespans:
                await stack.enter_async_context(each)
            yield

    app = DescribedApi(
        title="Citewell",
        summary="Answers from an organisation's documents, every sentence with a checked citation.",
        version=version("citewell"),
        lifespan=lifespan,
        middleware=_middleware(parts),
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.parts = parts
    for router in _ROUTERS:
        app.include_router(router)
    app.router.routes.append(mcp.route)
    answer_errors(app)
    app.add_exception_handler(ReaderLeftError, _say_nothing)
    return app


def _middleware(parts: ServerParts) -> list[Middleware]:
    """Return what every request passes, in order."""
    return [
        Middleware(RequestId),
        Middleware(HostCheck, hosts=parts.hosts, origins=parts.origins),
        Middleware(BodyLimit),
        Middleware(
            Authentication,
            authenticator=parts.authenticator,
            rate=RequestRate(parts.limits.requests_per_minute),
            open_paths=open_paths(),
        ),
    ]


async def _say_nothing(_request: Request, _error: Exception) -> Response:
    return Response(status_code=499)  # nobody reads it; nginx has this number for it
