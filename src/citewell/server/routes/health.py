"""Whether the server lives, can answer, and how its parts stand."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse

from citewell.server.guarded_route import GuardedRoute
from citewell.server.health import status_of
from citewell.server.parts import Asker, Parts
from citewell.server.schemas.error import documented
from citewell.server.schemas.health import HealthReply, LiveReply, ModelsReply
from citewell.server.threads import in_thread

router = APIRouter(route_class=GuardedRoute, tags=["health"])

_HEALTHY: dict[int | str, dict[str, Any]] = {
    **documented(),
    200: {"model": HealthReply},
    503: {"model": HealthReply, "description": "Database or schema is not ready"},
}


@router.get("/health/live", responses={**documented(), 200: {"model": LiveReply}})
async def live() -> JSONResponse:
    """Tell that the process answers."""
    return JSONResponse({"status": "ok"})


@router.get("/health/ready", responses=_HEALTHY)
async def ready(parts: Parts) -> JSONResponse:
    """Tell whether the server is able to answer; nothing that depends on documents."""
    return _reply(await in_thread(parts.health.check_parts))


@router.get("/health", responses=_HEALTHY)
async def health(parts: Parts, asker: Asker) -> JSONResponse:
    """Tell how the parts stand, as this reader may know it; operators see counts too."""
    clearance = parts.clearance(asker)
    checks = await in_thread(parts.health.check_for, clearance)
    if "admin" not in asker.scopes or status_of(checks) == "unavailable":
        return _reply(checks)
    return _reply(checks, details=await in_thread(parts.health.counts, clearance))


@router.get("/health/models", responses={**documented(), 200: {"model": ModelsReply}})
async def models(parts: Parts, asker: Asker) -> JSONResponse:
    """Tell whether the embedder and the language model can be reached; operators see names."""
    embedder, language_model = await parts.health.check_models()
    reply: dict[str, Any] = {
        "embedder": {"state": embedder},
        "language_model": {"state": language_model},
    }
    if "admin" in asker.scopes:
        known = parts.health.embedder
        reply["embedder"]["name"] = known.model.key if known else None
        reply["language_model"]["name"] = parts.health.language_model
    return JSONResponse(reply)


def _reply(checks: dict[str, str], **more: object) -> JSONResponse:
    status = status_of(checks)
    body = {"status": status, "checks": checks, **more}
    return JSONResponse(body, status_code=503 if status == "unavailable" else 200)
