"""Sources, and syncing them."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import JSONResponse

from citewell.domain.clearance import Principal
from citewell.domain.errors import NotFoundError, UnavailableError
from citewell.domain.source import Source
from citewell.ingestion.watch_source import SyncRequest
from citewell.library.list_sources import list_sources
from citewell.replies import run_reply, source_reply
from citewell.server.guarded_route import GuardedRoute
from citewell.server.parts import Asker, Parts, ServerParts
from citewell.server.races import until_ended
from citewell.server.schemas.error import documented
from citewell.server.schemas.library import RunsReply, SourcesReply, SyncReply
from citewell.server.threads import in_thread

router = APIRouter(route_class=GuardedRoute, tags=["sources"])

_BEGIN_S = 60.0  # for the live sync, which may be in the midst of a long look at a big source
_FOR_READERS = ("name", "type", "state")
Name = Annotated[str, Path(min_length=1, max_length=1000)]


@router.get("/sources", responses={**documented(), 200: {"model": SourcesReply}})
async def sources(parts: Parts, asker: Asker) -> JSONResponse:
    """List the sources of which the caller may see something; operators see all, and how."""
    return JSONResponse({"sources": await in_thread(_sources, parts, asker)})


@router.post(
    "/sync/{source}",
    status_code=202,
    responses={
        **documented(409),
        200: {"model": SyncReply, "description": "The run has ended (`wait`)"},
        202: {"model": SyncReply, "description": "The run has begun"},
    },
)
async def sync(
    *,
    source: Name,
    request: Request,
    parts: Parts,
    asker: Asker,
    wait: Annotated[bool, Query(description="Reply when the run has ended.")] = False,
    retry_failed: Annotated[bool, Query(description="Try again what failed.")] = False,
    confirm_deletions: Annotated[bool, Query(description="What is missing is gone.")] = False,
) -> JSONResponse:
    """Look at a source now; a run that goes on already takes it in."""
    found = await in_thread(_find, parts, source)
    asked = SyncRequest(confirmed=confirm_deletions, retry=retry_failed)
    parts.syncs(found.id, asked)
    run_id = await _told(asked.begun)
    if not wait:
        return JSONResponse({"run_id": run_id}, status_code=202)
    await until_ended(
        _ended(asked.ended), receive=request.receive, ending=parts.ending, principal=asker
    )
    return JSONResponse({"run_id": run_id, "run": await in_thread(_run, parts, found, run_id)})


@router.get("/sync/{source}/history", responses={**documented(), 200: {"model": RunsReply}})
async def history(
    source: Name,
    parts: Parts,
    limit: Annotated[int, Query(ge=1, le=1000)] = 20,
) -> JSONResponse:
    """List the runs of a source, the newest first."""
    found = await in_thread(_find, parts, source)
    runs = await in_thread(parts.runs.history, source_id=found.id, limit=limit)
    return JSONResponse({"runs": [run_reply(run) for run in runs]})


def _sources(parts: ServerParts, asker: Principal) -> list[dict[str, Any]]:
    if "admin" in asker.scopes:
        return [_whole(parts, source) for source in parts.sources.sources()]
    seen = list_sources(parts.sources, parts.library, parts.clearance(asker))
    replies = [source_reply(source, parts.sources.status_of(source.id)) for source in seen]
    return [{name: reply[name] for name in _FOR_READERS} for reply in replies]


def _whole(parts: ServerParts, source: Source) -> dict[str, Any]:
    last = next(iter(parts.runs.history(source_id=source.id, limit=1)), None)
    return source_reply(source, parts.sources.status_of(source.id), last_run=last)


def _find(parts: ServerParts, name: str) -> Source:
    found = next((source for source in parts.sources.sources() if source.name == name), None)
    if found is None:
        raise NotFoundError
    return found


def _run(parts: ServerParts, source: Source, run_id: str) -> dict[str, Any]:
    runs = parts.runs.history(source_id=source.id, limit=1000)
    return next(run_reply(run) for run in runs if run.id == run_id)


async def _told(future: Future[str]) -> str:
    """Return what the live sync answers; it goes on, whether somebody waits or not."""
    try:
        async with asyncio.timeout(_BEGIN_S):
            return await _ended(future)
    except TimeoutError:
        raise UnavailableError("the sync did not begin in time: try again later") from None


async def _ended(future: Future[str]) -> str:
    try:
        return await asyncio.shield(asyncio.wrap_future(future))
    except asyncio.CancelledError:
        if future.cancelled():
            raise UnavailableError("the server is being stopped: try again later") from None
        raise
