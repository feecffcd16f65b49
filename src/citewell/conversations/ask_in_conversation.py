"""Asking as a part of a conversation: its turns come before, and the answer is kept.

history, redacted ─► answer ─► kept ─► told that it is done
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

from citewell.answering.answer_question import Answering
from citewell.conversations.keep_conversations import Conversations, moment_of
from citewell.domain.answer import Answer
from citewell.domain.answer_event import AnswerEvent, DoneEvent
from citewell.domain.ask_request import AskRequest
from citewell.domain.clearance import Clearance
from citewell.domain.conversation import KeptTurn
from citewell.domain.errors import UnavailableError, UsageError

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, and where the answer is kept.

    Attributes:
        owner: Id of the principal.
        clearance: What may be read.
        request_id: Of the request, 128 random bits; the answer's id.
        conversation_id: That the question belongs to; None: only that it was answered is kept.
    """

    owner: str
    clearance: Clearance
    request_id: str
    conversation_id: str | None = None


@dataclass(frozen=True, slots=True)
class ConversationalAnswering:
    """Answers questions, with the turns of a conversation before them.

    Attributes:
        answering: Answers.
        conversations: Keeps.
    """

    answering: Answering
    conversations: Conversations

    def with_history(self, request: AskRequest, asker: Asker) -> AskRequest:
        """Return the request with the turns of its conversation, as they may be read now.

        Raises:
            NotFoundError: There is no such conversation, or it is another principal's.
            UsageError: It is full, or the request brings a history of its own.
        """
        if asker.conversation_id is None:
            return request
        if request.history:
            raise UsageError("a question has either a conversation or a history, not both")
        history = self.conversations.history(asker.owner, asker.conversation_id, asker.clearance)
        return replace(request, history=history)

    async def answer_question(self, request: AskRequest, asker: Asker) -> Answer:
        """Answer as `Answering.answer_question` does a request with its history, and keep it."""
        async with aclosing(self.stream_answer(request, asker)) as events:
            async for event in events:
                if isinstance(event, DoneEvent):
                    return event.answer
        raise AssertionError("an answer ends with its last event")

    async def stream_answer(
        self, request: AskRequest, asker: Asker
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Yield what `Answering.stream_answer` yields; the answer is kept before it is done."""
        async with aclosing(self.answering.stream_answer(request, asker.clearance)) as events:
            async for event in events:
                if isinstance(event, DoneEvent):
                    await asyncio.to_thread(self._keep, request, event.answer, asker)
                yield event

    def _keep(self, request: AskRequest, answer: Answer, asker: Asker) -> None:
        turn = KeptTurn(
            id=asker.request_id,
            at=moment_of(self.conversations.now()),
            tiers=asker.clearance.tiers,
            question=request.question,
            answer=answer,
        )
        name = asker.conversation_id
        try:
            self.conversations.keep(asker.owner, turn, asker.clearance, conversation_id=name)
        except UnavailableError as error:
            if name is not None:
                raise
            _log.warning("no feedback can be given of an answer: %s", error.code)
