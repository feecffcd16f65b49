"""The tables of conversations, and what their rows are."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from citewell.domain.answer_json import answer_as_json, answer_of_json
from citewell.domain.conversation import Conversation, Feedback, KeptTurn
from citewell.sqlite_file import FileKind

KIND = FileKind(
    application_id=0x43574356,  # "CWCV"
    version=1,
    schema=(
        """CREATE TABLE conversations (
            key INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            title TEXT NOT NULL,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL)""",
        "CREATE INDEX conversations_by_owner ON conversations (owner, updated_at, id)",
        # Without a conversation a row has no question and no answer: it is there for feedback.
        """CREATE TABLE answers (
            key INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            conversation_key INTEGER REFERENCES conversations (key) ON DELETE CASCADE,
            at TEXT NOT NULL,
            tiers TEXT NOT NULL,
            question TEXT,
            answer TEXT,
            n_withheld INTEGER NOT NULL DEFAULT 0,
            verdict TEXT,
            comment TEXT,
            feedback_at TEXT)""",
        "CREATE INDEX answers_by_conversation ON answers (conversation_key, key)",
        "CREATE INDEX answers_by_owner ON answers (owner, at)",
        """CREATE INDEX answers_by_feedback ON answers (feedback_at, id)
            WHERE feedback_at IS NOT NULL""",
        """CREATE TABLE cited (
            answer_key INTEGER NOT NULL REFERENCES answers (key) ON DELETE CASCADE,
            chunk_id TEXT NOT NULL,
            document_id TEXT NOT NULL,
            PRIMARY KEY (answer_key, chunk_id)) WITHOUT ROWID""",
    ),
)

CONVERSATION = """SELECT id, title, created_at, updated_at,
    (SELECT count(*) FROM answers WHERE conversation_key = conversations.key) FROM conversations"""
TURN_COLUMNS = "id, at, tiers, question, answer, n_withheld, verdict, comment, feedback_at"
TURNS = f"""SELECT {TURN_COLUMNS} FROM answers
    WHERE conversation_key = (SELECT key FROM conversations WHERE id = ?) ORDER BY key"""  # noqa: S608 - of the columns above
"""The turns of a conversation."""
FEEDBACK = f"""SELECT {TURN_COLUMNS} FROM answers
    WHERE feedback_at IS NOT NULL AND (feedback_at, id) < (?, ?)
    AND NOT EXISTS (SELECT 1 FROM json_each(tiers) AS tier
        WHERE tier.value NOT IN (SELECT value FROM json_each(?)))
    ORDER BY feedback_at DESC, id DESC LIMIT ?"""  # noqa: S608 - of the columns above
"""Feedback before a place, of readers whose tiers are all among given ones."""


def conversation_of(row: tuple[Any, ...]) -> Conversation:
    """Return the conversation of a row of `CONVERSATION`."""
    return Conversation(*row)


def turn_of(row: tuple[Any, ...]) -> KeptTurn | None:
    """Return the turn of a row of `TURN_COLUMNS`, or None where no text of it is kept.

    Raises:
        ValueError: The row does not hold an answer.
    """
    name, at, tiers, question, answer, n_withheld, *feedback = row
    if answer is None:
        return None
    return KeptTurn(
        id=name,
        at=at,
        tiers=tuple(json.loads(tiers)),
        question=question,
        answer=answer_of_json(answer),
        n_withheld=n_withheld,
        feedback=feedback_of(*feedback),
    )


def feedback_of(verdict: Any, comment: Any, at: Any) -> Feedback | None:
    """Return the feedback of three columns, None where there is none."""
    return None if at is None else Feedback(verdict, comment, at)


def insert_turn(
    connection: sqlite3.Connection, owner: str, turn: KeptTurn, *, conversation_key: int | None
) -> None:
    """Insert a turn with what it cites; without a conversation no text of it."""
    is_loose = conversation_key is None
    made = connection.execute(
        "INSERT INTO answers (id, owner, conversation_key, at, tiers, question, answer,"
        " n_withheld) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            turn.id,
            owner,
            conversation_key,
            turn.at,
            json.dumps(turn.tiers),
            None if is_loose else turn.question,
            None if is_loose else answer_as_json(turn.answer),
            turn.n_withheld,
        ),
    )
    insert_cited(connection, made.lastrowid or 0, turn)


def insert_cited(connection: sqlite3.Connection, answer_key: int, turn: KeptTurn) -> None:
    """Insert what a turn cites."""
    cited = {citation.chunk_id: citation.document_id for citation in turn.answer.citations}
    connection.executemany(
        "INSERT INTO cited (answer_key, chunk_id, document_id) VALUES (?, ?, ?)",
        [(answer_key, chunk_id, document_id) for chunk_id, document_id in cited.items()],
    )
