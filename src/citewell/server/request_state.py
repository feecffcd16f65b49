"""What middleware notes about a request: its id, and who asks."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from citewell.domain.clearance import Principal

Scope = MutableMapping[str, Any]
"""The ASGI scope of a request."""


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
