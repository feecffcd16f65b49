from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from asking import PROMPT, SCHEMA, WITH_SCHEMA, Asked

from citewell.adapters.language_models.ollama import OllamaModel
from citewell.domain.errors import (
    LanguageModelAuthError,
    LanguageModelError,
    LanguageModelRateLimitedError,
    LanguageModelTimeoutError,
    PromptTooLongError,
)
from citewell.ports.language_model import Completion, Message, Prompt, Usage
from citewell.testing.language_model_server import LanguageModelServer, Reply
from citewell.testing.language_model_wire import WrittenReply, ollama_body, ollama_stream

HI = WrittenReply(["Hi ", "there"])
LONG = Prompt((Message("user", "word " * 6_000),), max_tokens=500)


@pytest.fixture
def server() -> Iterator[LanguageModelServer]:
    with LanguageModelServer() as server:
        yield server


def asked(server: LanguageModelServer, **options: Any) -> Asked:
    return Asked(OllamaModel, f"{server.url}/", **options)


def counted(n_prompt_tokens: int) -> Reply:
    return Reply(body=ollama_body(WrittenReply(["Hi"], n_prompt_tokens)))


class TestWire:
    def test_a_whole_reply(self, server: LanguageModelServer) -> None:
        completion = asked(server, api_key="k-1").complete()
        (request,) = server.requests
        assert request.path == "/api/chat"
        assert request.headers["authorization"] == "Bearer k-1"
        assert request.body == {
            "model": "served",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "one two three"},
            ],
            "tools": [],
            "stream": False,
            "think": False,
            "options": {"temperature": 0.0, "num_predict": 20, "num_ctx": 8192},
        }
        assert completion == Completion("one two three ", Usage(5, 3))

    def test_a_stream(self, server: LanguageModelServer) -> None:
        texts, end = asked(server).stream()
        assert texts == ["one ", "two ", "three "]
        assert end == Completion("one two three ", Usage(5, 3))
        assert server.requests[0].body["stream"] is True

    def test_no_key_sends_none(
        self, server: LanguageModelServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OLLAMA_API_KEY", "from-the-environment")
        asked(server).complete()
        assert "authorization" not in server.requests[0].headers

    def test_a_schema_is_sent(self, server: LanguageModelServer) -> None:
        asked(server).complete(WITH_SCHEMA)
        assert server.requests[0].body["format"] == SCHEMA

    def test_a_reply_that_reached_its_length_was_cut(self, server: LanguageModelServer) -> None:
        short = Prompt((Message("user", "one two three"),), max_tokens=2)
        cut = Completion("one two ", Usage(3, 2), was_cut=True)
        assert (asked(server).complete(short), asked(server).stream(short)[1]) == (cut, cut)

    def test_reasoning_in_a_field_of_its_own_is_left_out(self, server: LanguageModelServer) -> None:
        written = WrittenReply(["Hi ", "there"], reasoning="Let me think.")
        server.queue(Reply(body=ollama_body(written)), Reply(body=ollama_stream(written)))
        assert asked(server).complete().text == "Hi there"
        assert asked(server, model="qwq").stream()[0] == ["Hi ", "there"]

    def test_a_line_ends_at_a_line_feed_only(self, server: LanguageModelServer) -> None:
        odd = WrittenReply(["a\u0085b\u2028c\u2029d", "e"])
        server.queue(Reply(body=[b"\r\n", *ollama_stream(odd), b"\n"]))
        assert asked(server).stream()[0] == list(odd.pieces)


class TestWindow:
    def window(self, server: LanguageModelServer, *prompts: Prompt) -> list[int]:
        asking = asked(server)
        for prompt in prompts:
            asking.complete(prompt)
        return [request.body["options"]["num_ctx"] for request in server.requests]

    def test_grows_in_steps_and_does_not_shrink(self, server: LanguageModelServer) -> None:
        assert self.window(server, PROMPT, LONG, PROMPT) == [8192, 8192, 8192]
        longer = Prompt((Message("user", "word " * 7_000),), max_tokens=500)
        server.requests.clear()
        assert self.window(server, PROMPT, longer, PROMPT) == [8192, 16384, 16384]

    def test_holds_the_reply_too(self, server: LanguageModelServer) -> None:
        assert self.window(server, Prompt(PROMPT.messages, max_tokens=9_000)) == [16384]

    def test_is_no_longer_than_the_models(self, server: LanguageModelServer) -> None:
        server.context_length = 2048
        assert self.window(server, PROMPT) == [2048]

    def test_a_prompt_longer_than_the_models_is_not_sent(self, server: LanguageModelServer) -> None:
        server.context_length = 2048
        with pytest.raises(PromptTooLongError, match="reads 2048 tokens"):
            asked(server).complete(LONG)
        assert server.requests == []

    @pytest.mark.parametrize("n_left", [2048, 4096, 4098, 2050])
    def test_a_prompt_that_was_cut_is_noticed(
        self, server: LanguageModelServer, n_left: int
    ) -> None:
        server.queue(counted(n_left))
        with pytest.raises(PromptTooLongError, match=f"cut the prompt to {n_left} tokens"):
            asked(server).complete(LONG)

    def test_a_prompt_that_may_not_have_fit_was_cut(self, server: LanguageModelServer) -> None:
        server.context_length = 6_500
        server.queue(counted(3_300))
        with pytest.raises(PromptTooLongError):
            asked(server).complete(LONG)

    def test_a_stream_of_a_cut_prompt_ends_with_the_error(
        self, server: LanguageModelServer
    ) -> None:
        server.queue(Reply(body=ollama_stream(WrittenReply(["Hi"], 4096))))
        texts, error = asked(server).stream(LONG)
        assert (texts, type(error)) == (["Hi"], PromptTooLongError)

    @pytest.mark.parametrize("n_counted", [0, 12, 700, 5_999, 6_000, 7_000])
    def test_a_count_of_what_was_not_cached_is_no_cut(
        self, server: LanguageModelServer, n_counted: int
    ) -> None:
        server.queue(counted(n_counted))
        usage = asked(server).complete(LONG).usage
        assert usage.n_prompt_tokens == (n_counted or None)

    def test_a_server_that_tells_no_window_is_asked_all_the_same(
        self, server: LanguageModelServer
    ) -> None:
        server.context_length = 0
        assert self.window(server, PROMPT) == [8192]


class TestFailures:
    @pytest.mark.parametrize(
        ("status", "message", "expected"),
        [
            (401, "unauthorized", LanguageModelAuthError),
            (404, "model 'served' not found", LanguageModelError),
            (400, "prompt is too long: exceeds the available context size", PromptTooLongError),
        ],
    )
    def test_what_will_not_pass_is_not_tried_again(
        self,
        server: LanguageModelServer,
        status: int,
        message: str,
        expected: type[LanguageModelError],
    ) -> None:
        server.queue(*[Reply(status, {"error": message})] * 2)
        asking = asked(server)
        with pytest.raises(expected) as caught:
            asking.complete()
        texts, error = asking.stream()
        assert (type(caught.value), texts, type(error)) == (expected, [], expected)
        assert len(server.requests) == 2

    def test_a_busy_server_is_asked_again(self, server: LanguageModelServer) -> None:
        server.queue(Reply(429, {"error": "busy"}, {"retry-after": "3"}), Reply(503, {}))
        asking = asked(server)
        assert asking.stream()[0] == ["one ", "two ", "three "]
        assert (asking.waits[0], len(asking.waits)) == (3.0, 2)
        server.queue(*[Reply(429, {"error": "busy"})] * 3)
        with pytest.raises(LanguageModelRateLimitedError):
            asking.complete()

    def test_an_error_within_a_stream_is_ours(self, server: LanguageModelServer) -> None:
        server.queue(Reply(body=[*ollama_stream(HI)[:1], b'{"error":"an error was met"}\n']))
        texts, error = asked(server).stream()
        assert (texts, type(error)) == (["Hi "], LanguageModelError)
        assert "an error was met" not in str(error)

    def test_no_server_is_said(self) -> None:
        with pytest.raises(LanguageModelError, match="no connection"):
            Asked(OllamaModel, "http://127.0.0.1:9").complete()

    def test_a_first_piece_that_takes_too_long(self, server: LanguageModelServer) -> None:
        server.queue(Reply(body=ollama_stream(HI), held_before=0))
        texts, error = asked(server, timeout_s=0.3).stream()
        assert (texts, type(error)) == ([], LanguageModelTimeoutError)
