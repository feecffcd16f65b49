"""Composition root of conversations and feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
    from citewell.adapters.conversation_stores.sqlite_conversations import SqliteConversations
    from citewell.conversations.keep_conversations import Conversations
    from citewell.settings import Settings

CONVERSATIONS = "conversations.sqlite3"
"""The file of conversations and feedback, in the data folder."""


def conversations_path(settings: Settings) -> Path:
    """Return the file of conversations and feedback."""
    return settings.data_dir / CONVERSATIONS


def open_conversations(settings: Settings, catalog: SqliteCatalog) -> Conversations:
    """Open or make what keeps conversations and feedback.

    Raises:
        ConfigurationError: The file is a database of something else.
        SchemaNotInitializedError: It was written by another version.
        UnavailableError: It cannot be opened.
    """
    from citewell.adapters.catalogs.sqlite.catalog import utc_now
    from citewell.conversations.keep_conversations import Conversations

    return Conversations(_open(settings), catalog.passages, now=utc_now)


def existing_conversations(settings: Settings) -> SqliteConversations | None:
    """Open the conversations, or return None where none were ever kept; raises as above."""
    return _open(settings) if conversations_path(settings).exists() else None


def _open(settings: Settings) -> SqliteConversations:
    from citewell.adapters.conversation_stores.sqlite_conversations import SqliteConversations
    from citewell.domain.conversation import KeepingLimits

    limits = KeepingLimits(
        max_conversations=settings.conversations_max,
        max_turns=settings.conversation_max_turns,
        max_bytes=settings.conversation_max_kib * 1024,
        max_age_s=settings.conversation_max_age_days * 86_400.0,
        max_answers=settings.feedback_max,
    )
    return SqliteConversations(conversations_path(settings), limits=limits)
