"""What middleware notes about a request: its id, and who asks."""

from __future__ import annotations

from collections.abc import MutableMapping
from contextvars import ContextVar
from typing import Any

from citewell.domain.clearance import Principal

Scope = MutableMapping[str, Any]
"""The ASGI scope of a request."""

REQUEST: ContextVar[dict[str, str] | None] = ContextVar("REQUEST", default=None)
"""What logs say of the request that goes on: its id, its route, and the id of who asks."""


def say_in_logs(name: str, value: str) -> None:
    """Let what is logged of this request from now on say something more."""
    known = REQUEST.get()
    if known is not None:
        known[name] = value


def note(scope: Scope, name: str, value: object) -> None:
    """Keep something of a request for those that come after."""
    scope.setdefault("state", {})[name] = value


def request_id_of(scope: Scope) -> str:
    """Return the id that was minted for a request."""
    return scope["state"]["request_id"]


def principal_or_none(scope: Scope) -> Principal | None:
    """Return who asks, or None where nobody was let in or need be."""
    return scope.get("state", {}).get("principal")


def principal_of(scope: Scope) -> Principal:
    """Return who asks."""
    return scope["state"]["principal"]
