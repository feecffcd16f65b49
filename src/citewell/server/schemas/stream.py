"""Streams of server-sent events, for the documentation."""

from __future__ import annotations

from typing import Any


def streamed(example: str) -> dict[str, Any]:
    """Return the content of a reply that is a stream of events."""
    event = {
        "type": "object",
        "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
        "required": ["data"],
    }
    return {"text/event-stream": {"schema": event, "example": example}}
