"""Call a server again when it may answer next time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_random_exponential,
)

from citewell.domain.errors import EmbedderError

_Result = TypeVar("_Result")

_FIRST_WAIT_S = 0.5


class TransientError(Exception):
    """A call failed in a way that may pass: a time-out, a lost connection, 429, 5xx."""

    def __init__(self, reason: str, *, retry_after_s: float | None = None) -> None:
        """Take the reason, and how long the server asked to be left alone."""
        super().__init__(reason)
        self.reason = reason
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class RetryOptions:
    """How patiently to call.

    Attributes:
        max_attempts: Calls in all, at least 1.
        max_wait_s: Longest wait between two of them; a server that asks for more ends the calls.
    """

    max_attempts: int
    max_wait_s: float


def call_with_retry(
    call: Callable[[], _Result], *, options: RetryOptions, sleep: Callable[[float], None]
) -> _Result:
    """Return what `call` returns, called again after each `TransientError`.

    Waits are random, up to 0.5 s, 1 s, 2 s and so on, or as long as the server asked.

    Raises:
        EmbedderError: It failed in every attempt.
    """
    retrying = Retrying(
        retry=retry_if_exception_type(TransientError),
        stop=lambda state: (
            stop_after_attempt(options.max_attempts)(state)
            or (_retry_after_s(state) or 0.0) > options.max_wait_s
        ),
        wait=lambda state: _wait_s(state, options),
        sleep=sleep,
        reraise=True,
    )
    try:
        return retrying(call)
    except TransientError as error:
        n_attempts = retrying.statistics.get("attempt_number", 1)
        raise EmbedderError(
            f"the embedding server did not answer: {error.reason} (attempts: {n_attempts}). It is "
            "tried again later; search is lexical meanwhile"
        ) from error


def _wait_s(state: RetryCallState, options: RetryOptions) -> float:
    retry_after_s = _retry_after_s(state)
    if retry_after_s is not None:
        return retry_after_s
    return wait_random_exponential(multiplier=_FIRST_WAIT_S, max=options.max_wait_s)(state)


def _retry_after_s(state: RetryCallState) -> float | None:
    error = state.outcome.exception() if state.outcome else None
    return error.retry_after_s if isinstance(error, TransientError) else None
