"""Keys in a real catalog, which other processes read and write too."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from citewell.access.issue_key import KeyRequest, issue_key
from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
from citewell.testing.key_store_contract import NOON, stored


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "catalog.sqlite3"


@pytest.fixture
def catalog(path: Path) -> Iterator[SqliteCatalog]:
    with closing(SqliteCatalog.open(path, now=lambda: NOON)) as opened:
        yield opened


def test_revocation_in_another_process_is_seen_at_once(catalog: SqliteCatalog, path: Path) -> None:
    catalog.keys.add(stored())
    assert catalog.keys.find(stored().key.prefix) == stored()
    with closing(SqliteCatalog.open(path)) as other:
        other.keys.revoke("reader")
    found = catalog.keys.find_by_id(stored().key.id)
    assert found is not None
    assert found.state_at(NOON) == "revoked"


def test_secret_is_in_no_file_of_the_catalog(catalog: SqliteCatalog, path: Path) -> None:
    new = issue_key(KeyRequest("reader", "manager"), tiers=("manager",), now=NOON)
    catalog.keys.add(new.stored)
    kept = b"".join(file.read_bytes() for file in sorted(path.parent.iterdir()))
    assert new.stored.digest in kept
    assert new.text[16:].encode() not in kept


def test_use_is_not_noted_while_another_process_writes_and_noted_later(
    catalog: SqliteCatalog, path: Path
) -> None:
    catalog.keys.add(stored())
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        catalog.keys.note_use(stored().key.id, day="2026-11-29")
    assert catalog.keys.list_keys()[0].last_used_on is None
    catalog.keys.note_use(stored().key.id, day="2026-11-30")
    assert catalog.keys.list_keys()[0].last_used_on == "2026-11-30"


def test_connection_is_patient_again_after_a_use_was_noted(catalog: SqliteCatalog) -> None:
    catalog.keys.add(stored())
    catalog.keys.note_use(stored().key.id, day="2026-11-29")
    with catalog.engine.connect() as connection:
        patience_ms = connection.exec_driver_sql("PRAGMA busy_timeout").scalar()
    assert patience_ms == 10_000


def test_all_keys_are_replaced_in_their_order(catalog: SqliteCatalog) -> None:
    catalog.keys.add(stored("gone", "cccccccccccc"))
    newest_first = [stored("other", "bbbbbbbbbbbb"), stored()]
    catalog.keys.replace_all(newest_first)
    assert list(catalog.keys.stored()) == newest_first


def test_all_keys_are_revoked_once(catalog: SqliteCatalog, path: Path) -> None:
    catalog.keys.add(stored())
    catalog.keys.add(stored("other", "bbbbbbbbbbbb"))
    before = catalog.keys.revoke("other")
    with closing(SqliteCatalog.open(path)) as later:
        later.keys.revoke_all()
    other, reader = catalog.keys.list_keys()
    assert (other, reader.state_at(NOON)) == (before, "revoked")
