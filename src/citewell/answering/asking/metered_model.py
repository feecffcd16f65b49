"""Measuring what one answer asks of its model."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, contextmanager

from typing_extensions import override

from citewell.domain.errors import error_code
from citewell.ports.language_model import Completion, LanguageModel, Piece, Prompt, Usage
from citewell.ports.tracer import UNTOLD_SPAN, Span, Value


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
        self,
        model: LanguageModel,
        *,
        span: Span = UNTOLD_SPAN,
        now_s: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Measure what is asked of `model`.

        Args:
            model: That is asked.
            span: Told of every call.
            now_s: A clock that never goes back.
        """
        self._span = span
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
        with self._told(prompt) as told:
            with self._awaited():
                completion = await self._model.complete(prompt)
            told.append(completion.usage)
        self._count(completion.usage)
        return completion

    @override
    async def stream(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        self.n_calls += 1
        with self._told(prompt) as told:
            async with aclosing(self._model.stream(prompt)) as pieces:
                while True:
                    with self._awaited():
                        piece = await anext(pieces, None)
                    if piece is None:
                        return
                    if piece.end is not None:
                        told.append(piece.end.usage)
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
    def _told(self, prompt: Prompt) -> Generator[list[Usage]]:
        """Tell of one call, and of the usage that is put into what is yielded."""
        span = self._span.begin(
            f"chat {self.name}",
            attributes={
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": self.name,
                "gen_ai.request.temperature": prompt.temperature,
                "gen_ai.request.max_tokens": prompt.max_tokens,
            },
        )
        told: list[Usage] = []
        error: str | None = None
        try:
            yield told
        except BaseException as failure:
            error = error_code(failure)
            raise
        finally:
            span.end(attributes=_usage_attributes(told), error=error)

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


def _usage_attributes(told: list[Usage]) -> dict[str, Value]:
    counts = {
        "gen_ai.usage.input_tokens": [usage.n_prompt_tokens for usage in told],
        "gen_ai.usage.output_tokens": [usage.n_reply_tokens for usage in told],
    }
    return {name: n for name, ns in counts.items() for n in ns if n is not None}
