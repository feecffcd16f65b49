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
OLLAMA_PATH = "/api/chat"
OLLAMA_SHOW_PATH = "/api/show"
ANTHROPIC_PATH = "/v1/messages"


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


def ollama_body(reply: WrittenReply) -> dict[str, Any]:
    """Return the whole reply of `/api/chat`."""
    return _ollama_line(reply.text, thinking=reply.reasoning) | _ollama_end(reply)


def ollama_stream(reply: WrittenReply) -> list[bytes]:
    """Return the lines of a streamed reply."""
    lines = [_ollama_line("", thinking=reply.reasoning)] if reply.reasoning else []
    lines += [_ollama_line(piece) for piece in reply.pieces]
    lines.append(_ollama_line("") | _ollama_end(reply))
    return [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines]


def ollama_facts(context_length: int) -> dict[str, Any]:
    """Return the reply of `/api/show` for a model with this window."""
    facts = {"general.architecture": "fake", "fake.context_length": context_length}
    return {"details": {"family": "fake"}, "model_info": facts, "capabilities": ["completion"]}


def _ollama_line(text: str, *, thinking: str = "") -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    if thinking:
        message["thinking"] = thinking
    return {
        "model": "served",
        "created_at": "2026-11-30T12:00:00.000000Z",
        "message": message,
        "done": False,
    }


def _ollama_end(reply: WrittenReply) -> dict[str, Any]:
    return {
        "done": True,
        "done_reason": "length" if reply.was_cut else "stop",
        "total_duration": 5,
        "prompt_eval_count": reply.n_prompt_tokens,
        "eval_count": len(reply.pieces),
    }


def anthropic_body(reply: WrittenReply) -> dict[str, Any]:
    """Return the whole reply of `/v1/messages`."""
    content = [{"type": "text", "text": reply.text}]
    if reply.reasoning:
        content.insert(0, {"type": "thinking", "thinking": reply.reasoning, "signature": "s"})
    usage = {"input_tokens": reply.n_prompt_tokens, "output_tokens": len(reply.pieces)}
    return _anthropic_message(content) | {
        "stop_reason": _anthropic_stop(reply),
        "usage": usage,
    }


def anthropic_stream(reply: WrittenReply) -> list[bytes]:
    """Return the events of a streamed reply, a ping included."""
    return [_sse(event, name=event["type"]) for event in _anthropic_events(reply)]


def _anthropic_events(reply: WrittenReply) -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": reply.n_prompt_tokens, "output_tokens": 1}
    yield {"type": "message_start", "message": _anthropic_message([]) | {"usage": usage}}
    index = 0
    if reply.reasoning:
        delta = {"type": "thinking_delta", "thinking": reply.reasoning}
        yield from _anthropic_block(index, {"type": "thinking", "thinking": ""}, [delta])
        index = 1
    yield {"type": "ping"}
    deltas = [{"type": "text_delta", "text": piece} for piece in reply.pieces]
    yield from _anthropic_block(index, {"type": "text", "text": ""}, deltas)
    stop = {"stop_reason": _anthropic_stop(reply), "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": len(reply.pieces)}}
    yield {"type": "message_stop"}


def _anthropic_block(
    index: int, block: dict[str, Any], deltas: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    yield {"type": "content_block_start", "index": index, "content_block": block}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _anthropic_message(content: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "model": "served",
        "content": list(content),
        "stop_reason": None,
        "stop_sequence": None,
    }


def _anthropic_stop(reply: WrittenReply) -> str:
    return "max_tokens" if reply.was_cut else "end_turn"


def _sse(event: dict[str, Any], *, name: str = "") -> bytes:
    data = json.dumps(event, ensure_ascii=False)
    return (f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode()
