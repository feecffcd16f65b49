from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from asking import PROMPT
from typing_extensions import override

from citewell.adapters.language_models.fallback import FallbackModel
from citewell.domain.errors import (
    LanguageModelAuthError,
    LanguageModelError,
    LanguageModelRateLimitedError,
    LanguageModelTimeoutError,
    PromptTooLongError,
)
from citewell.ports.language_model import LanguageModel, Piece, Prompt
from citewell.testing.scripted_model import ScriptedModel

PASSING = [LanguageModelError(), LanguageModelTimeoutError(), LanguageModelRateLimitedError()]
LASTING = [LanguageModelAuthError(), PromptTooLongError()]


class BreaksOff(ScriptedModel):
    """Writes one piece and fails."""

    @override
    async def stream(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        yield Piece("Hi ")
        raise LanguageModelError("broke off")


async def streamed(model: LanguageModel) -> str:
    return "".join([piece.text async for piece in model.stream(PROMPT)])


@pytest.mark.parametrize("error", PASSING)
def test_the_second_is_asked_when_the_first_fails(error: LanguageModelError) -> None:
    second = ScriptedModel(["second", "second"])
    model = FallbackModel(ScriptedModel([error, error]), second)
    assert asyncio.run(model.complete(PROMPT)).text == "second"
    assert asyncio.run(streamed(model)) == "second"
    assert second.prompts == [PROMPT, PROMPT]


@pytest.mark.parametrize("error", LASTING)
def test_what_someone_must_change_is_raised(error: LanguageModelError) -> None:
    second = ScriptedModel([])
    model = FallbackModel(ScriptedModel([error, error]), second)
    with pytest.raises(type(error)):
        asyncio.run(model.complete(PROMPT))
    with pytest.raises(type(error)):
        asyncio.run(streamed(model))
    assert second.prompts == []


def test_a_stream_that_has_begun_is_not_begun_anew() -> None:
    second = ScriptedModel([])
    with pytest.raises(LanguageModelError, match="broke off"):
        asyncio.run(streamed(FallbackModel(BreaksOff([]), second)))
    assert second.prompts == []


def test_the_second_is_left_alone_while_the_first_writes() -> None:
    second = ScriptedModel([])
    model = FallbackModel(ScriptedModel(["first", ""]), second)
    assert asyncio.run(model.complete(PROMPT)).text == "first"
    assert asyncio.run(streamed(model)) == ""
    assert second.prompts == []


def test_the_error_of_the_second_is_raised_last() -> None:
    model = FallbackModel(
        ScriptedModel([LanguageModelError()]), ScriptedModel([LanguageModelTimeoutError()])
    )
    with pytest.raises(LanguageModelTimeoutError):
        asyncio.run(model.complete(PROMPT))


def test_the_name_has_both() -> None:
    model = FallbackModel(ScriptedModel([], name="a:m"), ScriptedModel([], name="b:n"))
    assert model.name == "a:m or b:n"
