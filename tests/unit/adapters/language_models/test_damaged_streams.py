"""Whatever a server sends, a stream ends with its end or with an error of ours."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from asking import PROMPT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citewell.adapters.language_models.anthropic import AnthropicModel
from citewell.adapters.language_models.ollama import OllamaModel
from citewell.adapters.language_models.openai_compatible import OpenAICompatibleModel
from citewell.adapters.language_models.remote import LanguageModelOptions, RemoteLanguageModel
from citewell.adapters.language_models.retry import RetryOptions
from citewell.domain.errors import LanguageModelError
from citewell.ports.language_model import Completion
from citewell.testing.language_model_server import LanguageModelServer, Reply
from citewell.testing.language_model_wire import (
    WrittenReply,
    anthropic_stream,
    ollama_stream,
    openai_stream,
)

TEXT = "Ein P1-Ticket geht in 15 Minuten an die Bereitschaft 🙂; 客户数据 bleibt hier."
PIECES = [word + " " for word in TEXT.split()]
HTML = b"<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>"


@dataclass(frozen=True)
class Protocol:
    make: Callable[[LanguageModelOptions], RemoteLanguageModel]
    path: str
    stream: Callable[[WrittenReply], list[bytes]]

    def whole(self, length: int = 0) -> bytes:
        """Return a stream of about `length` bytes."""
        pieces = list(PIECES)
        while len(b"".join(self.stream(WrittenReply(pieces)))) < length:
            pieces.append("und ")
        return b"".join(self.stream(WrittenReply(pieces)))


PROTOCOLS = {
    "openai": Protocol(OpenAICompatibleModel, "/v1", openai_stream),
    "ollama": Protocol(OllamaModel, "", ollama_stream),
    "anthropic": Protocol(AnthropicModel, "", anthropic_stream),
}
Ended = tuple[str, Completion | LanguageModelError]


@pytest.fixture(scope="module")
def server() -> Iterator[LanguageModelServer]:
    with LanguageModelServer() as server:
        yield server


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> Protocol:
    return PROTOCOLS[request.param]


@pytest.fixture
def cut_step() -> int:
    """Every cut takes a minute; a prime, so that cuts fall on every place within an event."""
    return 13


def ends(server: LanguageModelServer, protocol: Protocol, replies: list[Reply]) -> list[Ended]:
    """Return what was shown of each reply, and how it ended, or fail."""

    async def read_all() -> list[Ended]:
        model = protocol.make(options_of(server, protocol))
        try:
            return [await _read(model) for _ in replies]
        finally:
            await model.close()

    server.forget_queued()  # of a call that ended before the server heard of it
    server.queue(*replies)
    return asyncio.run(read_all())


def options_of(server: LanguageModelServer, protocol: Protocol) -> LanguageModelOptions:
    return LanguageModelOptions(
        "served",
        f"{server.url}{protocol.path}",
        connect_timeout_s=60,
        retry=RetryOptions(max_attempts=1),
    )


async def _read(model: RemoteLanguageModel) -> Ended:
    text, end = "", None
    try:
        async for piece in model.stream(PROMPT):
            assert end is None
            text, end = text + piece.text, piece.end
    except LanguageModelError as error:
        return text, error
    assert end is not None
    assert end.text == text
    return text, end


def kinds(ended: list[Ended]) -> list[type]:
    return [type(end) for _, end in ended]


def test_every_cut_of_a_stream_is_noticed(
    server: LanguageModelServer, protocol: Protocol, cut_step: int
) -> None:
    whole = protocol.whole(2_048)
    cuts = range(0, len(whole), cut_step)
    replies = [Reply(body=[whole[:cut]], hangs_up=cut % 3 == 0) for cut in cuts]
    ended = ends(server, protocol, replies)
    full = ends(server, protocol, [Reply(body=[whole])])[0][0]
    assert len(ended) == len(cuts)
    for text, end in ended:
        assert full.startswith(text)
        assert isinstance(end, LanguageModelError) or text == full


def test_chunks_may_end_anywhere(server: LanguageModelServer, protocol: Protocol) -> None:
    whole = protocol.whole()
    replies = [
        Reply(body=[whole[start : start + size] for start in range(0, len(whole), size)])
        for size in (1, 7)
    ]
    replies += [Reply(body=[whole[:cut], whole[cut:]]) for cut in range(1, len(whole), 53)]
    expected = "".join(PIECES)
    assert {text for text, _ in ends(server, protocol, replies)} == {expected}


@given(data=st.data())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_damaged_bytes_crash_nothing(
    server: LanguageModelServer, protocol: Protocol, data: st.DataObject
) -> None:
    whole = bytearray(protocol.whole())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(whole)))
        end = data.draw(st.integers(start, min(len(whole), start + 40)))
        whole[start:end] = data.draw(st.binary(max_size=12) | st.sampled_from(SPLINTERS))
    ended = ends(server, protocol, [Reply(body=[bytes(whole)])])
    assert len(ended) == 1


SPLINTERS = [
    b"\n\n",
    b"\r\n",
    b"{}",
    b"[]",
    b"null",
    b'"text"',
    b"5",
    b"[" * 40,
    b"\xf0\x9f",
    b"data: ",
    b'{"choices":null}',
    b'{"choices":[null]}',
    b'{"choices":[{"delta":[]}]}',
    b'{"message":null}',
    b'{"message":{"content":{}}}',
    b'{"delta":{"text":5}}',
]


def test_an_error_page_with_status_200_is_an_error(
    server: LanguageModelServer, protocol: Protocol
) -> None:
    replies = [
        Reply(body=body, content_type=kind)
        for body in ([HTML], b"", HTML + b"\n\n")
        for kind in ("text/html", "text/event-stream", "application/json")
    ]
    ended = ends(server, protocol, replies)
    assert kinds(ended) == [LanguageModelError] * len(replies)


@pytest.mark.parametrize(
    "event",
    [
        b"{broken",
        b"null",
        b"5",
        b'"text"',
        b"[]",
        b"[" * 100_000,
        b'{"a": "\xff\xfe"}',
        b'{"choices": [{"delta": {"content": "',
    ],
)
def test_a_broken_event_among_good_ones_crashes_nothing(
    server: LanguageModelServer, protocol: Protocol, event: bytes
) -> None:
    before, after = protocol.stream(WrittenReply(PIECES))[:5], protocol.stream(WrittenReply([]))
    broken = event + b"\n" if protocol.make is OllamaModel else b"data: " + event + b"\n\n"
    ((text, _),) = ends(server, protocol, [Reply(body=[*before, broken, *after])])
    assert "".join(PIECES).startswith(text)
    assert text


class TestServerSentEvents:
    """What servers do with events that is allowed, or common."""

    @pytest.fixture(params=["openai", "anthropic"])
    def protocol(self, request: pytest.FixtureRequest) -> Protocol:
        return PROTOCOLS[request.param]

    @pytest.mark.parametrize(
        "change",
        [
            lambda whole: whole.replace(b"\n", b"\r\n"),
            lambda whole: whole.replace(b"\n", b"\r"),
            lambda whole: whole.replace(b"\n\n", b"\n\n: keep-alive\n\n"),
            lambda whole: b": first\n\n" + whole,
            lambda whole: whole.replace(b"data: ", b"data:"),
            lambda whole: whole.replace(b"data: ", b"id: 7\nretry: 5\nunknown: x\ndata: "),
            lambda whole: whole.replace(b"\n\n", b"\n\n\n\n"),
            lambda whole: whole.replace(b"data: [DONE]\n\n", b""),
            lambda whole: whole.replace(b"data: [DONE]\n\n", b"data: [DONE]"),
        ],
    )
    def test_a_stream_in_another_dress_is_whole(
        self,
        server: LanguageModelServer,
        protocol: Protocol,
        change: Callable[[bytes], bytes],
    ) -> None:
        ((text, end),) = ends(server, protocol, [Reply(body=[change(protocol.whole())])])
        assert (text, type(end)) == ("".join(PIECES), Completion)


class TestOpenAI:
    def read(self, server: LanguageModelServer, *events: str) -> Ended:
        body = [f"data: {event}\n\n".encode() for event in events]
        return ends(server, PROTOCOLS["openai"], [Reply(body=body)])[0]

    def test_empty_choices_are_passed_over(self, server: LanguageModelServer) -> None:
        text, end = self.read(
            server,
            '{"choices":[]}',
            '{"choices":null}',
            '{"choices":[{"delta":{"content":"Hi"}}]}',
            '{"choices":[{}]}',
            '{"choices":[{"delta":null}]}',
            '{"choices":[{"delta":{"content":null},"finish_reason":"stop"}]}',
            '{"choices":[],"usage":null}',
        )
        assert (text, end) == ("Hi", Completion("Hi"))

    def test_only_empty_choices_are_no_reply(self, server: LanguageModelServer) -> None:
        _, end = self.read(server, '{"choices":[]}', "[DONE]")
        assert isinstance(end, LanguageModelError)

    def test_an_error_after_status_200_is_ours(self, server: LanguageModelServer) -> None:
        _, end = self.read(server, '{"error":{"message":"secret","code":500}}')
        assert isinstance(end, LanguageModelError)
        assert "secret" not in str(end)


@pytest.mark.parametrize(
    "body",
    [
        HTML,
        b"",
        b"{",
        b"null",
        b"5",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"choices":[]}',
        b'{"choices":[{"message":null}]}',
        b'{"error":{"message":"no"}}',
        b'{"message":5}',
        b'{"content":null}',
    ],
)
def test_a_whole_reply_that_is_none_is_an_error(
    server: LanguageModelServer, protocol: Protocol, body: bytes
) -> None:
    async def complete() -> Any:
        model = protocol.make(options_of(server, protocol))
        try:
            await model.complete(PROMPT)
        finally:
            await model.close()

    server.forget_queued()
    kind = "text/html" if body == HTML else "application/json"
    server.queue(Reply(body=body, content_type=kind))
    with pytest.raises(LanguageModelError):
        asyncio.run(complete())
