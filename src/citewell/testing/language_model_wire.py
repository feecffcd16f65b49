"""What language model servers send, byte for byte, for the fake one and for tests that damage it.

Written from the API documentation of OpenAI (`POST /v1/chat/completions`), Ollama
(`POST /api/chat`) and Anthropic (`POST /v1/messages`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

OPENAI_PATH = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class WrittenReply:
    """What the fake model writes.

    Attributes:
        pieces: The text as it is streamed, at least one piece.
        n_prompt_tokens: As the server tells.
        was_cut: Whether it ends because of the longest length.
        reasoning: Sent in the protocol's field of its own, where it has one.
    """

    pieces: Sequence[str]
    n_prompt_tokens: int = 7
    was_cut: bool = False
    reasoning: str = ""

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.pieces)


def openai_body(reply: WrittenReply) -> dict[str, Any]:
    """Return the whole reply of `/v1/chat/completions`."""
    message = {"role": "assistant", "content": reply.text}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    choice = {"index": 0, "message": message, "finish_reason": _openai_finish(reply)}
    return _openai_envelope("chat.completion", [choice]) | {"usage": _openai_usage(reply)}


def openai_stream(reply: WrittenReply) -> list[bytes]:
    """Return the events of a streamed reply, the usage and `[DONE]` included."""
    return [_sse(event) for event in _openai_events(reply)] + [b"data: [DONE]\n\n"]


def _openai_events(reply: WrittenReply) -> Iterator[dict[str, Any]]:
    yield _openai_chunk({"role": "assistant", "content": ""})
    if reply.reasoning:
        yield _openai_chunk({"reasoning_content": reply.reasoning})
    for piece in reply.pieces:
        yield _openai_chunk({"content": piece})
    yield _openai_chunk({}, finish=_openai_finish(reply))
    yield _openai_envelope("chat.completion.chunk", []) | {"usage": _openai_usage(reply)}


def _openai_chunk(delta: dict[str, Any], *, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _openai_envelope("chat.completion.chunk", [choice])


def _openai_envelope(kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": "1", "object": kind, "created": 1, "model": "served", "choices": choices}


def _openai_finish(reply: WrittenReply) -> str:
    return "length" if reply.was_cut else "stop"


def _openai_usage(reply: WrittenReply) -> dict[str, int]:
    n_reply = len(reply.pieces)
    return {
        "prompt_tokens": reply.n_prompt_tokens,
        "completion_tokens": n_reply,
        "total_tokens": reply.n_prompt_tokens + n_reply,
    }


def _sse(event: dict[str, Any], *, name: str = "") -> bytes:
    data = json.dumps(event, ensure_ascii=False)
    return (f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode()
