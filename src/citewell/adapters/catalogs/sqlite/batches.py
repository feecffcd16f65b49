"""Cutting long key lists to what one SQL statement may hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

_Key = TypeVar("_Key", int, str)

MAX_PARAMETERS = 10_000
"""Below SQLite's limit of 32,766 parameters a statement."""


def batched(keys: Sequence[_Key], size: int = MAX_PARAMETERS) -> Iterator[Sequence[_Key]]:
    """Yield slices of at most `size` keys, in order."""
    for start in range(0, len(keys), size):
        yield keys[start : start + size]
