"""Logs of a server: one JSON object a line, without texts of questions and documents.

Whatever a value holds, a line stays a line: everything but visible ASCII is escaped.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Mapping, MutableMapping
from types import TracebackType
from typing import Any, TextIO, cast

import structlog

from citewell.server.request_state import REQUEST

_FRAMES = 12
_OURS = "citewell"

Event = MutableMapping[str, Any]
_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]


def configure_logs(level: str, *, stream: TextIO | None = None) -> None:
    """Let this process log as JSON.

    Other libraries are logged from `warning` on: below it some of them log whole requests.

    Args:
        level: Of ours, at least: `debug`, `info`, `warning` or `error`.
        stream: Where to; None for standard error.
    """
    before = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        _add_request,
        _place_of_error,
    ]
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=before,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _as_line],
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(_OURS).setLevel(level.upper())
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *before,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )


def _add_request(_logger: object, _method: str, event: Event) -> Event:
    """Say which request it was."""
    for name, value in (REQUEST.get() or {}).items():
        event.setdefault(name, value)
    return event


def _place_of_error(_logger: object, _method: str, event: Event) -> Event:
    """Say which errors there were and where, without their messages: those may quote anything."""
    found: object = event.pop("exc_info", None)
    error = _error_of(found)
    if error is not None:
        event["errors"] = _chain(error)
    event.pop("stack_info", None)
    return event


def _error_of(found: object) -> BaseException | None:
    if isinstance(found, BaseException):
        return found
    if isinstance(found, tuple):
        return cast("_ExcInfo", found)[1]
    return sys.exc_info()[1] if found else None


def _chain(error: BaseException) -> list[dict[str, Any]]:
    """Return an error and what it came from, the last one first."""
    told: list[dict[str, Any]] = []
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        frames = traceback.extract_tb(each.__traceback__)[-_FRAMES:]
        places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        told.append({"type": type(each).__qualname__, "at": places})
        each = each.__cause__ or each.__context__
    return told


def _as_line(_logger: object, _method: str, event: Event) -> str:
    line = json.dumps(event, ensure_ascii=True, default=_shown)
    return line.replace("\x7f", "\\u007f")  # the only other control character in ASCII


def _shown(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    return type(value).__qualname__  # an object says more of itself than may be logged
