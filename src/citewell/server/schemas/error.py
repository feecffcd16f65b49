"""The one shape of errors, for the documentation."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class ErrorDetail(BaseModel):
    """What was wrong."""

    code: str
    message: str
    details: dict[str, Any]


class ErrorReply(BaseModel):
    """An error; `docs/errors.md` lists the codes."""

    error: ErrorDetail
    request_id: str


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what a route may answer besides its reply, for the documentation.

    Every route may also answer what the way to it does: a credential that was refused, a host or
    origin, a body, too many requests, a failure.
    """
    always = {401, 403, 404, 405, 413, 421, 422, 429, 500, 503}
    return {status: {"model": ErrorReply} for status in sorted(always.union(statuses))}
