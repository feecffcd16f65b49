"""Small conversions between columns and values."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from citewell.domain.record import Failure


def iso_utc(moment: datetime) -> str:
    """Return a moment as ISO 8601 in UTC, to the millisecond, e.g. `2026-01-31T08:00:00.000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@lru_cache(maxsize=4096)
def iso_of_ns(nanoseconds: int) -> str:
    """Return nanoseconds since the epoch as ISO 8601 in UTC."""
    return iso_utc(datetime.fromtimestamp(nanoseconds / 1e9, tz=UTC))


def failure_of(value: Mapping[str, Any] | None) -> Failure | None:
    """Return the failure stored in a JSON column."""
    return Failure(**value) if value else None
