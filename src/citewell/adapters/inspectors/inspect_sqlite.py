"""Looking into one SQLite store."""

from __future__ import annotations

import mmap
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from citewell.adapters.inspectors.sqlite_pages import NotDecodedError, SqlitePages
from citewell.adapters.inspectors.text_marks import TextMarks
from citewell.domain.erasure import Finding, Store

CONTENT_TABLES: Mapping[Store, frozenset[str]] = {
    "catalog": frozenset({"documents", "chunks", "chunk_terms"}),
    "vectors": frozenset({"vectors"}),
    "embedding cache": frozenset({"entries"}),
    "answer cache": frozenset({"entries"}),
    "conversations": frozenset({"conversations", "answers"}),
}
"""Tables that hold text or what was made of it. The others hold keys, counts, hashes of single
words, and names of sources."""
_CONTENT_COLUMNS = frozenset({"relative_path", "title"})
"""Columns of those tables whose indexes hold text too."""
_MESSAGE_COLUMNS: Mapping[Store, Mapping[str, str]] = {
    "catalog": {"runs": "*", "sources": "*"},
    "conversations": {"conversations": "title", "answers": "question, comment"},
}
"""Columns of tables with messages and with readers' own words, which must not quote a document that
went. Answers quote documents rightly, and are known by what they cite."""

# Where rows were, a page keeps pointers and sizes of up to four bytes; that many are no text.
_CONTENT = re.compile(rb"(?:[^\0]\0?){8,}")
_SIDE_FILES = {
    "-wal": "the write-ahead log is not empty: it may hold what was deleted",
    "-journal": "a journal is left: it may hold what was deleted",
}


def inspect_sqlite(store: Store, path: Path, marks: TextMarks) -> Iterator[Finding]:
    """Yield what a store's files hold besides its rows, and texts in rows that may hold none.

    Nothing may write to the file meanwhile.
    """
    for suffix, reason in _SIDE_FILES.items():
        beside = path.with_name(path.name + suffix)
        if beside.exists() and beside.stat().st_size:
            yield Finding(store, beside.name, reason)
    if not path.exists() or not path.stat().st_size:
        return
    try:
        with closing(_opened(path)) as connection:
            for tree, n_pages in _dead_pages(store, path, connection, marks).items():
                place = f"{path.name}, {tree or 'free pages'}"
                yield Finding(store, place, f"{n_pages} pages hold bytes that belong to no row")
            yield from _texts_in_rows(store, connection, marks)
    except (NotDecodedError, sqlite3.DatabaseError, IndexError, OSError) as error:
        yield Finding(store, path.name, f"it cannot be decoded ({error})")


def has_remains(store: Store, path: Path) -> bool:
    """Return whether a store's main file holds something that belongs to no row."""
    beside = {path.name + suffix for suffix in _SIDE_FILES}
    return any(
        finding.place not in beside for finding in inspect_sqlite(store, path, TextMarks(()))
    )


def _opened(path: Path) -> sqlite3.Connection:
    """Open the main file alone: without its log, and without taking a lock."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def _dead_pages(
    store: Store, path: Path, connection: sqlite3.Connection, marks: TextMarks
) -> Mapping[str, int]:
    """Return by tree how many pages hold content outside of rows; "" stands for no tree."""
    roots = connection.execute("SELECT rootpage, name FROM sqlite_schema WHERE rootpage > 0")
    trees = {1: "sqlite_schema"} | dict(roots)
    with_content = _content_trees(store, connection)
    n_pages: Counter[str] = Counter()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for space in SqlitePages(data).dead_space(trees):
            holds_content = space.tree in with_content and _CONTENT.search(space.content)
            if holds_content or marks.find(space.content) is not None:
                n_pages[space.tree] += 1
    return n_pages


def _content_trees(store: Store, connection: sqlite3.Connection) -> frozenset[str]:
    """Return the names of tables and indexes with content; "" stands for pages of none of them."""
    tables = CONTENT_TABLES[store]
    found = {"", *tables}
    indexes = connection.execute("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index'")
    for name, table in indexes.fetchall():
        columns = connection.execute("SELECT name FROM pragma_index_info(?)", (name,))
        if table in tables and _CONTENT_COLUMNS & {column for (column,) in columns}:
            found.add(name)
    return frozenset(found)


def _texts_in_rows(
    store: Store, connection: sqlite3.Connection, marks: TextMarks
) -> Iterator[Finding]:
    for table, columns in _MESSAGE_COLUMNS.get(store, {}).items():
        rows = connection.execute(f"SELECT {columns} FROM {table}")  # noqa: S608 - names from above
        texts = (value for row in rows for value in row if isinstance(value, str))
        if any(marks.find(text.encode()) is not None for text in texts):
            yield Finding(store, table, "a row holds text that was to be forgotten")
