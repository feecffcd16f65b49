"""What was said before a question, and what is kept of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from citewell.domain.answer import Answer

Verdict = Literal["up", "down"]
"""What a reader thinks of an answer."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its answer, as the reader or a client kept them: text, not trusted."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation that is kept for one principal.

    Attributes:
        id: Random, 128 bits.
        title: The reader's own words: what it was named, or the start of its first question.
        created_at: ISO 8601 in UTC.
        updated_at: The same, of its last turn or change.
        n_turns: Questions that were answered in it.
    """

    id: str
    title: str
    created_at: str
    updated_at: str
    n_turns: int


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Some conversations of one principal.

    Attributes:
        conversations: The one that was used last first.
        next_cursor: Where the next page starts, or None after the last.
    """

    conversations: Sequence[Conversation]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a reader said of an answer.

    Attributes:
        verdict: Up or down.
        comment: In the reader's words, or "".
        at: ISO 8601 in UTC.
    """

    verdict: Verdict
    comment: str
    at: str


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A question that was answered, as it is kept.

    Attributes:
        id: Of the answer: that of the request that asked for it; random, 128 bits.
        at: ISO 8601 in UTC, when it was answered.
        tiers: What the reader could read then, lowest first.
        question: As asked.
        answer: As given, without timings, usage and trace; of what went since, only that it went.
        n_withheld: Citations of it that went.
        feedback: What the reader said of it, or None.
    """

    id: str
    at: str
    tiers: tuple[str, ...]
    question: str
    answer: Answer
    n_withheld: int = 0
    feedback: Feedback | None = None


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation with its turns.

    Attributes:
        conversation: Its name and times.
        turns: Oldest first.
    """

    conversation: Conversation
    turns: tuple[KeptTurn, ...]


@dataclass(frozen=True, slots=True)
class CitedChunk:
    """A chunk that a kept answer cites.

    Attributes:
        answer_id: Of the answer.
        conversation_id: In which it was given, or None.
        tiers: What its reader could read then.
        chunk_id: Of the chunk.
        document_id: Of its document.
    """

    answer_id: str
    conversation_id: str | None
    tiers: tuple[str, ...]
    chunk_id: str
    document_id: str


@dataclass(frozen=True, slots=True)
class FeedbackRecord:
    """Feedback as the operator lists it.

    Attributes:
        answer_id: Of the answer.
        feedback: What was said.
        tiers: What its reader could read when the answer was given.
        chunk_ids: What the answer cites.
        turn: Question and answer, where they are kept; else None.
    """

    answer_id: str
    feedback: Feedback
    tiers: tuple[str, ...]
    chunk_ids: tuple[str, ...]
    turn: KeptTurn | None


@dataclass(frozen=True, slots=True)
class FeedbackPage:
    """Some feedback.

    Attributes:
        records: The newest first.
        next_cursor: Where the next page starts, or None after the last.
    """

    records: Sequence[FeedbackRecord]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class KeepingLimits:
    """How much is kept for one principal.

    Attributes:
        max_conversations: Of one principal; the one that was used longest ago makes room.
        max_turns: Of one conversation, which is full then.
        max_bytes: Of the turns of one conversation, which is full then.
        max_age_s: Seconds after its last turn when a conversation is deleted.
        max_answers: Answers outside of conversations of which feedback can be given, and feedback,
            of one principal; the oldest makes room.
    """

    max_conversations: int = 200
    max_turns: int = 200
    max_bytes: int = 4 * 2**20
    max_age_s: float = 365 * 86_400.0
    max_answers: int = 500
