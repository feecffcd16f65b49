"""`POST /ask`, the same as `/query`; `/ask/stream`, the same as `/chat`."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from citewell.conversations.ask_in_conversation import Asker as ConversationAsker
from citewell.conversations.ask_in_conversation import ConversationalAnswering
from citewell.domain.answer import Answer
from citewell.domain.ask_request import AskRequest
from citewell.domain.clearance import Principal
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
    who = _who(body, request, parts, asker)
    asked = body.to_domain(top_k=parts.top_k)
    answer = await answer_to(asked, who, request, parts=parts, asker=asker)
    reply = answer_reply(answer, request_id=who.request_id, conversation_id=who.conversation_id)
    return JSONResponse(reply)


@router.post("/ask/stream", responses=_STREAMED, response_class=Response)
@router.post("/chat", responses=_STREAMED, response_class=Response)
async def ask_stream(body: AskBody, request: Request, parts: Parts, asker: Asker) -> Response:
    """Answer a question sentence by sentence, each once it was checked."""
    return await _stream(body, request, parts, asker)


async def answer_to(
    asked: AskRequest,
    who: ConversationAsker,
    request: Request,
    *,
    parts: ServerParts,
    asker: Principal,
) -> Answer:
    """Answer in one of the places, unless the reader leaves meanwhile."""

    async def answer() -> Answer:
        async with parts.places.place(asker):
            asking, complete = await asyncio.to_thread(_with_history, parts, asked, who)
            return await asking.answer_question(complete, who)

    return await until_ended(
        answer(), receive=request.receive, ending=parts.ending, principal=asker
    )


def get_ready(
    parts: ServerParts, asked: AskRequest, who: ConversationAsker
) -> tuple[ConversationalAnswering, AskRequest]:
    """Return what answers, and the question with its history.

    What cannot be answered at all is an error with a status of its own.
    """
    check_question(asked.question, top_k=asked.top_k)
    asking, complete = _with_history(parts, asked, who)
    asking.answering.search.weigh_question(asked.question, who.clearance)
    return asking, complete


async def _stream(
    body: AskBody, request: Request, parts: ServerParts, asker: Principal
) -> EventStream:
    who = _who(body, request, parts, asker)
    asked = body.to_domain(top_k=parts.top_k)
    asking, complete = await asyncio.to_thread(get_ready, parts, asked, who)
    events = asking.stream_answer(complete, who)

    def last_word(error: CitewellError) -> bytes:
        return encode_error(error, asker)

    return EventStream(
        encode_answer(events, request_id=who.request_id, conversation_id=who.conversation_id),
        place=parts.places.place(asker),
        ending=parts.ending,
        principal=asker,
        last_word=last_word,
        heartbeat_s=parts.heartbeat_s,
    )


def _who(
    body: AskBody, request: Request, parts: ServerParts, asker: Principal
) -> ConversationAsker:
    return ConversationAsker(
        owner=asker.id,
        clearance=parts.clearance(asker, body.tier),
        request_id=request_id_of(request.scope),
        conversation_id=body.conversation_id,
    )


def _with_history(
    parts: ServerParts, asked: AskRequest, who: ConversationAsker
) -> tuple[ConversationalAnswering, AskRequest]:
    asking = parts.asking()
    return asking, asking.with_history(asked, who)
