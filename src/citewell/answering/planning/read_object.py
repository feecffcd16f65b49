"""Read the JSON object in what a language model wrote."""

from __future__ import annotations

import json
from typing import Any, cast


def parse_json_reply(text: str) -> dict[str, Any] | None:
    """Return the object between the outermost braces of a reply, or None."""
    start, end = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None
