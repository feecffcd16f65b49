"""When a reader leaves, the server's work ends and nothing of ours goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator

import pytest
from asking import PROMPT

from citewell.adapters.language_models.anthropic import AnthropicModel
from citewell.adapters.language_models.fallback import FallbackModel
from citewell.adapters.language_models.ollama import OllamaModel
from citewell.adapters.language_models.openai_compatible import OpenAICompatibleModel
from citewell.adapters.language_models.remote import LanguageModelOptions
from citewell.ports.language_model import LanguageModel
from citewell.testing.language_model_server import LanguageModelServer, Reply
from citewell.testing.language_model_wire import (
    WrittenReply,
    anthropic_stream,
    ollama_stream,
    openai_stream,
)
from citewell.testing.scripted_model import ScriptedModel

HI = WrittenReply(["Hi ", "there"])
ADAPTERS = {
    "openai": (OpenAICompatibleModel, "/v1", openai_stream, 3),
    "ollama": (OllamaModel, "", ollama_stream, 1),
    "anthropic": (AnthropicModel, "", anthropic_stream, 4),
}


class Held:
    """A model whose server writes one piece and goes on forever, or writes nothing."""

    def __init__(self, server: LanguageModelServer, name: str) -> None:
        make, path, self._stream, self._n_before = ADAPTERS[name]
        self.server = server
        self.model: LanguageModel = make(LanguageModelOptions("served", server.url + path))

    def hold_after_one_piece(self) -> None:
        self.server.queue(Reply(body=self._stream(HI), held_before=self._n_before))

    def hold_all(self) -> None:
        self.server.queue(Reply(body="", held_before=0))


@pytest.fixture(params=ADAPTERS)
def held(request: pytest.FixtureRequest) -> Iterator[Held]:
    with LanguageModelServer() as server:
        yield Held(server, request.param)


async def until(is_so: Callable[[], bool]) -> None:
    """Poll what another thread changes."""
    while not is_so():  # noqa: ASYNC110 - threads and tasks that end set no asyncio.Event
        await asyncio.sleep(0.005)


def left_after(held: Held, leave: Callable[[], Awaitable[None]]) -> float:
    """Return the seconds until the server saw that the reader had left, and check for tasks."""

    async def run() -> float:
        began = time.monotonic()
        await leave()
        async with asyncio.timeout(20):
            await until(lambda: bool(held.server.disconnects))
            await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})
        await held.model.close()
        return held.server.disconnects[0] - began

    return asyncio.run(run())


def test_a_closed_stream_closes_the_connection(held: Held) -> None:
    async def leave() -> None:
        stream = held.model.stream(PROMPT)
        assert (await anext(stream)).text == "Hi "
        await stream.aclose()

    held.hold_after_one_piece()
    left_after(held, leave)


def test_a_dropped_stream_closes_the_connection(held: Held) -> None:
    async def leave() -> None:
        async for piece in held.model.stream(PROMPT):
            assert piece.text == "Hi "
            break

    held.hold_after_one_piece()
    left_after(held, leave)


@pytest.mark.parametrize("reads_whole", [False, True])
def test_a_cancelled_task_closes_the_connection(held: Held, reads_whole: bool) -> None:
    began = asyncio.Event()

    async def read() -> None:
        if reads_whole:
            began.set()
            await held.model.complete(PROMPT)
        async for _ in held.model.stream(PROMPT):
            began.set()

    async def leave() -> None:
        task = asyncio.ensure_future(read())
        await began.wait()
        await until(lambda: bool(held.server.requests))
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()

    if reads_whole:
        held.hold_all()
    else:
        held.hold_after_one_piece()
    left_after(held, leave)


def test_a_stream_cancelled_before_its_first_piece_closes_the_connection(held: Held) -> None:
    async def leave() -> None:
        stream = held.model.stream(PROMPT)
        task = asyncio.ensure_future(anext(stream))
        await until(lambda: bool(held.server.requests))
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()

    held.hold_all()
    left_after(held, leave)


def test_a_second_model_stands_in_nobodys_way(held: Held) -> None:
    async def leave() -> None:
        stream = FallbackModel(held.model, ScriptedModel([])).stream(PROMPT)
        await anext(stream)
        await stream.aclose()

    held.hold_after_one_piece()
    left_after(held, leave)
