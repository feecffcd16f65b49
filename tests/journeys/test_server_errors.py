"""Every error of the server has one shape, whoever notices it."""

import json
import socket
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from running_server import Client, answering_of, parts_of, running, running_world
from test_search_passages import put_notes

from citewell.answering.answer_question import Answering
from citewell.domain.errors import LanguageModelError
from conftest import World


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with running_world(tmp_path_factory.mktemp("world"), put_notes) as client:
        yield client


def told(response: httpx.Response) -> tuple[int, str, str]:
    """Return status, code and message of an error, whose shape must be ours."""
    body = response.json()
    assert set(body) == {"error", "request_id"}
    assert set(body["error"]) == {"code", "message", "details"}
    assert body["request_id"] == response.headers["x-request-id"]
    assert response.headers["content-type"] == "application/json"
    return response.status_code, body["error"]["code"], body["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "more", "status", "code"),
    [
        ("GET", "/nothing", {}, 404, "not_found"),
        ("GET", "/ask/", {}, 404, "not_found"),
        ("GET", "//ask", {}, 404, "not_found"),
        ("GET", "/ASK", {}, 404, "not_found"),
        ("GET", "/ask", {}, 405, "method_not_allowed"),
        ("DELETE", "/search", {}, 405, "method_not_allowed"),
        ("OPTIONS", "/ask", {}, 405, "method_not_allowed"),
        ("GET", "/ask", {"headers": {"x-http-method-override": "POST"}}, 405, "method_not_allowed"),
        ("POST", "/ask", {}, 422, "invalid_request"),
        ("POST", "/ask", {"content": b"{"}, 422, "invalid_request"),
        ("POST", "/ask", {"content": b'{"question":"\xff"}'}, 422, "invalid_request"),
        ("POST", "/ask", {"content": b"[" * 100_000}, 422, "invalid_request"),
        ("POST", "/ask", {"json": {"question": ""}}, 422, "invalid_request"),
        ("POST", "/ask", {"json": {"question": "\u200b"}}, 422, "invalid_request"),
        ("POST", "/ask", {"content": b'{"question":"\\ud800"}'}, 422, "invalid_request"),
        ("POST", "/ask", {"json": {"question": "q" * 8001}}, 422, "invalid_request"),
        ("POST", "/ask", {"json": {"question": "q", "top_k": 21}}, 422, "invalid_request"),
        ("POST", "/ask", {"json": {"question": "q", "top_k": True}}, 422, "invalid_request"),
        ("POST", "/ask", {"json": {"question": "q", "topk": 5}}, 422, "invalid_request"),
        ("POST", "/ask", {"json": {"question": "q", "tier": "chief"}}, 422, "invalid_request"),
        (
            "POST",
            "/ask",
            {"json": {"question": "q", "history": [{"question": "q", "answer": "a"}] * 51}},
            422,
            "invalid_request",
        ),
        ("POST", "/ask/stream", {"json": {"question": "\u200b"}}, 422, "invalid_request"),
        ("POST", "/ask", {"content": b" " * (2**20 + 1)}, 413, "request_too_large"),
        ("POST", "/ask", {"content": iter([b" " * 2**19] * 3)}, 413, "request_too_large"),
        ("GET", "/health/live", {"headers": {"host": "evil.example"}}, 421, "host_refused"),
        ("GET", "/health/live", {"headers": {"host": "127.0.0.1@evil"}}, 421, "host_refused"),
        (
            "GET",
            "/health/live",
            {"headers": {"origin": "http://evil.example"}},
            403,
            "origin_refused",
        ),
        ("GET", "/health/live", {"headers": {"origin": "null"}}, 403, "origin_refused"),
    ],
)
def test_error_has_its_status_and_code(
    client: Client, method: str, path: str, more: dict[str, object], status: int, code: str
) -> None:
    is_json = {"content-type": "application/json"} if "content" in more else {}
    headers = {**is_json, **more.pop("headers", {})}  # type: ignore[dict-item]
    response = client.http.request(method, path, headers=headers, **more)  # type: ignore[arg-type]
    assert told(response)[:2] == (status, code)
    if status == 405:
        assert response.headers["allow"] == "POST"


