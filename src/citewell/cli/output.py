"""Printing: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def console(*, stderr: bool = False) -> Console:
    """Return a console; colours and widths follow the terminal."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object on one line; as ASCII where the output takes nothing else."""
    try:
        print(json.dumps(value, ensure_ascii=False))
    except UnicodeEncodeError:
        print(json.dumps(value))


def error_object(code: str, message: str) -> dict[str, Any]:
    """Return the JSON object that tells of an error."""
    return {"error": {"code": code, "message": message, "details": {}}}


def plain(text: str) -> str:
    """Return text that is safe on a terminal: control and direction characters are shown."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def escaped(text: str) -> str:
    """Return text that is safe on a terminal and is not read as markup."""
    from rich.markup import escape

    return escape(plain(text))


def one_line(text: str, *, width: int = 160) -> str:
    """Return the start of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"
