"""Ask a server again when it may answer next time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    wait_random_exponential,
)

from citewell.domain.errors import LanguageModelError

_Result = TypeVar("_Result")

_FIRST_WAIT_S = 0.5


class TransientError(Exception):
    """A call failed in a way that may pass: a lost connection, 429, 5xx."""

    def __init__(self, error: LanguageModelError, *, retry_after_s: float | None = None) -> None:
        """Take what to raise when it does not pass, and how long the server asked to wait."""
        super().__init__(str(error))
        self.error = error
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class RetryOptions:
    """How patiently to ask.

    Attributes:
        max_attempts: Calls in all, at least 1.
        max_wait_s: Longest wait between two of them; a server that asks for more ends the calls.
    """

    max_attempts: int = 3
    max_wait_s: float = 10.0


async def ask_with_retry(
    ask: Callable[[], Awaitable[_Result]],
    *,
    options: RetryOptions,
    sleep: Callable[[float], Awaitable[None]],
) -> _Result:
    """Return what `ask` returns, asked again after each `TransientError`.

    Waits are random, up to 0.5 s, 1 s, 2 s and so on, or as long as the server asked.

    Raises:
        LanguageModelError: What the last attempt failed with.
    """
    retrying = AsyncRetrying(
        retry=retry_if_exception_type(TransientError),
        stop=lambda state: (
            stop_after_attempt(options.max_attempts)(state)
            or (_retry_after_s(state) or 0.0) > options.max_wait_s
        ),
        wait=lambda state: _wait_s(state, options),
        sleep=sleep,
        reraise=True,
    )

    async def ask_once() -> _Result:
        return await ask()

    try:
        return await retrying(ask_once)
    except TransientError as error:
        raise error.error from error.__cause__


def _wait_s(state: RetryCallState, options: RetryOptions) -> float:
    retry_after_s = _retry_after_s(state)
    if retry_after_s is not None:
        return retry_after_s
    return wait_random_exponential(multiplier=_FIRST_WAIT_S, max=options.max_wait_s)(state)


def _retry_after_s(state: RetryCallState) -> float | None:
    error = state.outcome.exception() if state.outcome else None
    return error.retry_after_s if isinstance(error, TransientError) else None
