"""A second language model for when the first one fails."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from typing_extensions import override

from citewell.domain.errors import LanguageModelError
from citewell.ports.language_model import Completion, LanguageModel, Piece, Prompt


class FallbackModel(LanguageModel):
    """Asks the second model when the first failed in a way that may pass.

    A stream that has begun stays with the model that began it. A refused key and a prompt that is
    too long are raised: someone must act.
    """

    def __init__(self, first: LanguageModel, second: LanguageModel) -> None:
        """Take two models; both are closed with this one."""
        self._first = first
        self._second = second

    @property
    @override
    def name(self) -> str:
        """Both names, because either may have written."""
        return f"{self._first.name} or {self._second.name}"

    @override
    async def complete(self, prompt: Prompt) -> Completion:
        try:
            return await self._first.complete(prompt)
        except LanguageModelError as error:
            if not error.retryable:
                raise
        return await self._second.complete(prompt)

    @override
    async def stream(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        has_begun = False
        try:
            async with aclosing(self._first.stream(prompt)) as pieces:
                async for piece in pieces:
                    has_begun = True
                    yield piece
        except LanguageModelError as error:
            if has_begun or not error.retryable:
                raise
        if has_begun:
            return
        async with aclosing(self._second.stream(prompt)) as pieces:
            async for piece in pieces:
                yield piece

    @override
    async def close(self) -> None:
        try:
            await self._first.close()
        finally:
            await self._second.close()
