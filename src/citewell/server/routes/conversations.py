"""`/conversations`: a principal's own, as they may be read now."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.responses import JSONResponse, Response

from citewell.conversations.export import export_markdown
from citewell.conversations.keep_conversations import MAX_PAGE
from citewell.replies import conversation_reply, thread_reply
from citewell.server.guarded_route import GuardedRoute
from citewell.server.parts import Asker, Parts
from citewell.server.schemas.conversations import (
    BeginBody,
    ConversationReply,
    ConversationsReply,
    RenameBody,
    ThreadReply,
)
from citewell.server.schemas.error import documented
from citewell.server.threads import in_thread

router = APIRouter(route_class=GuardedRoute, tags=["conversations"])

Limit = Annotated[int, Query(ge=1, le=MAX_PAGE)]
Cursor = Annotated[str | None, Query(max_length=200)]
Tier = Annotated[str | None, Query(min_length=1, max_length=1000)]

_EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "model": ThreadReply,
        "description": "The conversation, as an attachment",
        "content": {"text/markdown": {"schema": {"type": "string"}, "example": "# Escalations\n"}},
    },
    **documented(),
}


@router.post(
    "/conversations",
    status_code=201,
    responses={201: {"model": ConversationReply}, **documented()},
)
async def begin(body: BeginBody, parts: Parts, asker: Asker) -> JSONResponse:
    """Begin a conversation; give its id as `conversation_id` with each question."""
    begun = await in_thread(parts.conversations.begin, asker.id, title=body.title)
    return JSONResponse(conversation_reply(begun), status_code=201)


@router.get("/conversations", responses={200: {"model": ConversationsReply}, **documented()})
async def list_conversations(
    parts: Parts, asker: Asker, limit: Limit = 50, cursor: Cursor = None
) -> JSONResponse:
    """List conversations, the one that was used last first."""
    page = await in_thread(parts.conversations.page, asker.id, limit=limit, cursor=cursor)
    listed = [conversation_reply(conversation) for conversation in page.conversations]
    return JSONResponse({"conversations": listed, "next_cursor": page.next_cursor})


@router.get(
    "/conversations/{conversation_id}", responses={200: {"model": ThreadReply}, **documented()}
)
async def read(conversation_id: str, parts: Parts, asker: Asker, tier: Tier = None) -> JSONResponse:
    """Read a conversation: every citation is checked again, and what does not hold is left out."""
    clearance = parts.clearance(asker, tier)
    thread = await in_thread(parts.conversations.read, asker.id, conversation_id, clearance)
    return JSONResponse(thread_reply(thread))


@router.patch(
    "/conversations/{conversation_id}",
    status_code=204,
    response_class=Response,
    responses=documented(),
)
async def rename(conversation_id: str, body: RenameBody, parts: Parts, asker: Asker) -> Response:
    """Give a conversation another title."""
    await in_thread(parts.conversations.rename, asker.id, conversation_id, body.title)
    return Response(status_code=204)


@router.delete(
    "/conversations/{conversation_id}",
    status_code=204,
    response_class=Response,
    responses=documented(),
)
async def delete(conversation_id: str, parts: Parts, asker: Asker) -> Response:
    """Delete a conversation with all that was said in it and of it."""
    await in_thread(parts.conversations.delete, asker.id, conversation_id)
    return Response(status_code=204)


@router.get("/conversations/{conversation_id}/export", responses=_EXPORTED)
async def export(
    conversation_id: str,
    parts: Parts,
    asker: Asker,
    *,
    form: Annotated[Literal["json", "markdown"], Query(alias="format")] = "json",
    tier: Tier = None,
) -> Response:
    """Export a conversation, redacted as for reading, as JSON or Markdown."""
    clearance = parts.clearance(asker, tier)
    thread = await in_thread(parts.conversations.read, asker.id, conversation_id, clearance)
    if form == "json":
        return JSONResponse(thread_reply(thread), headers=_attached(conversation_id, "json"))
    return Response(
        export_markdown(thread).encode(),
        media_type="text/markdown",
        headers=_attached(conversation_id, "md"),
    )


def _attached(conversation_id: str, ending: str) -> dict[str, str]:
    # The id is that of a conversation which was found: hexadecimal digits, made here.
    name = f"conversation-{conversation_id}.{ending}"
    return {"content-disposition": f'attachment; filename="{name}"'}
