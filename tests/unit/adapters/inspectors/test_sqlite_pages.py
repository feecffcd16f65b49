"""What lies in an SQLite file outside of its rows."""

import re
import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citewell.adapters.inspectors.sqlite_pages import DeadSpace, NotDecodedError, SqlitePages

SCHEMA = """
    PRAGMA secure_delete = ON;
    CREATE TABLE texts (key INTEGER PRIMARY KEY, name TEXT UNIQUE, content TEXT);
    CREATE TABLE words (word TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID;
"""
MARK = re.compile(rb"<\d{5}>")


class Database:
    """An SQLite database whose rows are full of marks: the number of a row, over and over."""

    def __init__(self) -> None:
        self.live: set[int] = set()
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.executescript(SCHEMA)

    def insert(self, number: int, size: int) -> None:
        mark = f"<{number:05}>"
        text = mark * max(1, size // len(mark))
        self.connection.execute("INSERT INTO texts VALUES (?, ?, ?)", (number, mark, text))
        self.connection.execute("INSERT INTO words VALUES (?, 1)", (mark * (size // 70 + 1),))
        self.live.add(number)

    def delete(self, number: int) -> None:
        self.connection.execute("DELETE FROM texts WHERE key = ?", (number,))
        self.connection.execute("DELETE FROM words WHERE word LIKE ?", (f"<{number:05}>%",))
        self.live.discard(number)

    @property
    def file(self) -> bytes:
        return self.connection.serialize()

    def dead_marks(self) -> set[bytes]:
        """Return the marks of rows that went and are still in the file."""
        return set(MARK.findall(self.file)) - {f"<{number:05}>".encode() for number in self.live}

    def dead_space(self) -> list[DeadSpace]:
        roots = self.connection.execute("SELECT rootpage, name FROM sqlite_schema")
        return list(SqlitePages(self.file).dead_space({1: "sqlite_schema"} | dict(roots)))


@pytest.fixture
def database() -> Iterator[Database]:
    made = Database()
    yield made
    made.connection.close()


@st.composite
def changes(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Return numbers with a size; a number that is there goes."""
    sizes = st.sampled_from([8, 60, 400, 1300, 2100, 3900, 4100, 9000, 20_000])
    return draw(st.lists(st.tuples(st.integers(1, 30), sizes), min_size=30, max_size=120))


_COPY_AT_ODD_BYTE = [
    *((21, 3900), (21, 2100), (7, 20_000), (14, 9000), (21, 9000), (14, 4100), (9, 4100)),
    *((17, 9000), (13, 8), (11, 20_000), (21, 60), (17, 2100), (14, 1300), (20, 9000), (18, 400)),
    *((13, 1300), (18, 400), (10, 20_000), (7, 3900), (17, 1300), (21, 9000), (24, 9000)),
    *((18, 9000), (30, 1300), (19, 4100), (13, 20_000), (7, 9000), (30, 60), (17, 9000)),
    *((24, 20_000), (17, 3900), (2, 9000), (18, 60), (24, 2100), (26, 2100), (27, 9000)),
    *((18, 60), (28, 20_000), (28, 8), (18, 3900)),
]


@example(steps=_COPY_AT_ODD_BYTE)
@given(steps=changes())
def test_whatever_is_left_of_deleted_rows_is_found(steps: list[tuple[int, int]]) -> None:
    database = Database()
    for number, size in steps:
        if number in database.live:
            database.delete(number)
        else:
            database.insert(number, size)
    found = b"".join(space.content for space in database.dead_space())
    assert database.dead_marks() - set(MARK.findall(found)) == set()
    database.connection.close()


def test_sqlite_leaves_copies_of_deleted_rows_that_rewriting_removes(database: Database) -> None:
    """The reason for all this: `secure_delete` overwrites rows, not the copies that moving made."""
    for number in range(1, 400):
        database.insert(number, 37 * number % 1900)
    for number in range(1, 400):
        if number % 3:
            database.delete(number)
            database.insert(number + 1000, 53 * number % 2300)
    for number in range(1, 1400):
        if number % 5 and number in database.live:
            database.delete(number)
    left = database.dead_marks()
    found = b"".join(space.content for space in database.dead_space())
    database.connection.execute("VACUUM")
    after = database.dead_marks()
    assert (len(left) > 0, left <= set(MARK.findall(found)), after) == (True, True, set())


def test_without_overwriting_what_was_deleted_is_found(database: Database) -> None:
    database.connection.execute("PRAGMA secure_delete = OFF")
    for number in range(1, 60):
        database.insert(number, 300 * number)
    for number in range(1, 60, 2):
        database.delete(number)
    dead = database.dead_marks()
    found = {mark for space in database.dead_space() for mark in MARK.findall(space.content)}
    assert (len(dead), dead - found) == (30, set())


def test_rows_that_are_there_are_no_dead_space(database: Database) -> None:
    for number in range(1, 200):
        database.insert(number, 97 * number % 6000)
    database.connection.execute("VACUUM")
    contents = b"".join(space.content for space in database.dead_space())
    assert MARK.findall(contents) == []


def test_dead_space_tells_its_table(database: Database) -> None:
    database.connection.execute("PRAGMA secure_delete = OFF")
    for number in range(1, 5):
        database.insert(number, 700)
    database.delete(2)
    trees = {space.tree for space in database.dead_space() if b"<00002>" in space.content}
    assert trees == {"texts", "words", "sqlite_autoindex_texts_1"}


def test_what_is_no_database_is_refused() -> None:
    with pytest.raises(NotDecodedError, match="not an SQLite file"):
        SqlitePages(b"not a database at all, " * 100)


def test_database_whose_pages_move_is_refused() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA auto_vacuum = FULL")
    connection.execute("CREATE TABLE t (x)")
    with pytest.raises(NotDecodedError, match="auto_vacuum"):
        SqlitePages(connection.serialize())
    connection.close()


def test_damaged_tree_is_refused_and_never_ends_in_a_circle(database: Database) -> None:
    for number in range(1, 100):
        database.insert(number, 900)
    data = bytearray(database.file)
    (root,) = database.connection.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'texts'"
    ).fetchone()
    start = (root - 1) * 4096
    data[start + 8 : start + 12] = root.to_bytes(4, "big")  # the last child is the page itself
    with pytest.raises(NotDecodedError, match="used twice"):
        list(SqlitePages(bytes(data)).dead_space({1: "sqlite_schema", root: "texts"}))
