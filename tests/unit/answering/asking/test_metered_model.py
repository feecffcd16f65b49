"""What one answer asks of its model."""

import asyncio

import pytest

from citewell.answering.asking.answer_log import AnswerLog
from citewell.answering.asking.metered_model import MeteredModel
from citewell.domain.errors import LanguageModelTimeoutError
from citewell.ports.language_model import Message, Prompt
from citewell.testing.scripted_model import ScriptedModel

PROMPT = Prompt((Message("user", "one two three"),), max_tokens=10)


class Clock:
    """Goes on by one second each time it is looked at."""

    def __init__(self) -> None:
        self.time_s = 0.0

    def __call__(self) -> float:
        self.time_s += 1.0
        return self.time_s


def test_calls_and_tokens_are_counted_whole_and_streamed() -> None:
    async def use(model: MeteredModel) -> str:
        await model.complete(PROMPT)
        return "".join([piece.text async for piece in model.stream(PROMPT)])

    model = MeteredModel(ScriptedModel(["four five", "six"]))
    assert asyncio.run(use(model)) == "six"
    assert model.usage() == {"model_calls": 2, "prompt_tokens": 6, "reply_tokens": 3}


def test_call_that_fails_counts_as_a_call() -> None:
    model = MeteredModel(ScriptedModel([LanguageModelTimeoutError()]))
    with pytest.raises(LanguageModelTimeoutError):
        asyncio.run(model.complete(PROMPT))
    assert model.usage() == {"model_calls": 1, "prompt_tokens": 0, "reply_tokens": 0}


def test_calls_at_the_same_time_count_once_as_time() -> None:
    async def two(model: MeteredModel) -> None:
        await asyncio.gather(model.complete(PROMPT), model.complete(PROMPT))

    model = MeteredModel(ScriptedModel(["a", "b"]), now_s=Clock())
    asyncio.run(two(model))
    assert model.waited_s == 1.0


def test_time_of_the_reader_between_pieces_is_not_the_models() -> None:
    async def read(model: MeteredModel, clock: Clock) -> None:
        async for _ in model.stream(PROMPT):
            clock.time_s += 100

    clock = Clock()
    model = MeteredModel(ScriptedModel(["a" * 20]), now_s=clock)
    asyncio.run(read(model, clock))
    assert model.waited_s < 100


def test_steps_are_without_the_time_in_which_the_model_was_awaited() -> None:
    clock = Clock()
    log = AnswerLog(ScriptedModel(["a"]), explain=False, now_s=clock)
    assert log.model is not None
    asyncio.run(log.model.complete(PROMPT))
    log.lap("plan")
    assert log.timings_ms == {"plan": 2000.0, "model": 1000.0}


def test_trace_is_kept_only_when_asked_for() -> None:
    silent, telling = (AnswerLog(None, explain=explain) for explain in (False, True))
    for log in (silent, telling):
        log.note("plan", 1)
        log.add("searches", "a")
        log.add("searches", "b")
    assert silent.trace is None
    assert telling.trace == {"plan": 1, "searches": ["a", "b"]}
    assert (telling.usage, telling.timings_ms) == ({}, {})
