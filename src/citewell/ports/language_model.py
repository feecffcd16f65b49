"""The port through which a language model is asked."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of what a model is told."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked.

    Attributes:
        messages: At least one, oldest first; the last one is the user's.
        max_tokens: Length at which the reply ends, in the model's tokens, at least 1.
        temperature: In [0, 2]; 0 is repeatable as far as the provider is.
        schema: JSON schema of the reply, or None for plain text. A provider that can is held to it;
            of others the reply is only likely to fit.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = 0.0
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a call took, in the model's own; None where the provider does not tell."""

    n_prompt_tokens: int | None = None
    n_reply_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole reply.

    Attributes:
        text: Without reasoning (`<think>…</think>`); may be empty.
        usage: What it took.
        was_cut: Whether it ended because of `max_tokens`.
    """

    text: str
    usage: Usage = Usage()
    was_cut: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a streamed reply.

    Attributes:
        text: Whole characters; "" in the last piece.
        end: In the last piece the completion as a whole; else None.
    """

    text: str
    end: Completion | None = None


class LanguageModel(Protocol):
    """Writes text. Safe to be asked by several tasks at once.

    A call that is cancelled, and a stream that is closed before its end, ends the provider's work
    too: the connection is closed within 2 s. A transient failure before the first piece is tried
    again by the adapter; one after it is raised. Reasoning never leaves the adapter.

    Errors of both methods:
        LanguageModelError: The provider failed, or its reply cannot be read.
        LanguageModelTimeoutError: It did not answer in time.
        LanguageModelRateLimitedError: It wants fewer calls.
        LanguageModelAuthError: It refused the key.
        PromptTooLongError: The prompt does not fit its window, or was cut to fit it.
    """

    @property
    def name(self) -> str:
        """Provider and model, e.g. `ollama:qwen2.5:7b`; the same name writes the same way."""
        ...

    async def complete(self, prompt: Prompt) -> Completion:
        """Return the whole reply."""
        ...

    def stream(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """Yield the reply as it is written; the last piece, and only it, has an `end`."""
        ...

    async def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        ...
