"""What a reader is told while an answer is made, as server-sent events."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from citewell.domain.answer_event import (
    AnswerEvent,
    DoneEvent,
    RetractEvent,
    SentenceEvent,
    StatusEvent,
)
from citewell.domain.clearance import Principal
from citewell.domain.errors import CitewellError
from citewell.replies import answer_reply, citation_reply
from citewell.server.errors import message_for


def encode_event(name: str, data: Mapping[str, Any]) -> bytes:
    """Return one server-sent event; JSON keeps it on one line."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def encode_error(error: CitewellError, principal: Principal) -> bytes:
    """Return the event that ends a stream early."""
    told = {"code": error.code, "message": message_for(error, principal)}
    return encode_event("error", told)


async def encode_answer(
    events: AsyncGenerator[AnswerEvent, None],
    *,
    request_id: str,
    conversation_id: str | None = None,
) -> AsyncGenerator[bytes, None]:
    """Yield the events of an answer, `meta` first, and close what they come from."""
    meta = {"request_id": request_id}
    if conversation_id is not None:
        meta["conversation_id"] = conversation_id
    async with aclosing(events):
        yield encode_event("meta", meta)
        async for event in events:
            match event:
                case StatusEvent():
                    status = {"stage": event.stage, "detail": event.detail}
                    yield encode_event("status", status)
                case SentenceEvent():
                    yield encode_event("sentence", _sentence(event))
                case RetractEvent():
                    yield encode_event("retract", {"reason": event.reason})
                case DoneEvent():
                    reply = answer_reply(
                        event.answer, request_id=request_id, conversation_id=conversation_id
                    )
                    yield encode_event("done", reply)


def _sentence(event: SentenceEvent) -> dict[str, Any]:
    return {
        "text": event.sentence.text,
        "kind": event.sentence.kind,
        "citations": [citation_reply(citation) for citation in event.citations],
    }
