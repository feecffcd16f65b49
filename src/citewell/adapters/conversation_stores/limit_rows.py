"""Keeping no more than the limits allow."""

from __future__ import annotations

import sqlite3

from citewell.domain.conversation import KeepingLimits


def make_room(
    connection: sqlite3.Connection, owner: str, limits: KeepingLimits, *, oldest: str
) -> None:
    """Delete what is too old or too much for one owner, what was used longest ago first.

    Args:
        connection: Inside a transaction.
        owner: Whose rows.
        limits: How much is kept.
        oldest: ISO 8601 in UTC; what was last used before goes.
    """
    _delete_old_of(connection, owner, oldest)
    connection.execute(
        "DELETE FROM conversations WHERE key IN (SELECT key FROM conversations WHERE owner = ?"
        " ORDER BY updated_at DESC, key DESC LIMIT -1 OFFSET ?)",
        (owner, limits.max_conversations),
    )
    # Answers on which nothing was said make room first, so that asking much loses no feedback.
    connection.execute(
        "DELETE FROM answers WHERE key IN (SELECT key FROM answers WHERE owner = ?"
        " AND conversation_key IS NULL"
        " ORDER BY feedback_at IS NULL, at DESC, key DESC LIMIT -1 OFFSET ?)",
        (owner, limits.max_answers),
    )


def delete_old(connection: sqlite3.Connection, *, oldest: str) -> None:
    """Delete what was last used before `oldest`, of all owners."""
    connection.execute("DELETE FROM conversations WHERE updated_at < ?", (oldest,))
    connection.execute(
        "DELETE FROM answers WHERE conversation_key IS NULL AND max(at, coalesce(feedback_at, ''))"
        " < ?",
        (oldest,),
    )


def _delete_old_of(connection: sqlite3.Connection, owner: str, oldest: str) -> None:
    connection.execute(
        "DELETE FROM conversations WHERE owner = ? AND updated_at < ?", (owner, oldest)
    )
    connection.execute(
        "DELETE FROM answers WHERE owner = ? AND conversation_key IS NULL"
        " AND max(at, coalesce(feedback_at, '')) < ?",
        (owner, oldest),
    )
