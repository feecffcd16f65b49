"""An embedding server for tests, over real HTTP, that replies as it is told.

Written from the API documentation of OpenAI (`POST /v1/embeddings`) and Ollama
(`POST /api/embed`).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import numpy as np
from typing_extensions import override

OPENAI_PATH = "/v1/embeddings"
OLLAMA_PATH = "/api/embed"


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server sends.

    Attributes:
        status: HTTP status.
        body: A string is sent as it is, anything else as JSON.
        headers: In addition to length and type.
        content_type: Of the body.
        held_until: Waited for before anything is sent, at most 30 s.
    """

    status: int = 200
    body: object = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content_type: str = "application/json"
    held_until: threading.Event | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """What the server received: path, headers with names in lower case, and decoded JSON."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class EmbeddingServer:
    """Answers with vectors drawn from the hash of each text, or with the replies that are queued.

    Attributes:
        dim: Length of the vectors.
        requests: What was received, in order.
        url: Where it listens on loopback, without a path.
    """

    def __init__(self, *, dim: int = 8) -> None:
        """Start listening on a free port."""
        self.dim = dim
        self.requests: list[Request] = []
        self._replies: list[Reply | Callable[[Request], Reply]] = []
        self._lock = threading.Lock()
        self._http = _HttpServer(self)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        """Return the server."""
        return self

    def __exit__(self, *error: object) -> None:
        """Stop listening."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def queue(self, *replies: Reply | Callable[[Request], Reply]) -> None:
        """Send these to the next requests, one each, instead of vectors."""
        self._replies.extend(replies)

    def reply_to(self, request: Request) -> Reply:
        """Return what is sent for a request."""
        with self._lock:
            self.requests.append(request)
            queued = self._replies.pop(0) if self._replies else self.vectors_for
        return queued if isinstance(queued, Reply) else queued(request)

    def vectors_for(self, request: Request) -> Reply:
        """Return a reply with one vector per text."""
        texts = request.body["input"]
        rows = [self.vector(text) for text in ([texts] if isinstance(texts, str) else texts)]
        if request.path == OPENAI_PATH:
            return Reply(body=openai_body(rows))
        if request.path == OLLAMA_PATH:
            return Reply(body={"model": request.body["model"], "embeddings": rows})
        return Reply(404, {"error": "not found"})

    def vector(self, text: str) -> list[float]:
        """Return the vector of a text, not of unit length."""
        seed = int.from_bytes(sha256(text.encode()).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(self.dim).tolist()


def openai_body(rows: list[Any]) -> dict[str, Any]:
    """Return the body of a reply of `/v1/embeddings`."""
    data = [
        {"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "data": data, "model": "served", "usage": usage}


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, embedding_server: EmbeddingServer) -> None:
        class Handler(_Handler):
            replies = embedding_server

        super().__init__(("127.0.0.1", 0), Handler)

    @override
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that gives up waiting closes its end."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    replies: EmbeddingServer

    def do_POST(self) -> None:
        received = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.replies.reply_to(Request(self.path, headers, json.loads(received)))
        if reply.held_until is not None:
            reply.held_until.wait(30)
        body = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        self._send(reply, body.encode())

    def _send(self, reply: Reply, body: bytes) -> None:
        self.send_response(reply.status)
        self.send_header("content-type", reply.content_type)
        self.send_header("content-length", str(len(body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
