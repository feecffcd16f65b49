"""The knowledge base as a model, for any client of OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import time

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from citewell.conversations.ask_in_conversation import Asker as ConversationAsker
from citewell.domain.ask_request import AskRequest
from citewell.domain.errors import CitewellError
from citewell.server.chat_chunks import Chat
from citewell.server.event_stream import EventStream
from citewell.server.guarded_route import GuardedRoute
from citewell.server.parts import Asker, Parts
from citewell.server.request_state import request_id_of
from citewell.server.routes.ask import answer_to, get_ready
from citewell.server.schemas.error import documented
from citewell.server.schemas.openai import MODEL, ChatBody, ChatCompletion, ModelsList
from citewell.server.schemas.stream import streamed

router = APIRouter(route_class=GuardedRoute, tags=["openai"])

_STREAM = streamed("data: {…}\n\ndata: [DONE]\n\n")
_SINCE = 1_767_225_600  # 2026-01-01: clients want a number


@router.get("/v1/models", responses={**documented(), 200: {"model": ModelsList}})
async def models() -> JSONResponse:
    """Name the model: the documents that the caller may read."""
    card = {"id": MODEL, "object": "model", "created": _SINCE, "owned_by": MODEL}
    return JSONResponse({"object": "list", "data": [card]})


@router.post(
    "/v1/chat/completions",
    responses={**documented(502, 504), 200: {"model": ChatCompletion, "content": _STREAM}},
)
async def chat_completions(
    body: ChatBody, request: Request, parts: Parts, asker: Asker
) -> Response:
    """Answer the last message with checked citations, or say that the documents do not answer."""
    asked = AskRequest(body.question(), top_k=parts.top_k, history=body.history())
    who = ConversationAsker(
        owner=asker.id,
        clearance=parts.clearance(asker, body.tier),
        request_id=request_id_of(request.scope),
    )
    options = body.stream_options
    chat = Chat(
        who.request_id,
        int(time.time()),
        with_usage=bool(options and options.include_usage),
    )
    if not body.stream:
        answer = await answer_to(asked, who, request, parts=parts, asker=asker)
        return JSONResponse(chat.completion(answer))
    asking, complete = await asyncio.to_thread(get_ready, parts, asked, who)

    def last_word(error: CitewellError) -> bytes:
        return chat.last_word(error, asker)

    return EventStream(
        chat.chunks(asking.stream_answer(complete, who)),
        place=parts.places.place(asker),
        ending=parts.ending,
        principal=asker,
        last_word=last_word,
        heartbeat_s=parts.heartbeat_s,
    )
