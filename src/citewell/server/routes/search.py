"""`POST /search`."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from citewell.domain.passage import SearchResult
from citewell.replies import search_reply
from citewell.retrieval.search_passages import PassageSearch
from citewell.retrieval.told_search import told_search
from citewell.server.guarded_route import GuardedRoute
from citewell.server.parts import Asker, Parts
from citewell.server.races import until_ended
from citewell.server.schemas.error import documented
from citewell.server.schemas.search import SearchBody, SearchReply, filters_of

router = APIRouter(route_class=GuardedRoute, tags=["ask"])


@router.post("/search", responses={200: {"model": SearchReply}, **documented()})
async def search(body: SearchBody, request: Request, parts: Parts, asker: Asker) -> JSONResponse:
    """Find the passages that fit a question best."""
    clearance = parts.clearance(asker, body.tier)

    def search_told(searching: PassageSearch) -> SearchResult:
        with told_search(parts.tracer) as told:
            result = searching.search_passages(
                body.query,
                clearance,
                top_k=body.top_k or parts.top_k,
                filters=filters_of(body.filters),
                explain=body.explain,
            )
            told.append(result)
        return result

    async def find() -> SearchResult:
        async with parts.places.place(asker):
            searching = await asyncio.to_thread(parts.searching)
            return await asyncio.to_thread(search_told, searching)

    result = await until_ended(
        find(), receive=request.receive, ending=parts.ending, principal=asker
    )
    reply: dict[str, Any] = search_reply(result)
    return JSONResponse(reply)
