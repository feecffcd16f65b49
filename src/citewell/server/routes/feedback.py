"""`/feedback`: given by who got an answer, listed for operators."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse

from citewell.replies import feedback_reply
from citewell.server.guarded_route import GuardedRoute
from citewell.server.parts import Asker, Parts
from citewell.server.routes.conversations import Cursor, Limit
from citewell.server.schemas.conversations import FeedbackBody, FeedbackListReply, GivenReply
from citewell.server.schemas.error import documented
from citewell.server.threads import in_thread

router = APIRouter(route_class=GuardedRoute, tags=["feedback"])


@router.post("/feedback", status_code=201, responses={201: {"model": GivenReply}, **documented()})
async def give(body: FeedbackBody, parts: Parts, asker: Asker) -> JSONResponse:
    """Say what you think of an answer; the operator sees it, with the answer where it is kept."""
    given = await in_thread(
        parts.conversations.give_feedback,
        asker.id,
        body.request_id,
        verdict=body.verdict,
        comment=body.comment,
    )
    reply = {"verdict": given.verdict, "comment": given.comment, "at": given.at}
    return JSONResponse({"request_id": body.request_id, **reply}, status_code=201)


@router.get("/feedback", responses={200: {"model": FeedbackListReply}, **documented()})
async def list_feedback(
    parts: Parts, asker: Asker, limit: Limit = 50, cursor: Cursor = None
) -> JSONResponse:
    """List what readers said, the newest first, of those who may read no more than you."""
    clearance = parts.clearance(asker)
    page = await in_thread(parts.conversations.feedback, clearance, limit=limit, cursor=cursor)
    records = [feedback_reply(record) for record in page.records]
    return JSONResponse({"feedback": records, "next_cursor": page.next_cursor})
