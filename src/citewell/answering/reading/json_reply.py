"""Read the JSON object in what a language model wrote."""

from __future__ import annotations

import json
from typing import Any, cast

from citewell.answering.reading.tolerant_json import MAX_DEPTH, read_object

_DECODER = json.JSONDecoder(parse_constant=lambda _: None)


def parse_json_reply(text: str) -> dict[str, Any] | None:
    """Return the first object with a key in a reply, or None if there is none.

    Code fences and text around it are left out. Trailing and missing commas, single, typographic
    and missing quotes, quotes and line breaks within texts, comments, Python's words for the
    constants, and what is left open where the reply was cut, are read as they were meant. It never
    raises. What comes back is only likely to fit a schema: check each value before use.
    """
    start = text.find("{")
    while start >= 0:
        value, end = _read(text, start)
        if value:
            return value
        start = text.find("{", end)
    return None


def _read(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """Return the object at a brace and where it ends."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return read_object(text, start)
    if _depth(value) > MAX_DEPTH:
        return None, end
    return cast("dict[str, Any]", value), end


def _depth(value: object) -> int:
    """Return how many containers stand in one another, without recursion."""
    depth, level = 0, [value]
    while level:
        inner = [cast("dict[str, object] | list[object]", v) for v in level if _is_container(v)]
        depth += bool(inner)
        level = [v for c in inner for v in (c.values() if isinstance(c, dict) else c)]
    return depth


def _is_container(value: object) -> bool:
    return isinstance(value, dict | list)
