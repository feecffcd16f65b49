"""Ask a model on a fake server, in an event loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from citewell.adapters.language_models.remote import LanguageModelOptions, RemoteLanguageModel
from citewell.adapters.language_models.retry import RetryOptions
from citewell.domain.errors import LanguageModelError
from citewell.ports.language_model import Completion, Message, Piece, Prompt

_Result = TypeVar("_Result")

PROMPT = Prompt((Message("system", "Be brief."), Message("user", "one two three")), max_tokens=20)
SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}}
WITH_SCHEMA = Prompt((Message("user", "one two"),), max_tokens=20, schema=SCHEMA)


class Asked:
    """A model with the waits it made; nothing is really waited for."""

    def __init__(
        self,
        make: Callable[..., RemoteLanguageModel],
        base_url: str,
        **options: Any,
    ) -> None:
        self.waits: list[float] = []
        given = {"model": "served", "retry": RetryOptions(max_attempts=3, max_wait_s=10)} | options
        self.model = make(LanguageModelOptions(base_url=base_url, **given), sleep=self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def run(self, use: Callable[[], Awaitable[_Result]]) -> _Result:
        async def run() -> _Result:
            try:
                return await use()
            finally:
                await self.model.close()

        return asyncio.run(run())

    def complete(self, prompt: Prompt = PROMPT) -> Completion:
        return self.run(lambda: self.model.complete(prompt))

    def stream(self, prompt: Prompt = PROMPT) -> tuple[list[str], Completion | LanguageModelError]:
        """Return the texts of the pieces, and how the stream ended."""

        async def read() -> tuple[list[str], Completion | LanguageModelError]:
            pieces: list[Piece] = []
            try:
                async for piece in self.model.stream(prompt):
                    pieces.append(piece)  # noqa: PERF401 - those before an error count
            except LanguageModelError as error:
                assert [piece.end for piece in pieces] == [None] * len(pieces)
                return [piece.text for piece in pieces], error
            ends = [piece.end for piece in pieces]
            assert ends[:-1] == [None] * (len(pieces) - 1)
            assert pieces[-1].text == ""
            end = ends[-1]
            assert end is not None
            return [piece.text for piece in pieces[:-1]], end

        return self.run(read)
