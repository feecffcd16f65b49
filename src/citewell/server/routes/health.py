"""Whether the server lives and can answer."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse

from citewell.server.guarded_route import GuardedRoute

router = APIRouter(route_class=GuardedRoute, tags=["health"])


@router.get("/health/live")
async def live() -> JSONResponse:
    """Tell that the process answers."""
    return JSONResponse({"status": "ok"})
