from __future__ import annotations

from datetime import UTC, datetime

import pytest

from citewell.domain.retry_after import parse_retry_after

NOW = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("7", 7.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("nan", None),
        ("Sun, 29 Nov 2026 12:01:30 GMT", 90.0),
        ("Sun, 29 Nov 2026 12:01:30", 90.0),
        ("Sun, 29 Nov 2026 11:00:00 GMT", 0.0),
    ],
)
def test_retry_after_is_read(value: str | None, expected: float | None) -> None:
    assert parse_retry_after(value, now=NOW) == expected
