"""The port through which conversations and feedback are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from citewell.domain.conversation import (
    CitedChunk,
    Conversation,
    ConversationPage,
    Feedback,
    FeedbackPage,
    KeptTurn,
    Thread,
)

Rewrite = Callable[[Thread], Thread]
"""Returns a conversation without what must not be in it any more."""
ChangeWords = Callable[[str], str]
"""Returns a reader's words without what must not be in them any more."""


class ConversationStore(Protocol):
    """Keeps what was said, for each principal apart, within limits.

    An owner is the id of a principal. What belongs to another owner is as if it were not there.
    What one owner keeps never makes room for another's. Each method is one transaction. It is
    thread-safe, and safe to share between processes that are not forks of one another. Every method
    raises `UnavailableError` where the store cannot be read or written.
    """

    def begin(self, owner: str, conversation: Conversation) -> bool:
        """Keep a new conversation; what is too old or too much for the owner goes.

        Returns:
            False where no conversations are kept at all.
        """
        ...

    def page(self, owner: str, *, limit: int, cursor: str | None = None) -> ConversationPage:
        """Return conversations of an owner.

        Args:
            owner: Whose.
            limit: At most so many.
            cursor: From an earlier page; None for the first one.

        Raises:
            UsageError: The cursor is none of ours.
        """
        ...

    def find(self, owner: str, conversation_id: str) -> Thread | None:
        """Return a conversation with its turns, or None."""
        ...

    def rename(self, owner: str, conversation_id: str, title: str) -> bool:
        """Name a conversation, and return whether it is there."""
        ...

    def delete(self, owner: str, conversation_id: str) -> bool:
        """Delete a conversation with its turns and their feedback, and return whether it was."""
        ...

    def room_for_turn(self, owner: str, conversation_id: str) -> bool | None:
        """Return whether a conversation has room for a turn, or None where there is none."""
        ...

    def keep(
        self, owner: str, turn: KeptTurn, *, conversation_id: str | None, title: str = ""
    ) -> bool:
        """Keep a turn.

        Args:
            owner: Whose.
            turn: Without feedback.
            conversation_id: Where it belongs; None keeps no text of it, only that it was answered
                and what it cites, for feedback.
            title: Of a conversation that has none.

        Returns:
            False where the conversation is not there.
        """
        ...

    def give_feedback(self, owner: str, answer_id: str, feedback: Feedback) -> bool:
        """Keep what an owner says of an answer of his, instead of what he said before.

        Returns:
            False where no answer of that id is kept for the owner.
        """
        ...

    def feedback(
        self, tiers: Sequence[str], *, limit: int, cursor: str | None = None
    ) -> FeedbackPage:
        """Return feedback of all who could read nothing but `tiers`; arguments as of `page`."""
        ...

    def cited(self) -> Sequence[CitedChunk]:
        """Return what all kept answers cite, each once."""
        ...

    def rewrite(self, conversation_id: str, rewrite: Rewrite) -> None:
        """Put what `rewrite` makes of a conversation in its place, in one transaction.

        Only its title, questions, answers and the comments on them may change. What an answer no
        longer cites is not among `cited` any more.
        """
        ...

    def blank(self, answer_ids: Sequence[str], *, comment: str) -> None:
        """Forget what answers outside of conversations cite, and put a text for their comments."""
        ...

    def rewrite_words(self, change: ChangeWords) -> None:
        """Put what `change` makes of it in the place of every title, question and comment."""
        ...

    def erase_deleted(self) -> bool:
        """Empty the write-ahead log, after deleting what is too old.

        Returns:
            True when it is empty; False when something else still reads: call again later.
        """
        ...

    def compact(self) -> bool:
        """Rewrite the file without what lies between live rows; else as `erase_deleted`."""
        ...

    def close(self) -> None:
        """Release the store; nothing may be called afterwards."""
        ...
