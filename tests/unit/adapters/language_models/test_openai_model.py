from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from asking import PROMPT, SCHEMA, WITH_SCHEMA, Asked

from citewell.adapters.language_models.openai_compatible import OpenAICompatibleModel
from citewell.adapters.language_models.remote import LanguageModelOptions
from citewell.domain.errors import (
    LanguageModelAuthError,
    LanguageModelError,
    LanguageModelMissingError,
    LanguageModelRateLimitedError,
    LanguageModelTimeoutError,
    PromptTooLongError,
)
from citewell.ports.language_model import Completion, Message, Prompt, Usage
from citewell.testing.language_model_server import LanguageModelServer, Reply
from citewell.testing.language_model_wire import WrittenReply, openai_body, openai_stream

HI = WrittenReply(["Hi ", "there"])


@pytest.fixture
def server() -> Iterator[LanguageModelServer]:
    with LanguageModelServer() as server:
        yield server


def asked(server: LanguageModelServer, **options: Any) -> Asked:
    return Asked(OpenAICompatibleModel, f"{server.url}/v1/", **options)


def refused(status: int, message: str, **headers: str) -> Reply:
    return Reply(status, {"error": {"message": message}}, headers)


def choice(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, **fields}]}


class TestWire:
    def test_a_whole_reply_is_asked_for_in_the_plainest_form(
        self, server: LanguageModelServer
    ) -> None:
        completion = asked(server, api_key="k-1").complete()
        (request,) = server.requests
        assert request.path == "/v1/chat/completions"
        assert request.headers["authorization"] == "Bearer k-1"
        assert request.body == {
            "model": "served",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "one two three"},
            ],
            "max_tokens": 20,
            "temperature": 0.0,
            "stream": False,
        }
        assert completion == Completion("one two three ", Usage(5, 3))

    def test_a_stream_is_asked_for_with_its_usage(self, server: LanguageModelServer) -> None:
        texts, end = asked(server).stream()
        (request,) = server.requests
        assert request.body["stream"] is True
        assert request.body["stream_options"] == {"include_usage": True}
        assert texts == ["one ", "two ", "three "]
        assert end == Completion("one two three ", Usage(5, 3))

    def test_no_key_sends_none(
        self, server: LanguageModelServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
        monkeypatch.setenv("OPENAI_ORG_ID", "from-the-environment")
        asked(server).complete()
        assert "from-the-environment" not in str(server.requests[0].headers)
        assert "authorization" not in server.requests[0].headers

    def test_a_schema_is_sent(self, server: LanguageModelServer) -> None:
        asked(server).complete(WITH_SCHEMA)
        assert server.requests[0].body["response_format"] == {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
        }

    def test_a_reply_that_reached_its_length_was_cut(self, server: LanguageModelServer) -> None:
        short = Prompt((Message("user", "one two three"),), max_tokens=2)
        assert asked(server).complete(short) == Completion("one two ", Usage(3, 2), was_cut=True)
        assert asked(server).stream(short)[1] == Completion("one two ", Usage(3, 2), was_cut=True)

    def test_reasoning_in_a_field_of_its_own_is_left_out(self, server: LanguageModelServer) -> None:
        written = WrittenReply(["Hi ", "there"], reasoning="Let me think.")
        server.queue(Reply(body=openai_body(written)), Reply(body=openai_stream(written)))
        assert asked(server).complete().text == "Hi there"
        texts, _ = asked(server, model="qwq").stream()
        assert texts == ["Hi ", "there"]

    def test_content_in_parts_is_joined(self, server: LanguageModelServer) -> None:
        parts = [
            {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]},
            {"type": "text", "text": "Hi"},
        ]
        server.queue(Reply(body=choice(message={"content": parts}, finish_reason="stop")))
        assert asked(server).complete().text == "Hi"


