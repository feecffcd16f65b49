"""Read what a server sent, which may lack anything and hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

# What the SDKs and our reading of what they return raise on replies that are not as they should be:
# JSON, UTF-8 and validation are ValueErrors, a deep nesting ends in a RecursionError.
MALFORMED = (ValueError, TypeError, AttributeError, KeyError, IndexError, RecursionError)


def field_of(value: object, name: str) -> object:
    """Return the field of an object or mapping, or None if it has none."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, object]", value).get(name)
    return getattr(value, name, None)


def first_of(value: object) -> object:
    """Return the first item of a list, or None if there is none."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return items[0] if items else None


def read_text(value: object) -> str:
    """Return a text, also one that comes as a list of `{"type": "text", "text": …}`."""
    if isinstance(value, str):
        return value
    items = cast("list[object]", value) if isinstance(value, list) else []
    texts = [field_of(item, "text") for item in items if field_of(item, "type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def read_count(value: object) -> int | None:
    """Return a number of tokens, or None if it is none."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return None
