"""What both embedders on a server do, against a server over real HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from citewell.adapters.embedders.ollama import OllamaEmbedder
from citewell.adapters.embedders.openai_compatible import OpenAICompatibleEmbedder
from citewell.adapters.embedders.remote import RemoteEmbedder, RemoteOptions
from citewell.adapters.embedders.retry import RetryOptions
from citewell.domain.errors import (
    ConfigurationError,
    EmbedderError,
    EmbeddingMismatchError,
    InvalidDocumentError,
)
from citewell.ports.embedder import PassageText
from citewell.testing.embedding_server import EmbeddingServer, Reply, Request, openai_body

SECRET = "the text of a confidential passage"


@dataclass
class Setup:
    """An embedder of one provider, its server, and the waits that it asked for."""

    provider: str
    server: EmbeddingServer
    waits: list[float] = field(default_factory=list)
    made: list[RemoteEmbedder] = field(default_factory=list)

    def embedder(self, **options: Any) -> RemoteEmbedder:
        path = "/v1" if self.provider == "openai-compatible" else ""
        wanted = {"model": "served", "base_url": self.server.url + path, "dim": 8} | options
        kind = {"openai-compatible": OpenAICompatibleEmbedder, "ollama": OllamaEmbedder}
        embedder = kind[self.provider](RemoteOptions(**wanted), sleep=self.waits.append)
        self.made.append(embedder)
        return embedder

    def rows_reply(self, rows: list[Any]) -> Reply:
        if self.provider == "ollama":
            return Reply(body={"model": "served", "embeddings": rows})
        return Reply(body=openai_body(rows))

    def vector(self, text: str) -> np.ndarray:
        vector = np.array(self.server.vector(text))
        return (vector / np.linalg.norm(vector)).astype(np.float32)


@pytest.fixture(params=["openai-compatible", "ollama"])
def setup(request: pytest.FixtureRequest) -> Iterator[Setup]:
    with EmbeddingServer() as server:
        setup = Setup(request.param, server)
        yield setup
        for embedder in setup.made:
            embedder.close()


def passages(*texts: str) -> list[PassageText]:
    return [PassageText(text) for text in texts]


def test_texts_go_in_batches_and_vectors_come_back_in_order(setup: Setup) -> None:
    texts = [f"text {number}" for number in range(7)]
    vectors = setup.embedder(batch_size=3).embed_passages(passages(*texts))
    np.testing.assert_allclose(vectors, np.stack([setup.vector(text) for text in texts]), atol=1e-6)
    sent = sorted((request.body["input"] for request in setup.server.requests), key=len)
    assert sorted(len(batch) for batch in sent) == [1, 3, 3]


class RequestsAtOnce:
    """Counts requests that run at the same time; one waits for another before it is answered."""

    def __init__(self, server: EmbeddingServer, *, wait_s: float) -> None:
        self.server = server
        self.wait_s = wait_s
        self.running = 0
        self.most = 0
        self.lock = threading.Lock()
        self.another_here = threading.Event()

    def __call__(self, request: Request) -> Reply:
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
            if self.running == 2:
                self.another_here.set()
        self.another_here.wait(self.wait_s)
        with self.lock:
            self.running -= 1
        return self.server.vectors_for(request)


def test_batches_of_one_call_run_side_by_side_up_to_the_limit(setup: Setup) -> None:
    at_once = RequestsAtOnce(setup.server, wait_s=10)
    setup.server.queue(*[at_once] * 4)
    setup.embedder(batch_size=1, concurrency=2).embed_passages(passages("a", "b", "c", "d"))
    assert at_once.most == 2
    assert len(setup.server.requests) == 4


def test_callers_share_the_limit(setup: Setup) -> None:
    at_once = RequestsAtOnce(setup.server, wait_s=0.1)
    setup.server.queue(*[at_once] * 3)
    embedder = setup.embedder(concurrency=1)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(embedder.embed_passages, [passages(text) for text in "abc"]))
    assert at_once.most == 1


def test_a_question_does_not_wait_for_passages(setup: Setup) -> None:
    arrived, release = threading.Event(), threading.Event()

    def hold(request: Request) -> Reply:
        arrived.set()
        release.wait(10)
        return setup.server.vectors_for(request)

    setup.server.queue(hold)
    embedder = setup.embedder(concurrency=1)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(embedder.embed_passages, passages("a"))
        assert arrived.wait(10)
        question = embedder.embed_query("b")
        assert not running.done()
        release.set()
    np.testing.assert_allclose(question, setup.vector("b"), atol=1e-6)
    np.testing.assert_allclose(running.result()[0], setup.vector("a"), atol=1e-6)


def test_prompts_of_a_known_model_are_put_in_front(setup: Setup) -> None:
    embedder = setup.embedder(model="nomic-embed-text:v1.5")
    embedder.embed_passages([PassageText("body", title="T")])
    embedder.embed_query("who?")
    assert [request.body["input"] for request in setup.server.requests] == [
        ["search_document: T\nbody"],
        ["search_query: who?"],
    ]


def test_prompts_that_are_set_replace_the_known_ones_and_mark_the_model(setup: Setup) -> None:
    known = setup.embedder(model="nomic-embed-text")
    changed = setup.embedder(model="nomic-embed-text", passage_prompt="", query_prompt="Q: ")
    changed.embed_query("who?")
    assert setup.server.requests[0].body["input"] == ["Q: who?"]
    assert known.model.name == "nomic-embed-text"
    assert changed.model.name.startswith("nomic-embed-text#")
    assert changed.model.key != known.model.key


def test_nothing_is_sent_for_blank_text(setup: Setup) -> None:
    embedder = setup.embedder()
    assert not embedder.embed_passages(passages("", " \0 ")).any()
    assert not embedder.embed_query("\n").any()
    assert setup.server.requests == []


def test_odd_characters_arrive_as_utf_8(setup: Setup) -> None:
    setup.embedder().embed_query("a\0b \ud800 客户 👩‍👧")
    assert setup.server.requests[0].body["input"] == ["a b \ufffd 客户 👩‍👧"]


def test_a_question_beyond_the_limit_of_the_model_is_cut(setup: Setup) -> None:
    setup.embedder(max_tokens=12).embed_query("word " * 500)
    assert setup.server.requests[0].body["input"] == ["word " * 5]


def test_dimension_is_asked_once_when_it_is_not_set(setup: Setup) -> None:
    embedder = setup.embedder(dim=None)
    assert embedder.model.key == f"{setup.provider}/served/8"
    assert embedder.embed_passages(passages("a")).shape == (1, 8)
    assert len(setup.server.requests) == 2


def test_a_set_dimension_is_not_asked_for(setup: Setup) -> None:
    assert setup.embedder(dim=8, max_tokens=77).model.max_tokens == 77
    assert setup.server.requests == []


def test_too_many_requests_waits_as_long_as_the_server_asks(setup: Setup) -> None:
    setup.server.queue(
        Reply(429, {"error": {"message": "slow down"}}, {"retry-after": "7"}),
        Reply(429, {"error": {"message": "slow down"}}, {"retry-after": "0"}),
    )
    vectors = setup.embedder().embed_passages(passages("a"))
    np.testing.assert_allclose(vectors[0], setup.vector("a"), atol=1e-6)
    assert setup.waits == [7.0, 0.0]


def test_a_server_that_asks_for_too_long_a_wait_is_left_alone(setup: Setup) -> None:
    setup.server.queue(Reply(429, {}, {"retry-after": "3600"}))
    with pytest.raises(EmbedderError, match=r"HTTP 429 \(attempts: 1\)"):
        setup.embedder().embed_passages(passages("a"))
    assert setup.waits == []


def test_server_errors_are_tried_again_with_growing_patience(setup: Setup) -> None:
    setup.server.queue(*[Reply(status, "down") for status in (500, 502, 503)])
    setup.embedder().embed_passages(passages("a"))
    assert len(setup.waits) == 3
    assert [wait <= limit for wait, limit in zip(setup.waits, (0.5, 1, 2), strict=True)] == [
        True
    ] * 3


def test_a_lasting_failure_ends_after_the_attempts_with_an_error_that_may_pass(
    setup: Setup,
) -> None:
    setup.server.queue(*[Reply(503, "down")] * 3)
    options = RetryOptions(max_attempts=3, max_wait_s=60)
    with pytest.raises(EmbedderError, match=r"HTTP 503 \(attempts: 3\)") as caught:
        setup.embedder(passage_retry=options).embed_passages(passages("a"))
    assert caught.value.retryable
    assert len(setup.server.requests) == 3


def test_a_question_is_tried_twice_only(setup: Setup) -> None:
    setup.server.queue(*[Reply(500, "down")] * 2)
    with pytest.raises(EmbedderError, match="attempts: 2"):
        setup.embedder().embed_query("a")


def test_a_time_out_is_tried_again(setup: Setup) -> None:
    release = threading.Event()
    setup.server.queue(Reply(held_until=release))
    try:
        vectors = setup.embedder(timeout_s=0.3).embed_passages(passages("a"))
    finally:
        release.set()
    np.testing.assert_allclose(vectors[0], setup.vector("a"), atol=1e-6)
    assert len(setup.waits) == 1


def test_a_question_has_a_time_limit_of_its_own(setup: Setup) -> None:
    release = threading.Event()
    setup.server.queue(*[Reply(held_until=release)] * 2)
    try:
        with pytest.raises(EmbedderError, match=r"no answer within 0\.05 s"):
            setup.embedder(question_timeout_s=0.05).embed_query("a")
    finally:
        release.set()


def test_a_server_that_is_not_there_is_an_error_that_may_pass(setup: Setup) -> None:
    embedder = setup.embedder(base_url="http://127.0.0.1:9/v1")
    with pytest.raises(EmbedderError, match=r"no connection.*attempts: 5"):
        embedder.embed_passages(passages("a"))


@pytest.mark.parametrize("n_rows", [0, 1, 3])
def test_a_partial_answer_is_an_error(setup: Setup, n_rows: int) -> None:
    setup.server.queue(setup.rows_reply([[1.0] * 8] * n_rows))
    with pytest.raises(EmbedderError, match=f"{n_rows} vectors for 2 texts"):
        setup.embedder().embed_passages(passages("a", "b"))


def test_one_failed_batch_fails_the_call(setup: Setup) -> None:
    setup.server.queue(setup.server.vectors_for, Reply(400, {"error": "no"}))
    with pytest.raises(ConfigurationError):
        setup.embedder(batch_size=1, concurrency=1).embed_passages(passages("a", "b", "c"))


def test_vectors_of_another_dimension_are_a_mismatch(setup: Setup) -> None:
    with pytest.raises(EmbeddingMismatchError, match="dimension 8, not 16"):
        setup.embedder(dim=16).embed_passages(passages("a"))


@pytest.mark.parametrize(
    "row",
    [["NaN"] * 8, [None] * 8, [0.0] * 8, "AAAA", None, 3, {"a": 1}],
    ids=["words", "nulls", "zeros", "base64", "null", "number", "object"],
)
def test_rows_that_are_no_vectors_are_an_error(setup: Setup, row: object) -> None:
    setup.server.queue(setup.rows_reply([row]))
    with pytest.raises(EmbedderError):
        setup.embedder().embed_passages(passages("a"))


@pytest.mark.parametrize(
    "body",
    ['{"data": [{"index"', "[]", '"text"', "{}", '{"error": "model is loading"}', "null", "1"],
)
def test_json_of_another_form_is_an_error(setup: Setup, body: str) -> None:
    setup.server.queue(Reply(body=body))
    with pytest.raises(EmbedderError, match="not a list of embeddings"):
        setup.embedder().embed_passages(passages("a"))


def test_not_a_number_is_an_error(setup: Setup) -> None:
    text = json.dumps(setup.rows_reply([[1.0] * 7 + [float("nan")]]).body)
    setup.server.queue(Reply(body=text))
    with pytest.raises(EmbedderError):
        setup.embedder().embed_passages(passages("a"))


def test_a_web_page_with_status_200_is_an_error(setup: Setup) -> None:
    page = Reply(body="<html><body>Please sign in</body></html>", content_type="text/html")
    setup.server.queue(page)
    with pytest.raises(EmbedderError, match="EMBEDDING_BASE_URL"):
        setup.embedder().embed_passages(passages("a"))


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(401, {"error": {"message": "bad key"}}), "EMBEDDING_API_KEY"),
        (Reply(403, {"error": {"message": "bad key"}}), "EMBEDDING_API_KEY"),
        (Reply(404, {"error": "model 'served' not found"}), "EMBEDDING_MODEL"),
        (Reply(422, {"error": "batch size 64 > maximum allowed"}), "EMBEDDING_BATCH_SIZE"),
    ],
)
def test_what_an_operator_must_change_is_not_tried_again(
    setup: Setup, reply: Reply, message: str
) -> None:
    setup.server.queue(reply)
    with pytest.raises(ConfigurationError, match=message):
        setup.embedder().embed_passages(passages("a"))
    assert setup.waits == []


@pytest.mark.parametrize(
    "reply",
    [
        Reply(400, {"error": "the input length exceeds the context length"}),
        Reply(400, {"error": {"message": "This model's maximum context length is 512 tokens"}}),
        Reply(413, {"error": "`inputs` must have less than 512 tokens. Given: 900"}),
        Reply(500, {"error": {"message": "input (900 tokens) is too large to process"}}),
    ],
)
def test_a_passage_that_is_too_long_is_an_error_of_its_document(setup: Setup, reply: Reply) -> None:
    setup.server.queue(reply)
    with pytest.raises(InvalidDocumentError, match="CHUNK_MAX_TOKENS"):
        setup.embedder().embed_passages(passages("a"))
    assert setup.waits == []


def test_a_redirect_to_another_host_does_not_take_the_text_there(setup: Setup) -> None:
    with EmbeddingServer() as elsewhere:
        location = {"location": f"{elsewhere.url}/v1/embeddings"}
        setup.server.queue(Reply(307, "", location))
        with pytest.raises(ConfigurationError, match="HTTP 307"):
            setup.embedder().embed_passages(passages(SECRET))
        assert elsewhere.requests == []


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_messages_never_repeat_what_the_server_says(setup: Setup, status: int) -> None:
    setup.server.queue(*[Reply(status, {"error": {"message": f"cannot read {SECRET}"}})] * 5)
    with pytest.raises((ConfigurationError, EmbedderError)) as caught:
        setup.embedder(api_key="sk-secret").embed_passages(passages(SECRET))
    assert SECRET not in str(caught.value)
    assert "sk-secret" not in str(caught.value)


def test_the_key_is_sent_and_never_shown(setup: Setup) -> None:
    setup.embedder(api_key="sk-secret").embed_query("a")
    assert setup.server.requests[0].headers["authorization"] == "Bearer sk-secret"
    options = RemoteOptions("served", "http://127.0.0.1", api_key="sk-secret")
    assert "sk-secret" not in repr(options)


def test_without_a_key_none_is_sent_whatever_the_environment_holds(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "BASE_URL"):
        monkeypatch.setenv(f"OPENAI_{name}", "from-the-environment")
    for name in ("API_KEY", "HOST"):
        monkeypatch.setenv(f"OLLAMA_{name}", "from-the-environment")
    setup.embedder().embed_query("a")
    assert "from-the-environment" not in str(dict(setup.server.requests[0].headers))
    assert "authorization" not in setup.server.requests[0].headers


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": ""}, "EMBEDDING_MODEL"),
        ({"base_url": "localhost:8080"}, "EMBEDDING_BASE_URL"),
        ({"batch_size": 0}, "at least 1"),
        ({"concurrency": 0}, "at least 1"),
    ],
)
def test_options_that_cannot_work_are_refused(change: dict[str, Any], message: str) -> None:
    options = RemoteOptions("served", "http://127.0.0.1:1")
    with pytest.raises(ConfigurationError, match=message):
        replace(options, **change)


def test_connections_can_be_closed_and_opened_again(setup: Setup) -> None:
    embedder = setup.embedder()
    first = embedder.embed_query("a")
    embedder.close()
    embedder.close()
    np.testing.assert_array_equal(embedder.embed_query("a"), first)
