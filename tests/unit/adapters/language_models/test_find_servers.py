from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from citewell.adapters.language_models.find_servers import FoundServer, find_servers


@contextmanager
def serving(pages: dict[str, bytes]) -> Iterator[int]:
    """Serve these pages on loopback and yield the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path)
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


def found(port: int) -> list[FoundServer]:
    """Look again and again, as a busy machine may take longer than one look lasts."""
    return next(filter(None, (asyncio.run(find_servers([port])) for _ in range(50))), [])


def test_ollama_is_found_by_its_own_protocol() -> None:
    pages = {"/api/tags": b'{"models":[{"name":"a:7b"},{"name":"b"}]}', "/v1/models": b"{}"}
    with serving(pages) as port:
        assert found(port) == [FoundServer("ollama", f"http://127.0.0.1:{port}", ("a:7b", "b"))]


def test_a_compatible_server_is_found() -> None:
    with serving({"/v1/models": b'{"data":[{"id":"m"}, {}, 5]}'}) as port:
        url = f"http://127.0.0.1:{port}/v1"
        assert found(port) == [FoundServer("openai-compatible", url, ("m",))]


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'{"data":{}}', b"[]", b"\xff", b"[" * 90_000])
def test_another_server_is_none(body: bytes) -> None:
    with serving({"/v1/models": body, "/api/tags": body}) as port:
        assert asyncio.run(find_servers([port])) == []


def test_a_server_that_says_nothing_is_none() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert asyncio.run(find_servers([silent.getsockname()[1]])) == []


def test_nobody_is_none() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert asyncio.run(find_servers([port])) == []