class TestReasoning:
    def test_a_whole_reply_that_begins_inside_is_cut(self, server: LanguageModelServer) -> None:
        server.queue(Reply(body=openai_body(WrittenReply(["Okay.</think>", "Hi"]))))
        assert asked(server).complete().text == "Hi"

    def test_one_whole_reply_tells_how_streams_begin(self, server: LanguageModelServer) -> None:
        written = WrittenReply(["Okay.", "</think>", "Hi ", "there"])
        server.queue(Reply(body=openai_body(written)), Reply(body=openai_stream(written)))
        asking = asked(server)
        asking.complete()
        texts, end = asking.stream()
        assert (texts, end) == (["Hi ", "there"], Completion("Hi there", Usage(7, 4)))

    def test_one_bad_stream_tells_how_the_next_begins(self, server: LanguageModelServer) -> None:
        written = WrittenReply(["Okay.", "</think>", "Hi"])
        server.queue(*[Reply(body=openai_stream(written))] * 2)
        asking = asked(server)
        texts, error = asking.stream()
        assert texts == ["Okay."]
        assert "began inside its reasoning" in str(error)
        assert asking.stream()[0] == ["Hi"]

    def test_halves_of_a_character_in_two_events_are_joined(
        self, server: LanguageModelServer
    ) -> None:
        events = openai_stream(WrittenReply(["a@1", "@2b"]))
        halved = [e.replace(b"@1", b"\\ud83d").replace(b"@2", b"\\ude00") for e in events]
        server.queue(Reply(body=halved))
        assert asked(server).stream()[0] == ["a", "😀b"]


class TestRefusedFeatures:
    @pytest.mark.parametrize(
        ("message", "left_out"),
        [
            ("'response_format' of type 'json_schema' is not supported", "response_format"),
            ("Failed to parse grammar", "response_format"),
            ("Unrecognized request argument: stream_options", "stream_options"),
            ("Unsupported value: 'temperature' does not support 0", "temperature"),
        ],
    )
    def test_are_left_out_from_then_on(
        self, server: LanguageModelServer, message: str, left_out: str
    ) -> None:
        server.queue(refused(400, message))
        asking = asked(server)
        for _ in range(2):
            assert asking.stream(WITH_SCHEMA)[0] == ["one ", "two "]
        assert [left_out in request.body for request in server.requests] == [True, False, False]
        assert asking.waits == []

    def test_the_newer_name_of_the_length_is_taken(self, server: LanguageModelServer) -> None:
        message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        server.queue(refused(400, message))
        asked(server).complete()
        _, second = server.requests
        assert (second.body.get("max_tokens"), second.body["max_completion_tokens"]) == (None, 20)

    def test_several_are_left_out_one_after_the_other(self, server: LanguageModelServer) -> None:
        server.queue(refused(400, "stream_options?"), refused(422, "no json_schema here"))
        texts, _ = asked(server).stream(WITH_SCHEMA)
        assert texts == ["one ", "two "]
        assert len(server.requests) == 3

    def test_a_refusal_of_something_else_is_an_error(self, server: LanguageModelServer) -> None:
        server.queue(refused(400, "response_format?"), refused(400, "response_format?"))
        with pytest.raises(LanguageModelError, match=r"refused the request \(HTTP 400\)"):
            asked(server).complete(WITH_SCHEMA)


