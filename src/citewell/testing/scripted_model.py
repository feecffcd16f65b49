"""A language model that does what a test tells it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

from typing_extensions import override

from citewell.domain.errors import LanguageModelError
from citewell.ports.language_model import Completion, LanguageModel, Piece, Prompt, Usage


class ScriptedModel(LanguageModel):
    """Replies what a function of the prompt says, or the given texts one after the other.

    Attributes:
        prompts: All that were asked, in order.
        n_running: Calls that have begun and not ended.
    """

    def __init__(
        self,
        reply: Callable[[Prompt], str | LanguageModelError] | Sequence[str | LanguageModelError],
        *,
        name: str = "scripted",
        piece_length: int = 7,
    ) -> None:
        """Take what to reply; an error is raised instead.

        Args:
            reply: A function, or texts in order of the calls; too few are an error.
            name: As in the port.
            piece_length: Characters of a streamed piece.
        """
        self.prompts: list[Prompt] = []
        self.n_running = 0
        self._name = name
        self._piece_length = piece_length
        self._reply = reply if callable(reply) else _in_order(reply)

    @property
    @override
    def name(self) -> str:
        return self._name

    @override
    async def complete(self, prompt: Prompt) -> Completion:
        self.n_running += 1
        try:
            await asyncio.sleep(0)
            return self._complete(prompt)
        finally:
            self.n_running -= 1

    @override
    async def stream(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        self.n_running += 1
        try:
            completion = self._complete(prompt)
            text, length = completion.text, self._piece_length
            for start in range(0, len(text), length):
                await asyncio.sleep(0)
                yield Piece(text[start : start + length])
            yield Piece("", completion)
        finally:
            self.n_running -= 1

    @override
    async def close(self) -> None:
        pass

    def _complete(self, prompt: Prompt) -> Completion:
        self.prompts.append(prompt)
        text = self._reply(prompt)
        if isinstance(text, LanguageModelError):
            raise text
        n_words = sum(len(message.content.split()) for message in prompt.messages)
        return Completion(text, Usage(n_words, len(text.split())))


def _in_order(
    replies: Sequence[str | LanguageModelError],
) -> Callable[[Prompt], str | LanguageModelError]:
    left = list(replies)

    def reply(prompt: Prompt) -> str | LanguageModelError:
        if not left:
            raise AssertionError(f"one call too many: {prompt.messages[-1].content[:200]}")
        return left.pop(0)

    return reply
