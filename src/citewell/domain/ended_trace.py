"""What a question or a sync took, for logs and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EndedTrace:
    """Something that began by itself and has ended.

    Attributes:
        name: `question`, `search` or `sync`.
        seconds: From begin to end.
        attributes: What is known of it: names, counts and flags.
        error: Code of the error that ended it, or None.
        steps_s: Seconds by name of its parts.
    """

    name: str
    seconds: float
    attributes: Mapping[str, str | int | float | bool]
    error: str | None
    steps_s: Mapping[str, float]
