"""What every language model promises, as tests.

Subclass `LanguageModelContract` with a fixture `model`; what the model writes does not matter, but
it must write more than one word when asked to repeat a sentence.
"""

# ruff: noqa: D102, S101 - these are tests: their names state the facts, asserts are their means

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from citewell.ports.language_model import Completion, LanguageModel, Message, Piece, Prompt

_Result = TypeVar("_Result")

SENTENCE = "A P1 ticket is paged within 15 minutes; 客户数据 stays inside, Müşteri verileri too 🙂."
REPEAT = Prompt((Message("user", f"Repeat this sentence: {SENTENCE}"),), max_tokens=200)
WITH_HISTORY = Prompt(
    (
        Message("system", "Repeat what you are told."),
        Message("user", "one two"),
        Message("assistant", "one two"),
        Message("user", SENTENCE),
    ),
    max_tokens=200,
)
WITH_SCHEMA = Prompt(
    (Message("user", 'Reply with {"verdict": "yes"}'),),
    max_tokens=60,
    schema={
        "type": "object",
        "properties": {"verdict": {"type": "string", "enum": ["yes", "no"]}},
        "required": ["verdict"],
        "additionalProperties": False,
    },
)


class LanguageModelContract:
    """The promises of the port `LanguageModel`; each test takes the fixture `model`."""

    def test_the_name_is_one_line_and_stays(self, model: LanguageModel) -> None:
        assert model.name == model.name.strip() != ""
        assert "\n" not in model.name

    def test_a_whole_reply_is_text_without_reasoning(self, model: LanguageModel) -> None:
        for prompt in (REPEAT, WITH_HISTORY, WITH_SCHEMA):
            completion = _run(model, model.complete(prompt))
            assert completion.text.strip()
            assert "think>" not in completion.text
            assert not completion.was_cut

    def test_the_pieces_are_the_reply_and_only_the_last_has_an_end(
        self, model: LanguageModel
    ) -> None:
        for prompt in (REPEAT, WITH_HISTORY, WITH_SCHEMA):
            pieces = _run(model, _pieces(model, prompt))
            texts = [piece.text for piece in pieces]
            *others, end = [piece.end for piece in pieces]
            assert others == [None] * (len(pieces) - 1)
            assert end is not None
            assert end == Completion("".join(texts), end.usage)
            assert texts[-1] == ""
            assert "".join(texts).strip()

    def test_pieces_hold_whole_characters(self, model: LanguageModel) -> None:
        pieces = _run(model, _pieces(model, REPEAT))
        assert [piece.text.encode().decode() for piece in pieces] == [p.text for p in pieces]

    def test_tokens_are_counted_or_unknown(self, model: LanguageModel) -> None:
        completion = _run(model, model.complete(REPEAT))
        for n_tokens in (completion.usage.n_prompt_tokens, completion.usage.n_reply_tokens):
            assert n_tokens is None or n_tokens > 0

    def test_several_tasks_ask_at_once(self, model: LanguageModel) -> None:
        async def ask_at_once() -> list[Completion]:
            streamed = [_last(model, prompt) for prompt in (REPEAT, WITH_HISTORY)]
            whole = [model.complete(prompt) for prompt in (REPEAT, WITH_HISTORY)]
            return list(await asyncio.gather(*streamed, *whole))

        completions = _run(model, ask_at_once())
        assert [bool(completion.text.strip()) for completion in completions] == [True] * 4

    def test_a_stream_may_be_closed_before_its_end(self, model: LanguageModel) -> None:
        async def read_one() -> str:
            stream = model.stream(REPEAT)
            first = await anext(stream)
            await stream.aclose()
            return first.text

        assert _run(model, read_one())

    def test_a_call_may_be_cancelled(self, model: LanguageModel) -> None:
        async def cancel() -> bool:
            task = asyncio.ensure_future(model.complete(REPEAT))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task], timeout=10)
            return task.cancelled()

        assert _run(model, cancel())

    def test_no_task_is_left_behind(self, model: LanguageModel) -> None:
        async def use() -> set[asyncio.Task[Any]]:
            await _last(model, REPEAT)
            await model.complete(REPEAT)
            stream = model.stream(REPEAT)
            await anext(stream)
            await stream.aclose()
            await _until_alone()
            return asyncio.all_tasks() - {asyncio.current_task()}

        assert _run(model, use()) == set()

    def test_a_closed_model_can_be_asked_again(self, model: LanguageModel) -> None:
        async def close_and_ask() -> Completion:
            await model.close()
            first = await model.complete(REPEAT)
            await model.close()
            await model.close()
            return first

        assert _run(model, close_and_ask()).text.strip()
        assert _run(model, model.complete(REPEAT)).text.strip()


async def _pieces(model: LanguageModel, prompt: Prompt) -> list[Piece]:
    return [piece async for piece in model.stream(prompt)]


async def _last(model: LanguageModel, prompt: Prompt) -> Completion:
    end = (await _pieces(model, prompt))[-1].end
    assert end is not None
    return end


async def _until_alone() -> None:
    """Let what is closing end; at most 10 s."""
    for _ in range(1_000):
        if len(asyncio.all_tasks()) == 1:
            return
        await asyncio.sleep(0.01)


def _run(model: LanguageModel, use: Coroutine[Any, Any, _Result]) -> _Result:
    """Run it in an event loop of its own, and close the connections with it."""

    async def run() -> _Result:
        try:
            return await use
        finally:
            await model.close()

    return asyncio.run(run())
