"""Bodies of `/conversations` and `/feedback`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from citewell.conversations.keep_conversations import MAX_COMMENT_CHARACTERS, MAX_TITLE_CHARACTERS
from citewell.server.schemas.ask import CitationReply, GroundingReply, SentenceReply
from citewell.server.schemas.body import Body

Title = Annotated[str, Field(max_length=MAX_TITLE_CHARACTERS, examples=["Escalations"])]
_ID = "0f8fad5bd9cb469fa16570867728950e"


class BeginBody(Body):
    """A new conversation."""

    title: Title = ""
    """What it is called; else its first question gives it a name."""


class RenameBody(Body):
    """A new title."""

    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE_CHARACTERS)] = Field(
        examples=["P1 escalations"]
    )
    """What it is called from now on."""


class FeedbackBody(Body):
    """What a reader says of an answer."""

    request_id: Annotated[str, Field(min_length=1, max_length=64)] = Field(examples=[_ID])
    """That of the answer."""

    verdict: Literal["up", "down"] = Field(examples=["down"])
    """Whether it was good."""

    comment: Annotated[str, Field(max_length=MAX_COMMENT_CHARACTERS)] = ""
    """Why, for the operator."""


class ConversationReply(BaseModel):
    """A conversation as it is listed."""

    id: str = Field(examples=[_ID])
    title: str
    created_at: str
    updated_at: str
    turns: int


class ConversationsReply(BaseModel):
    """Some conversations, the one that was used last first."""

    conversations: list[ConversationReply]
    next_cursor: str | None


class FeedbackReply(BaseModel):
    """What was said of an answer."""

    verdict: Literal["up", "down"]
    comment: str
    at: str


class TurnReply(BaseModel):
    """A question with its answer, as it may be read now."""

    question: str
    asked_at: str
    mode: Literal["rag", "no_answer", "fallback", "refused"]
    confidence: float
    answer: str
    sentences: list[SentenceReply]
    citations: list[CitationReply]
    grounding: GroundingReply
    conversation_id: str | None
    request_id: str
    notice: str | None = None
    withheld: int
    feedback: FeedbackReply | None


class ThreadReply(BaseModel):
    """A conversation with its turns, oldest first."""

    id: str = Field(examples=[_ID])
    title: str
    created_at: str
    updated_at: str
    turns: list[TurnReply]


class GivenReply(FeedbackReply):
    """Feedback that was kept."""

    request_id: str


class FeedbackRecordReply(GivenReply):
    """Feedback as the operator lists it."""

    tier: str
    turn: TurnReply | None


class FeedbackListReply(BaseModel):
    """Some feedback, the newest first."""

    feedback: list[FeedbackRecordReply]
    next_cursor: str | None
