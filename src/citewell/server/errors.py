"""One shape for every error: `{"error": {"code", "message", "details"}, "request_id"}`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from citewell.domain.clearance import Principal
from citewell.domain.errors import (
    CitewellError,
    CredentialsError,
    MethodNotAllowedError,
    NotFoundError,
    RateLimitedError,
    RequestTooLargeError,
    UsageError,
)
from citewell.server.request_state import principal_or_none, request_id_of

_OF_STATUS: Mapping[int, type[CitewellError]] = {
    401: CredentialsError,
    404: NotFoundError,
    405: MethodNotAllowedError,
    413: RequestTooLargeError,
}
_SHOWN_FAULTS = 20
"""More wrong fields of one request are not told: a body of 1 MiB may have many thousands."""


def error_body(
    error: CitewellError,
    *,
    request_id: str,
    principal: Principal | None = None,
    details: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what a caller is told of an error.

    Args:
        error: What happened.
        request_id: Of the request.
        principal: Who asks; operators see the whole message of a failure on our side, all others
            what kind of failure it is.
        details: More, in names and numbers.
    """
    return {
        "error": {
            "code": error.code,
            "message": message_for(error, principal),
            "details": dict(details or {}),
        },
        "request_id": request_id,
    }


def message_for(error: CitewellError, principal: Principal | None) -> str:
    """Return the message that a principal may see: paths and addresses are for operators."""
    is_ours = error.http_status >= 500
    if is_ours and (principal is None or "admin" not in principal.scopes):
        return (type(error).__doc__ or "").strip()
    return str(error)


def headers_of(error: CitewellError) -> dict[str, str]:
    """Return the headers that belong to an error."""
    if isinstance(error, RateLimitedError):
        return {"Retry-After": str(max(1, math.ceil(error.retry_after_s)))}
    if isinstance(error, CredentialsError):
        return {"WWW-Authenticate": "Bearer"}
    return {}


def error_response(
    error: CitewellError,
    *,
    request_id: str,
    principal: Principal | None = None,
    details: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Return the reply for an error; the arguments are those of `error_body`, and more headers."""
    body = error_body(error, request_id=request_id, principal=principal, details=details)
    all_headers = {**headers_of(error), **(headers or {})}
    return JSONResponse(body, status_code=error.http_status, headers=all_headers)


def answer_errors(app: FastAPI) -> None:
    """Let an application answer every error in our shape."""

    async def answer(request: Request, error: Exception) -> JSONResponse:
        return _respond(request, error)

    for kind in (CitewellError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, answer)


def _respond(request: Request, error: Exception) -> JSONResponse:
    details: dict[str, Any] = {}
    headers: Mapping[str, str] = {}
    match error:
        case CitewellError():
            ours = error
        case RequestValidationError():
            ours = UsageError()
            details = {"fields": [_fault(each) for each in error.errors()[:_SHOWN_FAULTS]]}
        case HTTPException():
            ours = _OF_STATUS.get(error.status_code, UsageError)()
            headers = error.headers or {}
        case _:
            ours = CitewellError()
    return error_response(
        ours,
        request_id=request_id_of(request.scope),
        principal=principal_or_none(request.scope),
        details=details,
        headers=headers,
    )


def _fault(detail: Mapping[str, Any]) -> dict[str, str]:
    """Return where a request is wrong and why, without the value: it may be a secret."""
    place = [str(part) for part in detail["loc"] if not isinstance(part, int)]
    return {"field": ".".join(place[:8])[:200], "message": str(detail["msg"])[:200]}
