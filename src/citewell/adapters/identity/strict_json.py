"""JSON whose objects name nothing twice: of two values, two readers could each take another."""

from __future__ import annotations

import json
from typing import Any, NoReturn, cast


def read_object(data: bytes) -> dict[str, Any]:
    """Return a JSON object.

    Raises:
        ValueError: It is no JSON, no object, too deep, names something twice in one object, or
            holds a number that is none.
    """
    try:
        value = json.loads(data, object_pairs_hook=_each_once, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - the input is wrong, not its type
    return cast("dict[str, Any]", value)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")
