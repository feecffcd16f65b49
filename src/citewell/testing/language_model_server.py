"""A server of language models for tests, over real HTTP, that replies as it is told."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast

from typing_extensions import override

from citewell.testing.language_model_wire import (
    ANTHROPIC_PATH,
    OLLAMA_PATH,
    OLLAMA_SHOW_PATH,
    OPENAI_PATH,
    WrittenReply,
    anthropic_body,
    anthropic_stream,
    ollama_body,
    ollama_facts,
    ollama_stream,
    openai_body,
    openai_stream,
)

_PROTOCOLS: dict[str, tuple[Callable[[WrittenReply], Any], Callable[[WrittenReply], Any]]] = {
    OPENAI_PATH: (openai_body, openai_stream),
    OLLAMA_PATH: (ollama_body, ollama_stream),
    ANTHROPIC_PATH: (anthropic_body, anthropic_stream),
}
_LONGEST_HOLD_S = 30.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server sends.

    Attributes:
        status: HTTP status.
        body: Bytes and a string are sent as they are, a list of bytes in chunks, one after the
            other; anything else as JSON.
        headers: In addition to length or encoding, and type.
        content_type: Of the body; "" takes `text/event-stream` for chunks, else JSON.
        held_before: Number of the chunk before which the server waits until the client is gone or
            the server stops, at most 30 s; None sends all.
        hangs_up: Close the connection after the chunks without saying that they were all.
    """

    status: int = 200
    body: object = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content_type: str = ""
    held_before: int | None = None
    hangs_up: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """What the server received: path, headers with names in lower case, and decoded JSON."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """What the last message says."""
        return self.body["messages"][-1]["content"]

    @property
    def n_words(self) -> int:
        """How many words there are in all messages."""
        texts = [message["content"] for message in self.body["messages"]]
        return sum(len(text.split()) for text in [*texts, self.body.get("system", "")])

    @property
    def max_tokens(self) -> int:
        """How long the reply may be."""
        limits = {**self.body, **self.body.get("options", {})}
        names = ("max_tokens", "max_completion_tokens", "num_predict")
        return next(limits[name] for name in names if name in limits)


class LanguageModelServer:
    """Writes what a function of the request says, or sends the replies that are queued.

    Attributes:
        context_length: What Ollama tells of the model's window.
        requests: What was received, in order; questions about the model not counted.
        disconnects: When clients left before the end, by `time.monotonic`.
        url: Where it listens on loopback, without a path.
    """

    def __init__(self, write: Callable[[Request], WrittenReply] | None = None) -> None:
        """Start listening on a free port.

        Args:
            write: What the model writes; default: `echo`.
        """
        self.context_length = 32_768
        self.requests: list[Request] = []
        self.disconnects: list[float] = []
        self.stopping = threading.Event()
        self._write = write or echo
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
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def queue(self, *replies: Reply | Callable[[Request], Reply]) -> None:
        """Send these to the next requests, one each, instead of what the model writes."""
        self._replies.extend(replies)

    def forget_queued(self) -> None:
        """Send nothing of what is still queued."""
        self._replies.clear()

    def reply_to(self, request: Request) -> Reply:
        """Return what is sent for a request."""
        if request.path == OLLAMA_SHOW_PATH:
            return Reply(body=ollama_facts(self.context_length))
        with self._lock:
            self.requests.append(request)
            queued = self._replies.pop(0) if self._replies else self.written_reply
        return queued if isinstance(queued, Reply) else queued(request)

    def written_reply(self, request: Request) -> Reply:
        """Return what the model writes, in the protocol that the path names."""
        if request.path not in _PROTOCOLS:
            return Reply(404, {"error": {"message": "not found"}})
        whole, streamed = _PROTOCOLS[request.path]
        # Ollama streams unless it is told not to.
        is_streamed = request.body.get("stream", request.path == OLLAMA_PATH)
        return Reply(body=(streamed if is_streamed else whole)(self._write(request)))


def echo(request: Request) -> WrittenReply:
    """Write the last message again, word by word, no longer than allowed."""
    words = [f"{word} " for word in request.prompt.split()]
    n_max = request.max_tokens
    return WrittenReply(words[:n_max] or [""], request.n_words, was_cut=len(words) > n_max)


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model_server: LanguageModelServer) -> None:
        class Handler(_Handler):
            served = model_server

        super().__init__(("127.0.0.1", 0), Handler)

    @override
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that gives up waiting closes its end."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    served: LanguageModelServer

    def do_POST(self) -> None:
        received = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.served.reply_to(Request(self.path, headers, json.loads(received)))
        try:
            self._send(reply)
        except OSError:
            self._note_disconnect()

    def _send(self, reply: Reply) -> None:
        content = reply.body
        if isinstance(content, list):
            self._send_chunks(reply, cast("list[bytes]", content))
            return
        body = content if isinstance(content, str | bytes) else json.dumps(content)
        body = body.encode() if isinstance(body, str) else body
        if reply.held_before is not None and not self._hold():
            return
        self._send_head(reply, {"content-length": str(len(body))}, kind="application/json")
        self.wfile.write(body)

    def _send_chunks(self, reply: Reply, chunks: Sequence[bytes]) -> None:
        self._send_head(reply, {"transfer-encoding": "chunked"}, kind="text/event-stream")
        for n, chunk in enumerate([*chunks, b""]):
            if n == reply.held_before and not self._hold():
                return
            if n == len(chunks) and reply.hangs_up:
                self.close_connection = True
                return
            if chunk or n == len(chunks):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    def _send_head(self, reply: Reply, framing: Mapping[str, str], *, kind: str) -> None:
        self.send_response(reply.status)
        self.send_header("content-type", reply.content_type or kind)
        for name, value in {**framing, **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _hold(self) -> bool:
        """Wait, and return whether the client is still there."""
        until = time.monotonic() + _LONGEST_HOLD_S
        while not self.served.stopping.is_set() and time.monotonic() < until:
            readable, _, _ = select.select([self.connection], [], [], 0.02)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                self._note_disconnect()
                return False
        return True

    def _note_disconnect(self) -> None:
        self.close_connection = True
        self.served.disconnects.append(time.monotonic())

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
