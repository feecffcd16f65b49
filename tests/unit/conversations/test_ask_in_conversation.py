from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from citewell.adapters.conversation_stores.sqlite_conversations import SqliteConversations
from citewell.answering.answer_question import Answering
from citewell.conversations.ask_in_conversation import Asker, ConversationalAnswering
from citewell.conversations.keep_conversations import HISTORY_TURNS, Conversations
from citewell.domain.answer import CANONICAL_ABSTENTION, Answer, Grounding
from citewell.domain.answer_event import AnswerEvent, DoneEvent, StatusEvent
from citewell.domain.ask_request import AskRequest
from citewell.domain.clearance import Clearance
from citewell.domain.conversation import KeepingLimits, Turn
from citewell.domain.errors import NotFoundError, UsageError
from citewell.ports.passage_reader import PassageReader
from citewell.testing.conversation_store_contract import SetTime

STAFF = Clearance(("staff",))
UNKNOWN = Answer(
    mode="no_answer",
    confidence=0.0,
    text=CANONICAL_ABSTENTION,
    sentences=(),
    citations=(),
    grounding=Grounding(has_citations=False, citations_valid=True),
    timings_ms={"search": 1.0},
)


class Recording:
    """Knows no answer, and keeps what it was asked; or fails."""

    def __init__(self) -> None:
        self.asked: list[AskRequest] = []
        self.failure: Exception | None = None

    async def stream_answer(
        self, request: AskRequest, clearance: Clearance
    ) -> AsyncGenerator[AnswerEvent, None]:
        self.asked.append(request)
        yield StatusEvent("searching", "searching")
        if self.failure is not None:
            raise self.failure
        yield DoneEvent(UNKNOWN)


@pytest.fixture
def conversations(tmp_path: Path) -> Iterator[Conversations]:
    clock = SetTime()
    limits = KeepingLimits(max_turns=15)
    store = SqliteConversations(tmp_path / "c.sqlite3", limits=limits, now=clock)
    yield Conversations(store, cast("PassageReader", None), now=clock)
    store.close()


def ask(
    conversations: Conversations, answering: Recording, question: str, conversation_id: str | None
) -> Answer:
    asking = ConversationalAnswering(cast("Answering", answering), conversations)
    asker = Asker("ann", STAFF, conversations.new_id(), conversation_id)
    request = asking.with_history(AskRequest(question), asker)
    return asyncio.run(asking.answer_question(request, asker))


def test_turns_before_come_with_the_question(conversations: Conversations) -> None:
    answering = Recording()
    name = conversations.begin("ann").id
    for question in ("one", "two", "three"):
        assert ask(conversations, answering, question, name) == UNKNOWN
    assert [request.history for request in answering.asked] == [
        (),
        (Turn("one", CANONICAL_ABSTENTION),),
        (Turn("one", CANONICAL_ABSTENTION), Turn("two", CANONICAL_ABSTENTION)),
    ]


def test_only_the_last_turns_come_and_a_full_conversation_is_refused(
    conversations: Conversations,
) -> None:
    answering = Recording()
    name = conversations.begin("ann").id
    for number in range(15):
        ask(conversations, answering, f"q{number}", name)
    assert [turn.question for turn in answering.asked[-1].history] == [
        f"q{number}" for number in range(14 - HISTORY_TURNS, 14)
    ]
    with pytest.raises(UsageError, match="full"):
        ask(conversations, answering, "more", name)
    assert len(answering.asked) == 15


def test_unknown_conversation_is_refused_before_anything_is_asked(
    conversations: Conversations,
) -> None:
    answering = Recording()
    with pytest.raises(NotFoundError):
        ask(conversations, answering, "one", "0" * 32)
    assert answering.asked == []


def test_question_that_failed_leaves_no_turn(conversations: Conversations) -> None:
    answering = Recording()
    answering.failure = UsageError()
    name = conversations.begin("ann").id
    with pytest.raises(UsageError):
        ask(conversations, answering, "one", name)
    assert conversations.read("ann", name, STAFF).turns == ()


def test_answer_is_kept_before_its_reader_is_told_that_it_is_done(
    conversations: Conversations,
) -> None:
    name = conversations.begin("ann").id
    asking = ConversationalAnswering(cast("Answering", Recording()), conversations)
    asker = Asker("ann", STAFF, "a" * 32, name)

    async def turns_at_the_end() -> list[int]:
        counts: list[int] = []
        async for _ in asking.stream_answer(AskRequest("one"), asker):
            counts.append(len(conversations.read("ann", name, STAFF).turns))  # noqa: PERF401 - as each comes
        return counts

    assert asyncio.run(turns_at_the_end()) == [0, 1]


def test_first_question_names_a_conversation(conversations: Conversations) -> None:
    name = conversations.begin("ann").id
    ask(conversations, Recording(), "  What \u202eis\nit? " + "x" * 200, name)
    (conversation,) = conversations.page("ann").conversations
    assert conversation.title == ("What is it? " + "x" * 200)[:100] + "…"


@pytest.mark.parametrize("title", ["x" * 121, "y " * 121])
def test_title_that_is_too_long_is_refused(conversations: Conversations, title: str) -> None:
    with pytest.raises(UsageError):
        conversations.begin("ann", title=title)


def test_page_has_a_bounded_size(conversations: Conversations) -> None:
    wrong: list[Any] = [0, 101, -1]
    for limit in wrong:
        with pytest.raises(UsageError):
            conversations.page("ann", limit=limit)


def test_nothing_is_begun_where_nothing_is_kept(tmp_path: Path) -> None:
    store = SqliteConversations(tmp_path / "c.sqlite3", limits=KeepingLimits(max_conversations=0))
    with pytest.raises(UsageError, match="no conversations are kept"):
        Conversations(store, cast("PassageReader", None)).begin("ann")
    store.close()
