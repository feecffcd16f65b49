from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from asking import WITH_SCHEMA, Asked

from citewell.adapters.language_models.anthropic import AnthropicModel
from citewell.domain.errors import (
    LanguageModelAuthError,
    LanguageModelError,
    LanguageModelRateLimitedError,
    PromptTooLongError,
)
from citewell.ports.language_model import Completion, Message, Prompt, Usage
from citewell.testing.language_model_server import LanguageModelServer, Reply
from citewell.testing.language_model_wire import (
    WrittenReply,
    anthropic_body,
    anthropic_stream,
)

HI = WrittenReply(["Hi ", "there"])


@pytest.fixture
def server() -> Iterator[LanguageModelServer]:
    with LanguageModelServer() as server:
        yield server


def asked(server: LanguageModelServer, **options: Any) -> Asked:
    return Asked(AnthropicModel, f"{server.url}/v1", **options)


def refused(status: int, kind: str, message: str = "", **headers: str) -> Reply:
    error = {"type": kind, "message": message}
    return Reply(status, {"type": "error", "error": error}, headers)


class TestWire:
    def test_a_whole_reply(self, server: LanguageModelServer) -> None:
        completion = asked(server, api_key="k-1").complete()
        (request,) = server.requests
        assert request.path == "/v1/messages"
        assert request.headers["authorization"] == "Bearer k-1"
        assert request.body == {
            "model": "served",
            "system": "Be brief.",
            "messages": [{"role": "user", "content": "one two three"}],
            "max_tokens": 20,
            "stream": False,
        }
        assert completion == Completion("one two three ", Usage(5, 3))

    def test_a_stream(self, server: LanguageModelServer) -> None:
        texts, end = asked(server).stream()
        assert texts == ["one ", "two ", "three "]
        assert end == Completion("one two three ", Usage(5, 3))

    def test_no_key_sends_none(
        self, server: LanguageModelServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "from-the-environment")
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "from-the-environment")
        asked(server).complete()
        headers = server.requests[0].headers
        assert "from-the-environment" not in str(headers)
        assert {"x-api-key", "authorization"} & set(headers) == set()

    def test_a_schema_is_sent_as_the_provider_takes_it(self, server: LanguageModelServer) -> None:
        asked(server).complete(WITH_SCHEMA)
        wanted = server.requests[0].body["output_config"]["format"]
        assert (wanted["type"], wanted["schema"]["additionalProperties"]) == ("json_schema", False)
        assert list(wanted["schema"]["properties"]) == ["verdict"]

    def test_a_schema_that_is_refused_is_left_out_from_then_on(
        self, server: LanguageModelServer
    ) -> None:
        server.queue(refused(400, "invalid_request_error", "output_config: not supported"))
        asking = asked(server)
        for _ in range(2):
            assert asking.stream(WITH_SCHEMA)[0] == ["one ", "two "]
        sent = ["output_config" in request.body for request in server.requests]
        assert sent == [True, False, False]

    def test_a_reply_that_reached_its_length_was_cut(self, server: LanguageModelServer) -> None:
        short = Prompt((Message("user", "one two three"),), max_tokens=2)
        cut = Completion("one two ", Usage(3, 2), was_cut=True)
        assert (asked(server).complete(short), asked(server).stream(short)[1]) == (cut, cut)

    def test_thinking_is_left_out(self, server: LanguageModelServer) -> None:
        written = WrittenReply(["Hi ", "there"], reasoning="Let me think.")
        server.queue(Reply(body=anthropic_body(written)), Reply(body=anthropic_stream(written)))
        assert asked(server).complete().text == "Hi there"
        assert asked(server).stream()[0] == ["Hi ", "there"]

    def test_cached_tokens_count(self, server: LanguageModelServer) -> None:
        usage = {"input_tokens": 3, "cache_read_input_tokens": 40, "output_tokens": 2}
        server.queue(Reply(body=anthropic_body(HI) | {"usage": usage}))
        assert asked(server).complete().usage == Usage(43, 2)


class TestFailures:
    @pytest.mark.parametrize(
        ("reply", "expected"),
        [
            (refused(401, "authentication_error"), LanguageModelAuthError),
            (refused(403, "permission_error"), LanguageModelAuthError),
            (refused(404, "not_found_error"), LanguageModelError),
            (
                refused(400, "invalid_request_error", "Your credit balance is too low"),
                LanguageModelRateLimitedError,
            ),
            (
                refused(400, "invalid_request_error", "prompt is too long: 9 > 8"),
                PromptTooLongError,
            ),
            (refused(413, "request_too_large"), PromptTooLongError),
        ],
    )
    def test_what_will_not_pass_is_not_tried_again(
        self, server: LanguageModelServer, reply: Reply, expected: type[LanguageModelError]
    ) -> None:
        server.queue(reply, reply)
        asking = asked(server)
        with pytest.raises(expected) as caught:
            asking.complete()
        texts, error = asking.stream()
        assert (type(caught.value), texts, type(error)) == (expected, [], expected)
        assert len(server.requests) == 2

    def test_a_busy_provider_is_asked_again(self, server: LanguageModelServer) -> None:
        server.queue(
            refused(429, "rate_limit_error", **{"retry-after": "4"}),
            refused(529, "overloaded_error"),
        )
        asking = asked(server)
        assert asking.complete().text == "one two three "
        assert (asking.waits[0], len(asking.waits)) == (4.0, 2)

    def test_an_error_before_the_first_piece_is_tried_again(
        self, server: LanguageModelServer
    ) -> None:
        overloaded = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n'
        server.queue(Reply(body=[*anthropic_stream(HI)[:2], overloaded]))
        asking = asked(server)
        assert asking.stream()[0] == ["one ", "two ", "three "]
        server.queue(Reply(body=[*anthropic_stream(HI)[:4], overloaded]))
        texts, error = asking.stream()
        assert (texts, type(error)) == (["Hi "], LanguageModelError)

    def test_a_withheld_reply_is_an_error(self, server: LanguageModelServer) -> None:
        server.queue(Reply(body=anthropic_body(HI) | {"stop_reason": "refusal"}))
        with pytest.raises(LanguageModelError, match="withheld"):
            asked(server).complete()
