"""`/metrics`, for operators."""

from __future__ import annotations

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from citewell.server.guarded_route import GuardedRoute
from citewell.server.parts import Parts
from citewell.server.schemas.error import documented

router = APIRouter(route_class=GuardedRoute, tags=["operation"])

_EXAMPLE = 'citewell_questions_total{kind="question",outcome="rag"} 42.0\n'


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {
            "description": "Counts and times in Prometheus' text format",
            "content": {"text/plain": {"schema": {"type": "string"}, "example": _EXAMPLE}},
        },
        **documented(),
    },
)
async def metrics(parts: Parts) -> Response:
    """Return counts and times of questions and syncs since the process began."""
    return Response(parts.metrics.text(), headers={"content-type": CONTENT_TYPE_LATEST})