class TestFailures:
    @pytest.mark.parametrize(
        ("status", "message", "expected"),
        [
            (401, "bad key", LanguageModelAuthError),
            (403, "not yours", LanguageModelAuthError),
            (404, "model not found", LanguageModelError),
            (400, "no", LanguageModelError),
            (429, "insufficient_quota", LanguageModelRateLimitedError),
            (413, "", PromptTooLongError),
            (400, "This model's maximum context length is 8192 tokens.", PromptTooLongError),
            (400, "the request exceeds the available context size", PromptTooLongError),
            (500, "the prompt exceeds the context window", PromptTooLongError),
        ],
    )
    def test_what_will_not_pass_is_not_tried_again(
        self,
        server: LanguageModelServer,
        status: int,
        message: str,
        expected: type[LanguageModelError],
    ) -> None:
        asking = asked(server, api_key="k-secret")
        server.queue(refused(status, message), refused(status, message))
        with pytest.raises(expected) as caught:
            asking.complete()
        texts, error = asking.stream()
        assert (type(caught.value), texts, type(error)) == (expected, [], expected)
        assert len(server.requests) == 2
        assert "one two" not in str(error)

    @pytest.mark.parametrize(
        ("status", "expected"),
        [
            (429, LanguageModelRateLimitedError),
            (500, LanguageModelError),
            (503, LanguageModelError),
            (504, LanguageModelTimeoutError),
            (408, LanguageModelTimeoutError),
        ],
    )
    def test_what_may_pass_is_tried_three_times(
        self, server: LanguageModelServer, status: int, expected: type[LanguageModelError]
    ) -> None:
        server.queue(*[refused(status, "")] * 3)
        asking = asked(server)
        texts, error = asking.stream()
        assert (texts, type(error)) == ([], expected)
        assert (len(server.requests), len(asking.waits)) == (3, 2)

    def test_a_failure_that_passes_is_not_seen(self, server: LanguageModelServer) -> None:
        server.queue(refused(503, "loading"), Reply(body=[], hangs_up=True))
        asking = asked(server)
        assert asking.stream()[0] == ["one ", "two ", "three "]
        server.queue(refused(503, "loading"), refused(429, ""))
        assert asking.complete().text == "one two three "

    def test_the_server_says_how_long_to_wait(self, server: LanguageModelServer) -> None:
        server.queue(Reply(429, "", {"retry-after": "7"}), Reply(503, "", {"retry-after": "2.5"}))
        asking = asked(server)
        asking.complete()
        assert asking.waits == [7.0, 2.5]

    def test_a_server_that_wants_a_long_rest_is_left_alone(
        self, server: LanguageModelServer
    ) -> None:
        server.queue(Reply(429, "", {"retry-after": "11"}))
        asking = asked(server)
        with pytest.raises(LanguageModelRateLimitedError):
            asking.complete()
        assert asking.waits == []

    def test_an_early_end_is_tried_again_and_a_late_one_is_raised(
        self, server: LanguageModelServer
    ) -> None:
        events = openai_stream(HI)
        server.queue(Reply(body=events[:1]), Reply(body=events[:2], hangs_up=True))
        asking = asked(server)
        texts, error = asking.stream()
        assert (texts, len(asking.waits)) == (["Hi "], 1)
        assert str(error).startswith(("no connection", "the language model's reply broke off"))

    def test_no_server_is_said(self) -> None:
        asking = Asked(OpenAICompatibleModel, "http://127.0.0.1:9/v1")
        with pytest.raises(LanguageModelError, match="no connection: check LLM_BASE_URL"):
            asking.complete()
        assert len(asking.waits) == 2

    def test_a_withheld_reply_is_an_error(self, server: LanguageModelServer) -> None:
        server.queue(Reply(body=choice(message={"content": ""}, finish_reason="content_filter")))
        with pytest.raises(LanguageModelError, match="withheld"):
            asked(server).complete()


class TestTimeOuts:
    def test_a_whole_reply_that_takes_too_long(self, server: LanguageModelServer) -> None:
        server.queue(Reply(body=openai_body(HI), held_before=0))
        with pytest.raises(LanguageModelTimeoutError, match=r"within 0\.2 s"):
            asked(server, timeout_s=0.2).complete()

    def test_a_first_piece_that_takes_too_long(self, server: LanguageModelServer) -> None:
        server.queue(Reply(body=openai_stream(HI), held_before=1))
        texts, error = asked(server, timeout_s=0.2).stream()
        assert (texts, type(error)) == ([], LanguageModelTimeoutError)

    def test_a_next_piece_that_takes_too_long(self, server: LanguageModelServer) -> None:
        server.queue(Reply(body=openai_stream(HI), held_before=2))
        texts, error = asked(server, timeout_s=2).stream()
        assert (texts, type(error)) == (["Hi "], LanguageModelTimeoutError)

    def test_a_connection_left_open_after_the_end_does_not_matter(
        self, server: LanguageModelServer
    ) -> None:
        server.queue(Reply(body=openai_stream(HI), held_before=4))
        texts, end = asked(server).stream()
        assert (texts, end) == (["Hi ", "there"], Completion("Hi there"))


class TestMissing:
    def test_a_name_or_address_is_said(self) -> None:
        with pytest.raises(LanguageModelMissingError, match="LLM_MODEL"):
            LanguageModelOptions("", "http://127.0.0.1/v1")
        with pytest.raises(LanguageModelMissingError, match="LLM_BASE_URL"):
            LanguageModelOptions("served", "")

    def test_a_key_is_never_shown(self) -> None:
        assert "secret" not in repr(LanguageModelOptions("m", "http://h", api_key="secret"))

    def test_the_name_is_provider_and_model(self, server: LanguageModelServer) -> None:
        assert asked(server).model.name == "openai-compatible:served"


class TestDisconnect:
    def test_prompt_is_not_sent_on_to_another_address(self, server: LanguageModelServer) -> None:
        server.queue(Reply(307, "", {"location": f"{server.url}/v1/elsewhere"}))
        with pytest.raises(LanguageModelError):
            asked(server).complete(PROMPT)
        assert [request.path for request in server.requests] == ["/v1/chat/completions"]
