"""Conversations of one principal: kept, and shown again as far as they may be read now."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from citewell.conversations.recite import recite
from citewell.conversations.redact import redact_thread, said_sentences
from citewell.conversations.shared_runs import WITHHELD
from citewell.domain.answer import Answer, Citation
from citewell.domain.clearance import Clearance
from citewell.domain.conversation import (
    Conversation,
    ConversationPage,
    Feedback,
    FeedbackPage,
    FeedbackRecord,
    KeptTurn,
    Thread,
    Turn,
    Verdict,
)
from citewell.domain.errors import NotFoundError, UsageError
from citewell.domain.visible_text import clean_text
from citewell.ports.conversation_store import ConversationStore
from citewell.ports.passage_reader import PassageReader

MAX_TITLE_CHARACTERS = 120
MAX_COMMENT_CHARACTERS = 2_000
MAX_PAGE = 100
HISTORY_TURNS = 10
"""Of a kept conversation, handed on with the next question; more than are looked at."""


@dataclass(frozen=True, slots=True)
class Conversations:
    """Keeps conversations, and shows them; thread-safe.

    An owner is the id of a principal, who reads nothing of another's: that looks as if it were not
    there.

    Attributes:
        store: Keeps them.
        reader: Decides what is visible now.
        now: The clock.
        new_id: Makes ids of 128 random bits.
    """

    store: ConversationStore
    reader: PassageReader
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    new_id: Callable[[], str] = lambda: secrets.token_hex(16)

    def begin(self, owner: str, *, title: str = "") -> Conversation:
        """Begin a conversation; without a title its first question gives it one.

        Raises:
            UsageError: The title is too long, or no conversations are kept here.
        """
        at = self._moment()
        conversation = Conversation(self.new_id(), _title_of(title), at, at, 0)
        if not self.store.begin(owner, conversation):
            raise UsageError("no conversations are kept here: send the history with the question")
        return conversation

    def page(self, owner: str, *, limit: int = 50, cursor: str | None = None) -> ConversationPage:
        """Return conversations, the one that was used last first.

        Raises:
            UsageError: The cursor is none of ours, or the limit not in [1, 100].
        """
        return self.store.page(owner, limit=_limit_of(limit), cursor=cursor)

    def read(self, owner: str, conversation_id: str, clearance: Clearance) -> Thread:
        """Return a conversation as it may be read now: every citation is checked again.

        Raises:
            NotFoundError: There is none, or it is another principal's.
        """
        thread = self.store.find(owner, conversation_id)
        if thread is None:
            raise NotFoundError("there is no such conversation")
        return redact_thread(thread, lambda _, citation: self._recheck(citation, clearance))

    def history(self, owner: str, conversation_id: str, clearance: Clearance) -> tuple[Turn, ...]:
        """Return what the next question follows on, of what may be read now.

        Raises:
            NotFoundError: As `read`.
            UsageError: The conversation is full.
        """
        has_room = self.store.room_for_turn(owner, conversation_id)
        if has_room is not None and not has_room:
            raise UsageError("this conversation is full: begin another one")
        turns = self.read(owner, conversation_id, clearance).turns[-HISTORY_TURNS:]
        return tuple(Turn(turn.question, _said(turn.answer)) for turn in turns)

    def rename(self, owner: str, conversation_id: str, title: str) -> None:
        """Give a conversation another title; errors as of `begin` and `read`."""
        if not self.store.rename(owner, conversation_id, _title_of(title)):
            raise NotFoundError("there is no such conversation")

    def delete(self, owner: str, conversation_id: str) -> None:
        """Delete a conversation with all that was said in it and of it; errors as of `read`."""
        if not self.store.delete(owner, conversation_id):
            raise NotFoundError("there is no such conversation")

    def keep(
        self,
        owner: str,
        turn: KeptTurn,
        clearance: Clearance,
        *,
        conversation_id: str | None = None,
    ) -> None:
        """Keep a question with its answer; a conversation that is gone meanwhile stays gone.

        What an answer cites is looked at after it was written: what goes later is erased with the
        rest, and whoever deleted something before has perhaps erased already.
        """
        plain = replace(turn.answer, timings_ms={}, usage={}, trace=None, cached=False)
        kept = replace(turn, question=_storable(turn.question), answer=plain)
        title = _short_title(kept.question)
        is_kept = self.store.keep(owner, kept, conversation_id=conversation_id, title=title)
        if not is_kept or conversation_id is None:
            return
        if any(self._recheck(citation, clearance) is None for citation in plain.citations):
            self.store.rewrite(
                conversation_id,
                lambda thread: redact_thread(
                    thread, lambda turn, c: self._recheck(c, Clearance(turn.tiers))
                ),
            )

    def give_feedback(
        self, owner: str, answer_id: str, *, verdict: Verdict, comment: str = ""
    ) -> Feedback:
        """Keep what a reader says of an answer that was his.

        Raises:
            NotFoundError: There is no such answer, or it was another principal's.
            UsageError: The comment is too long.
        """
        text = _storable(comment).strip()
        if len(text) > MAX_COMMENT_CHARACTERS:
            raise UsageError(f"a comment has at most {MAX_COMMENT_CHARACTERS} characters")
        feedback = Feedback(verdict, text, self._moment())
        if not self.store.give_feedback(owner, answer_id, feedback):
            raise NotFoundError("there is no such answer")
        return feedback

    def feedback(
        self, clearance: Clearance, *, limit: int = 50, cursor: str | None = None
    ) -> FeedbackPage:
        """Return feedback for an operator, of readers who could read no more than he.

        Questions and answers are those of kept conversations, checked again for `clearance`.
        Raises as `page`.
        """
        page = self.store.feedback(clearance.tiers, limit=_limit_of(limit), cursor=cursor)
        records = [self._shown(record, clearance) for record in page.records]
        return replace(page, records=records)

    def close(self) -> None:
        """Release the store; nothing may be called afterwards."""
        self.store.close()

    def _shown(self, record: FeedbackRecord, clearance: Clearance) -> FeedbackRecord:
        """Return feedback as the operator may read it now."""
        feedback, turn = record.feedback, record.turn
        visible = [self.reader.find_chunk(clearance, name) for name in record.chunk_ids]
        if None in visible and feedback.comment:
            feedback = replace(feedback, comment=WITHHELD)
        if turn is not None:
            alone = Thread(Conversation("", "", turn.at, turn.at, 1), (turn,))
            (turn,) = redact_thread(alone, lambda _, c: self._recheck(c, clearance)).turns
        return replace(record, feedback=feedback, turn=turn)

    def _recheck(self, citation: Citation, clearance: Clearance) -> Citation | None:
        return recite(citation, self.reader.find_chunk(clearance, citation.chunk_id))

    def _moment(self) -> str:
        return moment_of(self.now())


def moment_of(now: datetime) -> str:
    """Return a moment as ISO 8601 in UTC, to the millisecond."""
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _said(answer: Answer) -> str:
    """Return what an answer says of what may still be read."""
    if not answer.sentences:
        return answer.text
    return " ".join(sentence.text for sentence in said_sentences(answer))


def _storable(text: str) -> str:
    """Return text without what a reader cannot see, and without halves of characters."""
    cleaned, _ = clean_text(text)
    return cleaned


def _title_of(title: str) -> str:
    cleaned = " ".join(_storable(title).split())
    if len(cleaned) > MAX_TITLE_CHARACTERS:
        raise UsageError(f"a title has at most {MAX_TITLE_CHARACTERS} characters")
    return cleaned


def _short_title(question: str) -> str:
    words = " ".join(question.split())
    return words if len(words) <= MAX_TITLE_CHARACTERS else f"{words[:100]}…"


def _limit_of(limit: int) -> int:
    if not 1 <= limit <= MAX_PAGE:
        raise UsageError(f"the limit must be in [1, {MAX_PAGE}]")
    return limit
