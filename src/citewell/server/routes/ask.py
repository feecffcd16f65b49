"""`POST /ask`, the same as `/query`; `/ask/stream`, the same as `/chat`."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from citewell.answering.answer_question import Answering
from citewell.domain.answer import Answer
from citewell.domain.ask_request import AskRequest
from citewell.domain.clearance import Clearance, Principal
from citewell.domain.errors import CitewellError
from citewell.replies import answer_reply
from citewell.retrieval.search_passages import check_question
from citewell.server.answer_events import encode_answer, encode_error
from citewell.server.event_stream import EventStream
from citewell.server.guarded_route import GuardedRoute
from citewell.server.parts import Asker, Parts, ServerParts
from citewell.server.races import until_ended
from citewell.server.request_state import request_id_of
from citewell.server.schemas.ask import AskBody, AskReply
from citewell.server.schemas.error import documented
from citewell.server.schemas.stream import streamed

router = APIRouter(route_class=GuardedRoute, tags=["ask"])

_EVENTS = (
    "event: meta\ndata: {…}\n\nevent: status\ndata: {…}\n\nevent: sentence\ndata: {…}\n\n"
    "event: done\ndata: {everything of the reply of /ask}\n\n"
)
_STREAM = streamed(_EVENTS)
_FAILURES = documented(502, 504)
_ANSWERED: dict[int | str, dict[str, Any]] = {
    200: {"model": AskReply, "description": "An answer", "content": _STREAM},
    **_FAILURES,
}
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {"description": "Events while the answer is made", "content": _STREAM},
    **_FAILURES,
}


@router.post("/ask", responses=_ANSWERED)
@router.post("/query", responses=_ANSWERED)
async def ask(body: AskBody, request: Request, parts: Parts, asker: Asker) -> Response:
    """Answer a question with checked citations, or say that the documents do not answer it."""
    if body.stream:
        return await _stream(body, request, parts, asker)
    clearance = parts.clearance(asker, body.tier)
    asked = body.to_domain(top_k=parts.top_k)
    answer = await answer_to(asked, clearance, request, parts=parts, asker=asker)
    return JSONResponse(answer_reply(answer, request_id=request_id_of(request.scope)))


@router.post("/ask/stream", responses=_STREAMED, response_class=Response)
@router.post("/chat", responses=_STREAMED, response_class=Response)
async def ask_stream(body: AskBody, request: Request, parts: Parts, asker: Asker) -> Response:
    """Answer a question sentence by sentence, each once it was checked."""
    return await _stream(body, request, parts, asker)


async def answer_to(
    asked: AskRequest,
    clearance: Clearance,
    request: Request,
    *,
    parts: ServerParts,
    asker: Principal,
) -> Answer:
    """Answer in one of the places, unless the reader leaves meanwhile."""

    async def answer() -> Answer:
        async with parts.places.place(asker):
            answering = await asyncio.to_thread(parts.answering)
            return await answering.answer_question(asked, clearance)

    return await until_ended(
        answer(), receive=request.receive, ending=parts.ending, principal=asker
    )


async def _stream(
    body: AskBody, request: Request, parts: ServerParts, asker: Principal
) -> EventStream:
    clearance = parts.clearance(asker, body.tier)
    asked = body.to_domain(top_k=parts.top_k)
    answering = await asyncio.to_thread(get_ready, parts, asked, clearance)
    events = answering.stream_answer(asked, clearance)

    def last_word(error: CitewellError) -> bytes:
        return encode_error(error, asker)

    return EventStream(
        encode_answer(events, request_id=request_id_of(request.scope)),
        place=parts.places.place(asker),
        ending=parts.ending,
        principal=asker,
        last_word=last_word,
        heartbeat_s=parts.heartbeat_s,
    )


def get_ready(parts: ServerParts, asked: AskRequest, clearance: Clearance) -> Answering:
    """Return what answers; what cannot be answered at all is an error with a status of its own."""
    check_question(asked.question, top_k=asked.top_k)
    answering = parts.answering()
    answering.search.weigh_question(asked.question, clearance)
    return answering
