"""A backup that is taken during writes holds the catalog as it was at one moment."""

from __future__ import annotations

import sqlite3
import threading
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_catalog import ALL, NOON, SOURCE, put

from citewell.adapters.backups.archive import Label, write_archive
from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
from citewell.adapters.catalogs.sqlite.snapshot import check_copy, take_snapshot
from citewell.domain.errors import BackupUnreadableError, UnavailableError
from citewell.keep_backups import make_backup, unpack_backup, verify_backup
from citewell.settings import Settings

N_BACKUPS = 8
TIERS = ("employee", "manager", "director")


def path_of(step: int) -> str:
    return f"{step:05}.md"


def state_after(step: int) -> list[str]:
    """Return the texts of the catalog after a step: each fifth deletes, all others add."""
    steps = range(1, step + 1)
    deleted = {s - 2 for s in steps if s % 5 == 0}
    return [
        text
        for s in steps
        if s % 5 and s not in deleted
        for text in (f"alpha {s}", f"beta {s % 7}")
    ]


class Writer:
    """Writes documents until it is told to stop."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stop = threading.Event()
        self.progressed = threading.Condition()
        self.n_begun = self.n_done = 0
        self._thread = threading.Thread(target=self._write)

    def __enter__(self) -> Writer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def wait_for(self, step: int) -> None:
        with self.progressed:
            assert self.progressed.wait_for(lambda: self.n_done >= step, timeout=60)

    def _write(self) -> None:
        with closing(SqliteCatalog.open(self._path, now=lambda: NOON)) as catalog:
            while not self._stop.is_set():
                step = self.n_begun = self.n_begun + 1
                if step % 5:
                    put(catalog, f"alpha {step}|beta {step % 7}", path_of(step), TIERS[step % 3])
                else:
                    (gone,) = catalog.documents.known_items("s1", within=[path_of(step - 2)])
                    catalog.documents.delete([gone.document_key])
                with self.progressed:
                    self.n_done = step
                    self.progressed.notify_all()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", backup_keep=1000)


@pytest.fixture
def catalog(settings: Settings) -> Iterator[SqliteCatalog]:
    settings.data_dir.mkdir()
    opened = SqliteCatalog.open(settings.catalog_path, now=lambda: NOON)
    opened.sources.register(SOURCE)
    yield opened
    opened.close()


def all_texts(catalog: SqliteCatalog) -> list[str]:
    keys = range(1, catalog.facts.last_chunk_key() + 1)
    found = catalog.passages.visible_chunks(ALL, keys).values()
    return [c.content for c in sorted(found, key=lambda c: (c.relative_path, c.ordinal))]


def run_raw(settings: Settings, *statements: str) -> None:
    """Run statements without what the program's own connections check."""
    with closing(sqlite3.connect(settings.catalog_path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def counted_terms(catalog: SqliteCatalog) -> tuple[dict[tuple[str, int], int], ...]:
    """Return how often each tier holds each term: as the statistics say, and counted anew."""
    with catalog.engine.connect() as connection:
        kept = connection.exec_driver_sql("SELECT tier, term, n_chunks FROM term_frequencies")
        said = {(tier, term): n for tier, term, n in kept}
        rows = connection.exec_driver_sql(
            "SELECT documents.tier, chunk_terms.terms FROM chunks"
            " JOIN documents ON documents.key = chunks.document_key"
            " JOIN chunk_terms ON chunk_terms.chunk_key = chunks.key"
            " WHERE documents.is_live AND chunks.generation = documents.generation"
        )
        counted: dict[tuple[str, int], int] = {}
        for tier, terms in rows:
            for term in np.frombuffer(terms, dtype="<u4").tolist():
                counted[tier, term] = counted.get((tier, term), 0) + 1
    return said, counted


def test_backup_during_writes_equals_a_moment(
    settings: Settings, catalog: SqliteCatalog, tmp_path: Path
) -> None:
    moments: list[int] = []
    with Writer(settings.catalog_path) as writer:
        for number in range(N_BACKUPS):
            writer.wait_for(writer.n_done + 3)
            first = writer.n_done
            backup, _ = make_backup(settings, catalog)
            last = writer.n_begun
            copy = tmp_path / f"{number}.sqlite3"
            assert unpack_backup(backup.path, copy) == backup.manifest
            with closing(SqliteCatalog.open(copy)) as opened:
                found = all_texts(opened)
                said, counted = counted_terms(opened)
            (moment,) = (s for s in range(first, last + 1) if state_after(s) == found)
            assert said == counted
            moments.append(moment)
    assert moments == sorted(set(moments))
    assert moments[-1] >= 3 * N_BACKUPS


def test_deleted_text_does_not_come_along(settings: Settings, catalog: SqliteCatalog) -> None:
    for number in range(50):
        put(catalog, f"forgettable {number} " * 20, path_of(number))
    known = catalog.documents.known_items("s1")
    catalog.documents.delete([item.document_key for item in known])
    put(catalog, "alpha")
    backup, _ = make_backup(settings, catalog)
    with zipfile.ZipFile(backup.path) as archive:
        content = archive.read("catalog.sqlite3")
    assert b"alpha" in content
    assert b"forgettable" not in content


def test_damaged_catalog_is_told_and_no_file_is_left(
    settings: Settings, catalog: SqliteCatalog
) -> None:
    for number in range(200):
        put(catalog, f"alpha {number} " * 50, path_of(number))
    run_raw(settings, "PRAGMA wal_checkpoint(TRUNCATE)")
    path = settings.catalog_path
    content = bytearray(path.read_bytes())
    half = len(content) // 2 // 4096 * 4096
    content[half : half + 20 * 4096] = b"\x99" * (20 * 4096)
    path.write_bytes(content)
    with pytest.raises(UnavailableError, match="damaged"):
        make_backup(settings, catalog)
    assert list(settings.backup_dir.iterdir()) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tier_statistics SET n_chunks = n_chunks + 1",
        "DELETE FROM tier_statistics",
        "DELETE FROM documents",
    ],
)
def test_backup_that_contradicts_itself_is_refused(
    settings: Settings, catalog: SqliteCatalog, statement: str
) -> None:
    put(catalog, "alpha")
    backup, _ = make_backup(settings, catalog)
    assert verify_backup(backup.path, work_in=settings.data_dir) == backup.manifest
    run_raw(settings, statement)
    with pytest.raises(UnavailableError):
        make_backup(settings, catalog)
    assert [path for path in settings.backup_dir.iterdir() if path != backup.path] == []


def test_backup_of_less_than_it_says_is_refused(settings: Settings, catalog: SqliteCatalog) -> None:
    put(catalog, "alpha")
    copy, file = settings.data_dir / "copy", settings.data_dir / "wrong.backup"
    take_snapshot(settings.catalog_path, copy)
    contents = check_copy(copy)
    write_archive(copy, file, Label("", "", "", replace(contents, n_documents=2)))
    with pytest.raises(BackupUnreadableError, match="does not hold what it says"):
        verify_backup(file, work_in=settings.data_dir)
