"""What an error reply of a language model's server means."""

from __future__ import annotations

from citewell.adapters.language_models.retry import TransientError
from citewell.domain.errors import (
    LanguageModelAuthError,
    LanguageModelError,
    LanguageModelRateLimitedError,
    LanguageModelTimeoutError,
    PromptTooLongError,
)
from citewell.domain.retry_after import parse_retry_after

# How OpenAI, vLLM, llama.cpp, LM Studio, Ollama and Anthropic say that a prompt is too long; some
# say so with 500, some inside a stream. Compared in lower case.
_TOO_LONG = (
    "context length",
    "context_length",
    "context size",
    "context window",
    "exceed_context",
    "maximum context",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input length",
    "too many tokens",
    "request_too_large",
)
_NO_QUOTA = ("insufficient_quota", "credit balance", "billing")
_RATE_LIMITED = ("rate limit", "rate_limit", "too many requests")
_OVERLOADED = ("overloaded", "loading model", "server_error", "internal_error", "unavailable")
_TRANSIENT = frozenset({408, 409, 425})


def failed_reply(status: int, body: str, *, retry_after: str | None = None) -> Exception:
    """Return the error to raise for a reply whose status is not 200.

    Args:
        status: HTTP status.
        body: Searched for known phrases, never repeated: it may quote what was sent.
        retry_after: The header of that name.

    Returns:
        `TransientError` for what may pass, else a `LanguageModelError`.
    """
    text = body.lower()
    if status == 413 or (status != 429 and _has(text, _TOO_LONG)):
        return PromptTooLongError()
    if _has(text, _NO_QUOTA):
        return LanguageModelRateLimitedError("the account at the language model is used up")
    if status == 429 or status in _TRANSIENT or status >= 500:
        return TransientError(_passing(status), retry_after_s=parse_retry_after(retry_after))
    return _lasting(status)


def _passing(status: int) -> LanguageModelError:
    if status == 429:
        return LanguageModelRateLimitedError()
    if status in {408, 504}:
        return LanguageModelTimeoutError(f"the language model took too long (HTTP {status})")
    return LanguageModelError(f"the language model failed (HTTP {status})")


def _lasting(status: int) -> LanguageModelError:
    if status in {401, 403}:
        return LanguageModelAuthError(
            f"the language model refused the key (HTTP {status}): check LLM_API_KEY"
        )
    if status == 404:
        return LanguageModelError(
            "the server knows no such model or address (HTTP 404): check LLM_MODEL and "
            "LLM_BASE_URL, and that the model is installed there"
        )
    return LanguageModelError(
        f"the language model refused the request (HTTP {status}): check LLM_BASE_URL and LLM_MODEL"
    )


def failed_stream(body: str) -> Exception:
    """Return the error to raise for an error that comes where the reply should.

    Args:
        body: Searched for known phrases, never repeated.
    """
    text = body.lower()
    if _has(text, _TOO_LONG):
        return PromptTooLongError()
    if _has(text, _RATE_LIMITED):
        return TransientError(LanguageModelRateLimitedError())
    if _has(text, _OVERLOADED):
        return TransientError(LanguageModelError("the language model is overloaded"))
    return LanguageModelError("the language model ended its reply with an error")


def lost_connection() -> TransientError:
    """Return the error for a server that cannot be reached, or hung up."""
    return TransientError(
        LanguageModelError("no connection: check LLM_BASE_URL, and that the server is running")
    )


def unreadable_reply(setting_hint: str) -> LanguageModelError:
    """Return the error for a reply that is not what the protocol says.

    Args:
        setting_hint: What the address should look like.
    """
    return LanguageModelError(f"the language model's reply cannot be read: {setting_hint}")


def _has(text: str, phrases: tuple[str, ...]) -> bool:
    return any(phrase in text for phrase in phrases)
