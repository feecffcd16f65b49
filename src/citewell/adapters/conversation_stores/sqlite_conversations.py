"""Conversations and feedback in an SQLite file of their own."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from citewell.adapters.conversation_stores.cursors import cursor_after, place_of_cursor
from citewell.adapters.conversation_stores.limit_rows import delete_old, make_room
from citewell.adapters.conversation_stores.schema import (
    CONVERSATION,
    FEEDBACK,
    KIND,
    TURNS,
    conversation_of,
    feedback_of,
    insert_turn,
    turn_of,
)
from citewell.adapters.conversation_stores.update_rows import change_words, update_thread
from citewell.domain.conversation import (
    CitedChunk,
    Conversation,
    ConversationPage,
    Feedback,
    FeedbackPage,
    FeedbackRecord,
    KeepingLimits,
    KeptTurn,
    Thread,
)
from citewell.domain.errors import (
    ConfigurationError,
    LowDiskSpaceError,
    SchemaNotInitializedError,
    UnavailableError,
)
from citewell.ports.conversation_store import ChangeWords, ConversationStore, Rewrite
from citewell.sqlite_file import (
    ForeignFileError,
    OtherVersionError,
    compact,
    open_sqlite,
    transaction,
    truncate_log,
)

if TYPE_CHECKING:
    from pathlib import Path

_BUSY_TIMEOUT_S = 10.0


def _now() -> datetime:
    return datetime.now(UTC)


class SqliteConversations(ConversationStore):
    """Conversations of all principals; unlike a cache it is never started anew by itself."""

    def __init__(
        self,
        path: Path,
        *,
        limits: KeepingLimits | None = None,
        now: Callable[[], datetime] = _now,
    ) -> None:
        """Open or make the file.

        Args:
            path: The file; its folder exists.
            limits: How much is kept for one principal; None for the usual.
            now: The clock.

        Raises:
            ConfigurationError: The file is a database of something else.
            SchemaNotInitializedError: It was written by another version.
            UnavailableError: It cannot be opened.
        """
        self._path = path
        self._limits = limits or KeepingLimits()
        self._now = now
        self._lock = threading.Lock()
        self._connection = self._open()

    @override
    def begin(self, owner: str, conversation: Conversation) -> bool:
        if not self._limits.max_conversations:
            return False
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO conversations (id, owner, title, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (
                    conversation.id,
                    owner,
                    conversation.title,
                    conversation.created_at,
                    conversation.updated_at,
                ),
            )
            make_room(connection, owner, self._limits, oldest=self._oldest())
            return True

    @override
    def page(self, owner: str, *, limit: int, cursor: str | None = None) -> ConversationPage:
        at, name = place_of_cursor(cursor)
        with self._reading() as connection:
            rows = connection.execute(
                f"{CONVERSATION} WHERE owner = ? AND (updated_at, id) < (?, ?)"
                " AND updated_at >= ? ORDER BY updated_at DESC, id DESC LIMIT ?",
                (owner, at, name, self._oldest(), limit + 1),
            ).fetchall()
        found = [conversation_of(row) for row in rows[:limit]]
        last = found[-1] if len(rows) > limit else None
        return ConversationPage(found, last and cursor_after(last.updated_at, last.id))

    @override
    def find(self, owner: str, conversation_id: str) -> Thread | None:
        with self._reading() as connection:
            return self._thread(connection, "owner = ? AND id = ?", owner, conversation_id)

    @override
    def rename(self, owner: str, conversation_id: str, title: str) -> bool:
        with self._writing() as connection:
            renamed = connection.execute(
                "UPDATE conversations SET title = ? WHERE owner = ? AND id = ?",
                (title, owner, conversation_id),
            )
            return renamed.rowcount > 0

    @override
    def delete(self, owner: str, conversation_id: str) -> bool:
        with self._writing() as connection:
            deleted = connection.execute(
                "DELETE FROM conversations WHERE owner = ? AND id = ?", (owner, conversation_id)
            )
        with self._using() as connection:
            truncate_log(connection)  # of what it held; whoever erases next does it otherwise
        return deleted.rowcount > 0

    @override
    def room_for_turn(self, owner: str, conversation_id: str) -> bool | None:
        with self._reading() as connection:
            found = connection.execute(
                "SELECT count(answers.key), coalesce(sum(length(CAST(question AS BLOB))"
                " + length(CAST(answer AS BLOB))), 0) FROM conversations"
                " LEFT JOIN answers ON conversation_key = conversations.key"
                " WHERE conversations.owner = ? AND conversations.id = ? AND updated_at >= ?"
                " GROUP BY conversations.key",
                (owner, conversation_id, self._oldest()),
            ).fetchone()
        if found is None:
            return None
        n_turns, n_bytes = found
        return n_turns < self._limits.max_turns and n_bytes < self._limits.max_bytes

    @override
    def keep(
        self, owner: str, turn: KeptTurn, *, conversation_id: str | None, title: str = ""
    ) -> bool:
        with self._writing() as connection:
            key = None
            if conversation_id is not None:
                key = _key_of(connection, owner, conversation_id)
                if key is None:
                    return False
                connection.execute(
                    "UPDATE conversations SET updated_at = max(updated_at, ?),"
                    " title = CASE title WHEN '' THEN ? ELSE title END WHERE key = ?",
                    (turn.at, title, key),
                )
            insert_turn(connection, owner, turn, conversation_key=key)
            make_room(connection, owner, self._limits, oldest=self._oldest())
            return True

    @override
    def give_feedback(self, owner: str, answer_id: str, feedback: Feedback) -> bool:
        with self._writing() as connection:
            given = connection.execute(
                "UPDATE answers SET verdict = ?, comment = ?, feedback_at = ?"
                " WHERE owner = ? AND id = ?",
                (feedback.verdict, feedback.comment, feedback.at, owner, answer_id),
            )
            return given.rowcount > 0

    @override
    def feedback(
        self, tiers: Sequence[str], *, limit: int, cursor: str | None = None
    ) -> FeedbackPage:
        at, name = place_of_cursor(cursor)
        with self._reading() as connection:
            asked = (at, name, json.dumps(list(tiers)), limit + 1)
            rows = connection.execute(FEEDBACK, asked).fetchall()
            records = [_record_of(row, _cited_by(connection, row[0])) for row in rows[:limit]]
        last = records[-1] if len(rows) > limit else None
        return FeedbackPage(records, last and cursor_after(last.feedback.at, last.answer_id))

    @override
    def cited(self) -> Sequence[CitedChunk]:
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT answers.id, conversations.id, tiers, chunk_id, document_id FROM cited"
                " JOIN answers ON answers.key = answer_key"
                " LEFT JOIN conversations ON conversations.key = conversation_key"
                " ORDER BY answer_key, chunk_id"
            ).fetchall()
        return [
            CitedChunk(answer, conversation, tuple(json.loads(tiers)), *cited)
            for answer, conversation, tiers, *cited in rows
        ]

    @override
    def rewrite(self, conversation_id: str, rewrite: Rewrite) -> None:
        with self._writing() as connection:
            before = self._thread(connection, "? = '' AND id = ?", "", conversation_id)
            if before is not None:
                update_thread(connection, before, rewrite(before))

    @override
    def blank(self, answer_ids: Sequence[str], *, comment: str) -> None:
        with self._writing() as connection:
            for name in answer_ids:
                loose = "(SELECT key FROM answers WHERE id = ? AND conversation_key IS NULL)"
                connection.execute(f"DELETE FROM cited WHERE answer_key IN {loose}", (name,))  # noqa: S608 - of the text above
                connection.execute(
                    f"UPDATE answers SET comment = ? WHERE key IN {loose} AND comment != ''",  # noqa: S608 - of the text above
                    (comment, name),
                )

    @override
    def rewrite_words(self, change: ChangeWords) -> None:
        with self._writing() as connection:
            change_words(connection, change)

    @override
    def erase_deleted(self) -> bool:
        with self._writing() as connection:
            delete_old(connection, oldest=self._oldest())
        with self._using() as connection:
            return truncate_log(connection)

    @override
    def compact(self) -> bool:
        with self._using() as connection:
            return compact(connection)

    @override
    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _open(self) -> sqlite3.Connection:
        try:
            connection = open_sqlite(self._path, KIND, busy_timeout_s=_BUSY_TIMEOUT_S)
            connection.execute("PRAGMA foreign_keys = ON")
        except ForeignFileError as error:
            raise ConfigurationError(
                f"{self._path} is the database of something else: move that file away"
            ) from error
        except OtherVersionError as error:
            raise SchemaNotInitializedError(
                f"the conversations in {self._path} were written by another version: install that"
                " one, or move the file away and begin anew"
            ) from error
        except sqlite3.Error as error:
            raise self._unavailable(error) from error
        return connection

    def _thread(
        self, connection: sqlite3.Connection, condition: str, owner: str, name: str
    ) -> Thread | None:
        row = connection.execute(
            f"{CONVERSATION} WHERE {condition} AND updated_at >= ?", (owner, name, self._oldest())
        ).fetchone()
        if row is None:
            return None
        rows = connection.execute(TURNS, (name,))
        turns = tuple(turn for turn in map(turn_of, rows) if turn is not None)
        return Thread(conversation_of(row), turns)

    def _oldest(self) -> str:
        moment = self._now() - timedelta(seconds=self._limits.max_age_s)
        return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    @contextmanager
    def _using(self) -> Generator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._connection
            except (sqlite3.Error, ValueError) as error:
                raise self._unavailable(error) from error

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        with self._using() as connection, transaction(connection):
            yield connection

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection]:
        """Yield a connection that sees the rows of one moment, whoever writes meanwhile."""
        with self._using() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("COMMIT")

    def _unavailable(self, error: Exception) -> UnavailableError:
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        if name == "SQLITE_FULL":
            return LowDiskSpaceError(f"the disk is full: {self._path} could not be written")
        return UnavailableError(
            f"the conversations in {self._path} cannot be read or written ({name})"
        )


def _key_of(connection: sqlite3.Connection, owner: str, name: str) -> int | None:
    row = connection.execute(
        "SELECT key FROM conversations WHERE owner = ? AND id = ?", (owner, name)
    ).fetchone()
    return row and row[0]


def _cited_by(connection: sqlite3.Connection, answer_id: str) -> tuple[str, ...]:
    rows = connection.execute(
        "SELECT chunk_id FROM cited WHERE answer_key = (SELECT key FROM answers WHERE id = ?)"
        " ORDER BY chunk_id",
        (answer_id,),
    )
    return tuple(chunk_id for (chunk_id,) in rows)


def _record_of(row: tuple[Any, ...], chunk_ids: tuple[str, ...]) -> FeedbackRecord:
    turn = turn_of(row)
    feedback = feedback_of(*row[-3:])
    if feedback is None:
        raise ValueError("this is no feedback")
    return FeedbackRecord(
        answer_id=row[0],
        feedback=feedback,
        tiers=tuple(json.loads(row[2])),
        chunk_ids=chunk_ids,
        turn=turn and replace(turn, feedback=None),
    )
