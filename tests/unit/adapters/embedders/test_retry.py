from __future__ import annotations

import pytest

from citewell.adapters.embedders.retry import (
    RetryOptions,
    TransientError,
    call_with_retry,
)
from citewell.domain.errors import EmbedderError


def test_the_first_answer_is_returned() -> None:
    waits: list[float] = []
    options = RetryOptions(max_attempts=5, max_wait_s=60)
    assert call_with_retry(lambda: 7, options=options, sleep=waits.append) == 7
    assert waits == []


def test_waits_are_bounded() -> None:
    waits: list[float] = []

    def fail() -> None:
        raise TransientError("down")

    with pytest.raises(EmbedderError, match=r"down \(attempts: 12\)"):
        call_with_retry(
            fail, options=RetryOptions(max_attempts=12, max_wait_s=3), sleep=waits.append
        )
    assert len(waits) == 11
    assert max(waits) <= 3


def test_other_errors_are_not_tried_again() -> None:
    n_calls: list[int] = []

    def fail() -> None:
        n_calls.append(1)
        raise KeyError

    with pytest.raises(KeyError):
        call_with_retry(
            fail, options=RetryOptions(max_attempts=3, max_wait_s=3), sleep=lambda _: None
        )
    assert n_calls == [1]
