"""Putting other text in the place of what is forgotten."""

from __future__ import annotations

import sqlite3

from citewell.adapters.conversation_stores.schema import insert_cited
from citewell.domain.answer_json import answer_as_json
from citewell.domain.conversation import KeptTurn, Thread
from citewell.ports.conversation_store import ChangeWords

_WORDS = (("conversations", "title"), ("answers", "question"), ("answers", "comment"))


def update_thread(connection: sqlite3.Connection, before: Thread, after: Thread) -> None:
    """Write what changed of a conversation."""
    if after.conversation.title != before.conversation.title:
        connection.execute(
            "UPDATE conversations SET title = ? WHERE id = ?",
            (after.conversation.title, before.conversation.id),
        )
    for old, new in zip(before.turns, after.turns, strict=True):
        if new != old:
            _update_turn(connection, new)


def change_words(connection: sqlite3.Connection, change: ChangeWords) -> None:
    """Write what `change` makes of the readers' own words."""
    for table, column in _WORDS:
        rows = connection.execute(
            f"SELECT key, {column} FROM {table} WHERE {column} != ''"  # noqa: S608 - names from above
        ).fetchall()
        changed = [(change(text), key) for key, text in rows]
        texts = dict(rows)
        connection.executemany(
            f"UPDATE {table} SET {column} = ? WHERE key = ?",  # noqa: S608 - names from above
            [(text, key) for text, key in changed if text != texts[key]],
        )


def _update_turn(connection: sqlite3.Connection, turn: KeptTurn) -> None:
    comment = None if turn.feedback is None else turn.feedback.comment
    connection.execute(
        "UPDATE answers SET question = ?, answer = ?, n_withheld = ?, comment = ? WHERE id = ?",
        (turn.question, answer_as_json(turn.answer), turn.n_withheld, comment, turn.id),
    )
    (key,) = connection.execute("SELECT key FROM answers WHERE id = ?", (turn.id,)).fetchone()
    connection.execute("DELETE FROM cited WHERE answer_key = ?", (key,))
    insert_cited(connection, key, turn)
