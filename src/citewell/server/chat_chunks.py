"""Answers in the words of OpenAI's chat completions, whole and in chunks."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from citewell.domain.answer import Answer
from citewell.domain.answer_event import AnswerEvent, DoneEvent, RetractEvent, SentenceEvent
from citewell.domain.clearance import Principal
from citewell.domain.errors import CitewellError
from citewell.replies import answer_reply
from citewell.server.errors import error_body
from citewell.server.schemas.openai import MODEL

_END = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Chat:
    """One chat completion.

    Attributes:
        request_id: Of the request.
        created: Seconds since the epoch.
        with_usage: Whether a stream ends with what it cost.
    """

    request_id: str
    created: int
    with_usage: bool = False

    def completion(self, answer: Answer) -> dict[str, Any]:
        """Return a whole answer."""
        message = {"role": "assistant", "content": readable_answer(answer), "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        return {
            **self._head("chat.completion"),
            "choices": [choice],
            "usage": _usage(answer),
            "citewell": answer_reply(answer, request_id=self.request_id),
        }

    async def chunks(self, events: AsyncGenerator[AnswerEvent, None]) -> AsyncGenerator[bytes]:
        """Yield an answer in chunks, sentence by sentence.

        A client cannot take back what it was sent. So what was said and does not hold is followed
        by a line that says so, and by what holds instead.
        """
        said = ""
        async with aclosing(events):
            yield self._chunk({"role": "assistant", "content": ""})
            async for event in events:
                match event:
                    case SentenceEvent():
                        text = _with_markers(event) if not said else f"\n\n{_with_markers(event)}"
                        said += text
                        yield self._chunk({"content": text})
                    case RetractEvent() if said:
                        yield self._chunk({"content": "\n\n[What was said above does not hold.]"})
                        said = ""
                    case DoneEvent():
                        yield self._chunk({"content": _rest(event.answer, said)})
                        yield self._last(event.answer)
                        if self.with_usage:
                            yield self._cost(event.answer)
                        yield _END
                    case _:
                        pass

    def last_word(self, error: CitewellError, principal: Principal) -> bytes:
        """Return what ends a stream early."""
        return _event(error_body(error, request_id=self.request_id, principal=principal)) + _END

    def _chunk(self, delta: Mapping[str, Any]) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        return _event({**self._head("chat.completion.chunk"), "choices": [choice]})

    def _last(self, answer: Answer) -> bytes:
        choice: dict[str, Any] = {"index": 0, "delta": {}, "finish_reason": "stop"}
        whole = answer_reply(answer, request_id=self.request_id)
        head = self._head("chat.completion.chunk")
        return _event({**head, "choices": [choice], "citewell": whole})

    def _cost(self, answer: Answer) -> bytes:
        head = self._head("chat.completion.chunk")
        return _event({**head, "choices": [], "usage": _usage(answer)})

    def _head(self, kind: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{self.request_id}",
            "object": kind,
            "created": self.created,
            "model": MODEL,
        }


def readable_answer(answer: Answer) -> str:
    """Return an answer with what its markers mean below, for clients that show text alone."""
    return answer.text + _sources(answer)


def _rest(answer: Answer, said: str) -> str:
    """Return what a reader of sentences still lacks."""
    if said:
        return _sources(answer)
    return ("\n\n" if said else "") + readable_answer(answer)


def _sources(answer: Answer) -> str:
    lines = [f"[{c.n}] {_place(c.source_id, c.location)}" for c in answer.citations]
    if answer.notice:
        lines.append(f"Notice: {answer.notice}")
    return "\n\n" + "\n".join(lines) if lines else ""


def _place(source_id: str, location: str) -> str:
    """Return where a quote stands, as plain words: no client makes a link or an image of it."""
    place = f"{source_id}, {location}" if location else source_id
    return "".join(character if character not in "[]()<>!`*_|\n\r" else " " for character in place)


def _with_markers(event: SentenceEvent) -> str:
    markers = "".join(f"[{n}]" for n in event.sentence.citations)
    return f"{event.sentence.text} {markers}" if markers else event.sentence.text


def _usage(answer: Answer) -> dict[str, int]:
    asked, replied = answer.usage.get("prompt_tokens", 0), answer.usage.get("reply_tokens", 0)
    return {"prompt_tokens": asked, "completion_tokens": replied, "total_tokens": asked + replied}


def _event(data: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