@pytest.mark.parametrize(
    "sent",
    [b"hello\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"G" * 70_000],
)
def test_what_is_no_request_gets_an_error_of_the_same_shape(client: Client, sent: bytes) -> None:
    address = (client.http.base_url.host, client.http.base_url.port or 0)
    with socket.create_connection(address, timeout=30) as connection:
        connection.sendall(sent)
        head, _, body = connection.makefile("rb").read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    error = json.loads(body)
    assert (set(error), error["error"]["code"]) == ({"error", "request_id"}, "invalid_request")


def test_wrong_field_is_named_without_its_value(client: Client) -> None:
    response = client.post("/ask", {"question": "q", "filters": {"tags": ["a", 5]}, "s": "secret"})
    assert response.json()["error"]["details"] == {
        "fields": [
            {"field": "body.filters.tags", "message": "Input should be a valid string"},
            {"field": "body.s", "message": "Extra inputs are not permitted"},
        ]
    }


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer unknown",
        "bearer unknown",
        "Basic b3BlcmF0b3Ita2V5",
        "operator-key",
        "Bearer operator-key operator-key",
    ],
)
def test_whoever_shows_no_good_key_is_told_the_same(
    client: Client, authorization: str | None
) -> None:
    stranger = client.as_(None)
    headers = {} if authorization is None else {"authorization": authorization}
    for path in ("/health", "/nothing", "/ask"):
        response = stranger.get(path, headers=headers)
        assert told(response) == (
            401,
            "unauthorized",
            "The credentials are missing or were refused.",
        )
        assert response.headers["www-authenticate"] == "Bearer"


def test_request_id_is_minted_here(client: Client) -> None:
    mine = {"x-request-id": "mine"}
    ids = [client.get("/health/live", headers=mine).headers["x-request-id"] for _ in range(2)]
    assert [len(request_id) for request_id in ids] == [32, 32]
    assert len({*ids, "mine"}) == 3


def test_replies_tell_browsers_to_do_nothing_with_them(client: Client) -> None:
    headers = client.get("/nothing").headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert "server" not in headers


def test_pages_of_listed_sites_and_our_own_may_call(client: Client) -> None:
    own = str(client.http.base_url).rstrip("/")
    for origin in ("https://chat.example.com", own):
        assert client.get("/health/live", headers={"origin": origin}).status_code == 200


def fail(error: Exception) -> Answering:
    raise error


def test_failure_that_nobody_foresaw_tells_nothing(world: World) -> None:
    parts = replace(parts_of(answering_of(world)), answering=lambda: fail(KeyError("secret")))
    with running(parts) as client:
        for path in ("/ask", "/ask/stream"):
            response = client.post(path, {"question": "q"})
            assert told(response) == (
                500,
                "internal_error",
                "Something went wrong inside Citewell.",
            )


def test_operators_alone_see_what_exactly_failed_here(world: World) -> None:
    error = LanguageModelError("http://10.0.0.7:8080 said: oops")
    parts = replace(parts_of(answering_of(world)), answering=lambda: fail(error))
    with running(parts) as client:
        body = {"question": "q"}
        assert told(client.post("/ask", body)) == (502, "llm_upstream_error", str(error))
        assert told(client.as_("reader-key").post("/ask", body)) == (
            502,
            "llm_upstream_error",
            "The language model failed, or its reply cannot be read.",
        )


def test_nothing_to_read_is_an_error_at_every_door(world: World) -> None:
    world.connector.put("director/merger.txt", "The merger with Globex is planned for March.")
    world.sync()
    with running(parts_of(answering_of(world)), "reader-key") as client:
        for path, field in (("/search", "query"), ("/ask", "question"), ("/chat", "question")):
            response = client.post(path, {field: "merger"})
            assert told(response)[:2] == (503, "retrieval_not_ready")
