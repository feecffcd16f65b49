"""Read how long a server asks to be left alone."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def parse_retry_after(value: str | None, *, now: datetime | None = None) -> float | None:
    """Return the seconds of a `Retry-After` header, at least 0, or None if there is none.

    Args:
        value: Seconds or an HTTP date.
        now: For dates; default: the time of the call.
    """
    if not value:
        return None
    if re.fullmatch(r"\s*-?\d+(\.\d+)?\s*", value):
        return max(0.0, float(value))
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())
