"""What language models on a server have in common: time-outs, retries, what of a reply counts."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from typing_extensions import override

from citewell.adapters.language_models.retry import RetryOptions, TransientError, ask_with_retry
from citewell.adapters.language_models.thinking import ThinkingFilter, may_begin_inside
from citewell.adapters.language_models.whole_characters import WholeCharacters
from citewell.domain.errors import (
    LanguageModelError,
    LanguageModelMissingError,
    LanguageModelTimeoutError,
)
from citewell.ports.language_model import Completion, LanguageModel, Piece, Prompt, Usage

_Result = TypeVar("_Result")

# Between the end of a reply and what may follow it: the usage, the end of the connection.
_GRACE_S = 1.0

_PATIENCE = RetryOptions()


@dataclass(frozen=True, slots=True)
class LanguageModelOptions:
    """How to reach a language model, and how patient to be.

    Attributes:
        model: The server's name of the model.
        base_url: With scheme; for `openai-compatible` it mostly ends in `/v1`.
        api_key: None for servers that want none; never shown.
        timeout_s: Of one whole `complete`, and of a stream until its first piece and between two
            pieces; attempts and waits included.
        connect_timeout_s: Until a connection is open.
        retry: Of a call, or of a stream before its first piece.
    """

    model: str
    base_url: str
    api_key: str | None = field(default=None, repr=False)
    timeout_s: float = 60.0
    connect_timeout_s: float = 5.0
    retry: RetryOptions = _PATIENCE

    def __post_init__(self) -> None:
        """Refuse what could never work.

        Raises:
            LanguageModelMissingError: A name or address is missing.
        """
        if not self.model:
            raise LanguageModelMissingError("LLM_MODEL is not set: name the server's model")
        if not self.base_url.startswith(("http://", "https://")):
            raise LanguageModelMissingError("LLM_BASE_URL must start with http:// or https://")


@dataclass(frozen=True, slots=True)
class Part:
    """What a server sent, in whatever protocol.

    Attributes:
        text: May be reasoning, may end within a character.
        usage: Once it is known.
        has_ended: Whether the server said that the reply is over.
        was_cut: Whether it is over because of `max_tokens`.
        reasons_apart: Whether it carries reasoning in a field of its own, which is left out here.
    """

    text: str = ""
    usage: Usage | None = None
    has_ended: bool = False
    was_cut: bool = False
    reasons_apart: bool = False


class RemoteLanguageModel(LanguageModel):
    """Asks a server; a subclass knows how, here is how often, how long, and what to believe."""

    def __init__(
        self,
        options: LanguageModelOptions,
        *,
        provider: str,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Ask nothing yet.

        Args:
            options: Where and how.
            provider: First part of the name.
            sleep: Waits between attempts, in seconds.
        """
        self._options = options
        self._provider = provider
        self._sleep = sleep
        self._may_begin_inside = may_begin_inside(options.model)

    @property
    @override
    def name(self) -> str:
        return f"{self._provider}:{self._options.model}"

    @override
    async def complete(self, prompt: Prompt) -> Completion:
        self._prepare()
        async with self._deadline():
            part = await self._with_retry(lambda: self._request(prompt))
        characters, thinking = WholeCharacters(), ThinkingFilter(hold=True)
        text = thinking.feed(characters.feed(part.text) + characters.finish()) + thinking.finish()
        self._learn(thinking)
        return Completion(text, part.usage or Usage(), was_cut=part.was_cut)

    @override
    async def stream(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        self._prepare()
        async with self._deadline():
            first, rest = await self._with_retry(lambda: self._begin(prompt))
        async with aclosing(rest):
            yield first
            try:
                async for piece in rest:
                    yield piece
            except TransientError as error:
                raise error.error from error

    @abstractmethod
    def _prepare(self) -> None:
        """Import the SDK and make the client, before the clock runs."""

    @abstractmethod
    async def _request(self, prompt: Prompt) -> Part:
        """Return the whole reply.

        Raises:
            TransientError: It may answer next time.
            LanguageModelError: It will not.
        """

    @abstractmethod
    def _open(self, prompt: Prompt) -> AsyncGenerator[Part, None]:
        """Yield what the server sends; closing it closes the connection. Errors as of `_request`.

        One that ends before a part that `has_ended` broke off.
        """
        ...

    async def _begin(self, prompt: Prompt) -> tuple[Piece, AsyncGenerator[Piece, None]]:
        """Return the first piece, and the stream that goes on from there."""
        pieces = self._pieces(prompt)
        try:
            return await anext(pieces), pieces
        except BaseException:
            await pieces.aclose()
            raise

    async def _pieces(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """Yield pieces and the end; what was yielded cannot be taken back."""
        thinking = ThinkingFilter(hold=self._may_begin_inside)
        characters = WholeCharacters()
        texts: list[str] = []
        last, usage = Part(), Usage()
        async with aclosing(self._parts(prompt)) as parts:
            async for part in parts:
                usage = part.usage or usage
                last = part if part.has_ended else last
                if part.reasons_apart:
                    thinking.release()
                if text := self._shown(thinking, characters.feed(part.text)):
                    texts.append(text)
                    yield Piece(text)
        rest = self._shown(thinking, characters.finish()) + thinking.finish()
        if rest:
            texts.append(rest)
            yield Piece(rest)
        yield Piece("", Completion("".join(texts), usage, was_cut=last.was_cut))

    def _shown(self, thinking: ThinkingFilter, text: str) -> str:
        try:
            return thinking.feed(text)
        finally:
            self._learn(thinking)

    def _learn(self, thinking: ThinkingFilter) -> None:
        """Remember that replies of this model begin inside the reasoning."""
        self._may_begin_inside = self._may_begin_inside or thinking.began_inside

    async def _parts(self, prompt: Prompt) -> AsyncGenerator[Part, None]:
        """Yield what the server sends, in time; what goes wrong after the end no longer matters."""
        has_ended = False
        async with aclosing(self._open(prompt)) as parts:
            while True:
                try:
                    async with self._deadline(_GRACE_S if has_ended else None):
                        part = await anext(parts)
                except StopAsyncIteration:
                    break
                except (LanguageModelError, TransientError):
                    if has_ended:
                        return
                    raise
                has_ended = has_ended or part.has_ended
                yield part
        if not has_ended:
            raise TransientError(LanguageModelError("the language model's reply broke off"))

    async def _with_retry(self, ask: Callable[[], Awaitable[_Result]]) -> _Result:
        return await ask_with_retry(ask, options=self._options.retry, sleep=self._sleep)

    @asynccontextmanager
    async def _deadline(self, timeout_s: float | None = None) -> AsyncGenerator[None]:
        """End what takes longer than this, or than `timeout_s` of the options.

        Raises:
            LanguageModelTimeoutError: It took longer.
        """
        timeout_s = self._options.timeout_s if timeout_s is None else timeout_s
        scope = asyncio.timeout(timeout_s)
        try:
            async with scope:
                yield
        except TimeoutError as error:
            if not scope.expired():
                raise
            raise LanguageModelTimeoutError(
                f"the language model sent nothing within {timeout_s:g} s: raise "
                "LLM_TIMEOUT_SECONDS, or take a smaller model"
            ) from error
