"""Streams live as long as their reader may and wants to read, and no longer."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from running_server import LIMITS, PRINCIPALS, parse_events, parts_of, running

from citewell.answering.answer_question import Answering
from citewell.domain.answer_event import AnswerEvent, StatusEvent
from citewell.testing.listed_authenticator import ListedAuthenticator

QUESTION = {"question": "Why?"}


class HeldAnswering:
    """Says one thing, and then nothing until it is closed."""

    def __init__(self) -> None:
        self.search = SimpleNamespace(weigh_question=lambda *_: None, notice=None)
        self.begun = threading.Semaphore(0)
        self.closed = threading.Semaphore(0)

    async def stream_answer(self, *_: Any) -> AsyncGenerator[AnswerEvent, None]:
        try:
            yield StatusEvent("searching", "searching")
            self.begun.release()
            await asyncio.Event().wait()
        finally:
            self.closed.release()

    async def answer_question(self, *arguments: Any) -> None:
        async for _ in self.stream_answer(*arguments):
            pass

    @property
    def answering(self) -> Answering:
        return cast("Answering", self)


@pytest.fixture
def held() -> HeldAnswering:
    return HeldAnswering()


def test_answer_is_given_up_when_its_reader_leaves(held: HeldAnswering) -> None:
    with running(parts_of(held.answering)) as client:
        with client.http.stream("POST", "/ask/stream", json=QUESTION) as response:
            first = next(parse_events(response.iter_lines()))
            assert first[0] == "meta"
            assert held.begun.acquire(timeout=30)
        assert held.closed.acquire(timeout=30)


def test_answer_that_is_not_streamed_is_given_up_too(held: HeldAnswering) -> None:
    with running(parts_of(held.answering)) as client:
        with pytest.raises(httpx.ReadTimeout):
            client.post("/ask", QUESTION, timeout=0.5)
        client.http.close()
        assert held.closed.acquire(timeout=30)


def test_silence_is_filled_with_comments(held: HeldAnswering) -> None:
    with (
        running(parts_of(held.answering, heartbeat_s=0.05)) as client,
        client.http.stream("POST", "/ask/stream", json=QUESTION) as response,
    ):
        events = parse_events(response.iter_lines())
        assert [next(events)[0] for _ in range(4)] == ["meta", "status", "", ""]


def test_revoked_reader_is_told_and_cut_off(held: HeldAnswering) -> None:
    authenticator = ListedAuthenticator(PRINCIPALS)
    with running(parts_of(held.answering, authenticator=authenticator)) as client:
        with client.as_("reader-key").http.stream("POST", "/chat", json=QUESTION) as response:
            assert held.begun.acquire(timeout=30)
            authenticator.revoke("reader-key")
            *_, last = parse_events(response.iter_lines())
        assert last == (
            "error",
            {"code": "unauthorized", "message": "The credentials are missing or were refused."},
        )
        assert held.closed.acquire(timeout=30)
        assert client.as_("reader-key").post("/ask", QUESTION).status_code == 401


def test_readers_are_told_when_the_server_stops(held: HeldAnswering) -> None:
    parts = parts_of(held.answering)
    with (
        running(parts) as client,
        client.http.stream("POST", "/chat", json=QUESTION) as response,
    ):
        assert held.begun.acquire(timeout=30)
        client.server.should_exit = True
        *_, last = parse_events(response.iter_lines())
    assert last == (
        "error",
        {"code": "unavailable", "message": "the server is being stopped: try again later"},
    )
    assert held.closed.acquire(timeout=30)


def test_too_many_questions_are_refused_and_places_come_back(held: HeldAnswering) -> None:
    limits = replace(LIMITS, questions_at_once=1, questions_waiting=0)
    with running(parts_of(held.answering, limits=limits)) as client:
        with client.http.stream("POST", "/chat", json=QUESTION):
            assert held.begun.acquire(timeout=30)
            for path in ("/chat", "/ask"):
                refused = client.post(path, QUESTION)
                assert refused.status_code == 429
                assert refused.headers["retry-after"] == "1"
                assert refused.json()["error"]["code"] == "rate_limited"
        assert held.closed.acquire(timeout=30)
        with client.http.stream("POST", "/chat", json=QUESTION) as response:
            assert response.status_code == 200
