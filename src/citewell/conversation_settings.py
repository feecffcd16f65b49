"""Settings of what is kept of readers' questions: conversations and feedback."""

from __future__ import annotations

from citewell.setting_fields import SettingGroup, number


class ConversationSettings(SettingGroup):
    """How much is kept for each principal, and for how long."""

    conversations_max: int = number(200, "conversations", within=(0, 10_000))
    """Conversations kept for each principal; the one that was used longest ago makes room, and with
    0 none are kept. Enough for a year of daily use."""

    conversation_max_turns: int = number(200, "questions", within=(1, 10_000))
    """Questions in one conversation, which is full then. Nobody reads more on one page."""

    conversation_max_kib: int = number(4096, "KiB", within=(64, 1_048_576))
    """Questions and answers of one conversation, which is full then. Some 20 KiB for each of 200
    questions, with their quotes."""

    conversation_max_age_days: int = number(365, "days", within=(1, 36_500))
    """How long after its last question a conversation is deleted, and an answer outside of one can
    still be commented. What nobody looked at for a year is kept for nobody."""

    feedback_max: int = number(500, "answers", within=(0, 100_000))
    """Answers outside of conversations that are remembered for each principal so that he can say
    what he thinks of them; no text of them is kept, and the oldest makes room. More than anyone
    goes back to."""
