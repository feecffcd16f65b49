"""Measuring what one answer asks of its model."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, contextmanager

from typing_extensions import override

from citewell.ports.language_model import Completion, LanguageModel, Piece, Prompt, Usage


class MeteredModel(LanguageModel):
    """Passes everything on, and counts calls, tokens and the time in which the model was awaited.

    One per answer. Calls at the same time count once as time.

    Attributes:
        n_calls: Calls that were begun.
        n_prompt_tokens: Of calls that ended, as far as the provider tells.
        n_reply_tokens: Likewise.
        waited_s: Seconds during which at least one call was awaited.
    """

    def __init__(
        self, model: LanguageModel, *, now_s: Callable[[], float] = time.perf_counter
    ) -> None:
        """Measure what is asked of `model`; `now_s` is a clock that never goes back."""
        self.n_calls = 0
        self.n_prompt_tokens = 0
        self.n_reply_tokens = 0
        self.waited_s = 0.0
        self._model = model
        self._now_s = now_s
        self._n_awaited = 0
        self._since_s = 0.0

    @property
    @override
    def name(self) -> str:
        return self._model.name

    @override
    async def complete(self, prompt: Prompt) -> Completion:
        self.n_calls += 1
        with self._awaited():
            completion = await self._model.complete(prompt)
        self._count(completion.usage)
        return completion

    @override
    async def stream(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        self.n_calls += 1
        async with aclosing(self._model.stream(prompt)) as pieces:
            while True:
                with self._awaited():
                    piece = await anext(pieces, None)
                if piece is None:
                    return
                if piece.end is not None:
                    self._count(piece.end.usage)
                yield piece

    @override
    async def close(self) -> None:
        """Leave the model open: it serves other answers too."""

    def usage(self) -> dict[str, int]:
        """Return the counts by name."""
        return {
            "model_calls": self.n_calls,
            "prompt_tokens": self.n_prompt_tokens,
            "reply_tokens": self.n_reply_tokens,
        }

    def _count(self, usage: Usage) -> None:
        self.n_prompt_tokens += usage.n_prompt_tokens or 0
        self.n_reply_tokens += usage.n_reply_tokens or 0

    @contextmanager
    def _awaited(self) -> Generator[None]:
        if not self._n_awaited:
            self._since_s = self._now_s()
        self._n_awaited += 1
        try:
            yield
        finally:
            self._n_awaited -= 1
            if not self._n_awaited:
                self.waited_s += self._now_s() - self._since_s
