"""What was deleted is in no store, and a store that keeps it is named. Real stores, real files."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from typing_extensions import override

from citewell.adapters.caches.sqlite_embedding_cache import SqliteEmbeddingCache
from citewell.adapters.catalogs.sqlite.erasures import SqliteErasures
from citewell.answering.remembering.answer_cache import AnswerMemory, CacheKey
from citewell.bootstrap import Citewell, open_citewell
from citewell.choose_embedder import cache_path
from citewell.domain.answer import Answer
from citewell.domain.clearance import Clearance
from citewell.domain.erasure import ErasureWork, Finding, Store
from citewell.domain.source import Source
from citewell.ingestion.forget import ErasableStore, Erasure, ErasureOutcome
from citewell.ingestion.ingest_document import Outcome
from citewell.ingestion.watch_sources import WatchObservers
from citewell.keep_backups import make_backup
from citewell.live import watch_of
from citewell.match_projections import ANSWERS
from citewell.remember_answers import open_answer_memory
from citewell.restore_backup import restore_backup
from citewell.settings import Settings
from citewell.testing.embedding_server import EmbeddingServer
from citewell.testing.memory_source import PlainConverter
from citewell.upkeep import inspector_of, make_verification
from model_answers import answer_quoting
from sparse_files import copy_sparsely

SECRET = (
    "# Kingfisher\n\nProject Kingfisher moves the quarterly sweetbread budget to Antananarivo.\n"
)
SHARED = (
    "# Travel\n\nTrips are booked two weeks ahead by whoever travels, and approved by a lead.\n"
)
PUBLIC = "# Export\n\nThe limit of Atlas CRM is 500 rows for every export that someone starts.\n"

EVERYBODY = Clearance(("employee", "manager", "director"))
BUDGET, TRIPS, LIMIT = QUESTIONS = (
    "Where does the Kingfisher sweetbread budget go?",
    "How far ahead are trips booked?",
    "What is the limit of rows for an export of Atlas CRM?",
)


@contextmanager
def remembering(parts: Citewell) -> Iterator[AnswerMemory]:
    memory = open_answer_memory(parts.settings, parts.catalog, embedder=None, may_write=True)
    assert memory is not None
    with closing(memory.cache):
        yield memory


class Silent:
    """An observer that looks away."""

    def scanned(self, source: Source, *, n_to_read: int) -> None: ...

    def done(self, outcome: Outcome) -> None: ...


class Library:
    """A folder of documents and the data folder that it is ingested into."""

    def __init__(self, home: Path, server: EmbeddingServer) -> None:
        self.folder = home / "documents"
        self.settings = Settings(
            data_dir=home / "data",
            embedding_provider="openai-compatible",
            embedding_base_url=f"{server.url}/v1",
            embedding_model="served",
            min_free_disk_mib=0,
        )

    def fill(self) -> None:
        for tier in ("employee", "director"):
            (self.folder / tier).mkdir(parents=True)
        self.write("employee/secret.md", SECRET)
        self.write("employee/travel.md", SHARED)
        self.write("employee/export.md", PUBLIC)
        with self.opened() as parts:
            self.sync(parts)
            for question in QUESTIONS:
                self.remember(parts, question)

    def remember(self, parts: Citewell, question: str) -> None:
        """Let a model have answered by what a search finds first."""
        key = CacheKey(question, EVERYBODY, top_k=1, model="small", version="1")
        found = parts.search.search_passages(question, EVERYBODY, top_k=1)
        answer = answer_quoting(found.passages[0].chunk)
        with remembering(parts) as memory:
            assert memory.keep(key, {question: found}, answer, written_by="small")

    def answer(self, parts: Citewell, question: str) -> Answer | None:
        """Return the remembered answer, as far as it may be given now."""
        key = CacheKey(question, EVERYBODY, top_k=1, model="small", version="1")
        with remembering(parts) as memory:
            return memory.find(
                key, lambda text: parts.search.search_passages(text, EVERYBODY, top_k=1)
            )

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    @contextmanager
    def opened(self) -> Iterator[Citewell]:
        with open_citewell(self.settings) as parts:
            vars(parts)["converter"] = PlainConverter()  # the sandbox takes seconds to start
            yield parts

    def sync(self, parts: Citewell) -> None:
        source = parts.catalog.sources.register(
            Source("s1", "library", "folder", str(self.folder), folder_per_tier=True)
        )
        parts.sync.sync_source(source, parts.connector(source), observer=Silent())
        assert parts.vector_filling is not None
        parts.vector_filling.fill_vectors(progress=lambda _: None)
        parts.writer.settle()

    def cached(self) -> int:
        cache = SqliteEmbeddingCache(cache_path(self.settings))
        try:
            return len(cache.passage_shas())
        finally:
            cache.close()


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer(dim=32) as started:
        yield started


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, server: EmbeddingServer) -> Path:
    home = tmp_path_factory.mktemp("library")
    Library(home, server).fill()
    return home


@pytest.fixture
def library(template: Path, tmp_path: Path, server: EmbeddingServer) -> Library:
    """Return a library of its own with three documents that were ingested."""
    for name in ("data", "documents"):
        shutil.copytree(template / name, tmp_path / name, copy_function=copy_sparsely)
    copy = Library(tmp_path, server)
    with closing(sqlite3.connect(copy.settings.catalog_path)) as connection, connection:
        connection.execute("UPDATE sources SET root = ?", (str(copy.folder),))
    return copy


def verify(parts: Citewell, texts: Sequence[str] = ()) -> tuple[Finding, ...]:
    return make_verification(parts.settings, parts.catalog).verify(texts)


def stores_of(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.store for finding in findings}


def without(erasure: Erasure, store: Store) -> Erasure:
    """Return an erasure in which one store claims to be done and does nothing."""

    def does_nothing(_work: ErasureWork) -> bool:
        return True

    return replace(
        erasure,
        projections=[
            ErasableStore(store, does_nothing) if one.store == store else one
            for one in erasure.projections
        ],
    )


class Interrupted(BaseException):
    """Ends the work where it is raised."""


def ending_after(erasure: Erasure, store: Store) -> Erasure:
    """Return an erasure that ends when one store is done, before that is noted."""

    def interrupted(one: ErasableStore) -> ErasableStore:
        def erase(work: ErasureWork) -> bool:
            one.erase(work)
            raise Interrupted

        return ErasableStore(one.store, erase) if one.store == store else one

    return replace(
        erasure,
        projections=[interrupted(one) for one in erasure.projections],
        catalog=interrupted(erasure.catalog),
    )


class KeepsItsLog(SqliteErasures):
    """A catalog that claims to have wiped its files."""

    @override
    def wipe(self) -> bool:
        return True

    @override
    def compact(self) -> bool:
        return True


def delete(library: Library, parts: Citewell, path: str = "employee/secret.md") -> list[str]:
    """Delete a document and return its text."""
    (known,) = [
        item
        for source in parts.catalog.sources.sources()
        for item in parts.catalog.documents.known_items(source.id)
        if item.relative_path == path
    ]
    texts = list(parts.catalog.erasures.texts_of([known.document_key]))
    (library.folder / path).unlink()
    library.sync(parts)
    return texts


def edit(library: Library, parts: Citewell) -> list[str]:
    """Replace the text of the secret by another one."""
    library.write("employee/secret.md", "# Plans\n\nThere are no plans at the moment, ask later.\n")
    library.sync(parts)
    return [SECRET.split("\n\n")[1], "Kingfisher"]


def raise_tier(library: Library, parts: Citewell) -> list[str]:
    """Move the secret to another tier."""
    (library.folder / "employee/secret.md").rename(library.folder / "director/secret.md")
    library.sync(parts)
    return []


def rename(library: Library, parts: Citewell) -> list[str]:
    """Give the secret another name, in the same tier."""
    (library.folder / "employee/secret.md").rename(library.folder / "employee/plans.md")
    library.sync(parts)
    return []


CHANGES = [delete, edit, raise_tier]


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_left_after_erasing(
    library: Library, change: Callable[[Library, Citewell], list[str]]
) -> None:
    with library.opened() as parts:
        texts = change(library, parts)
        outcome = parts.erasure.erase()
        assert outcome is not None
        assert outcome.waiting == {}
        assert verify(parts, texts) == ()


def test_nothing_of_the_text_is_in_any_file_once_all_is_closed(library: Library) -> None:
    with library.opened() as parts:
        delete(library, parts)
        parts.erasure.erase()
    words = (b"Kingfisher", b"sweetbread", b"Antananarivo", b"secret.md")
    found = {
        (path.name, word)
        for path in library.settings.data_dir.rglob("*")
        if path.is_file()
        for word in words
        if word in path.read_bytes()
    }
    assert found == set()


@pytest.mark.parametrize(
    "store", ["index", "vectors", "embedding cache", "answer cache", "catalog"]
)
def test_erasure_that_ended_after_a_store_is_made_good_by_the_next_one(
    library: Library, store: Store
) -> None:
    with library.opened() as parts:
        texts = delete(library, parts)
        with pytest.raises(Interrupted):
            ending_after(parts.erasure, store).erase()
    with library.opened() as parts:
        assert parts.erasure.erase() == ErasureOutcome({})
        assert verify(parts, texts) == ()


@pytest.mark.parametrize("store", ["index", "vectors", "embedding cache", "answer cache"])
def test_store_that_keeps_a_deleted_document_is_named(library: Library, store: Store) -> None:
    with library.opened() as parts:
        texts = delete(library, parts)
        without(parts.erasure, store).erase()
        assert stores_of(verify(parts, texts)) == {store}


def test_catalog_that_keeps_a_deleted_document_is_named(library: Library) -> None:
    with library.opened() as parts:
        texts = delete(library, parts)
        whole = parts.erasure
        log = KeepsItsLog(parts.catalog.engine, secret=parts.catalog.facts.secret(), now=whole.now)
        unwiped = ErasableStore("catalog", lambda _work: True)
        replace(whole, log=log, catalog=unwiped).erase()
        assert stores_of(verify(parts, texts)) == {"catalog"}


def test_index_of_the_tier_that_a_document_left_is_named(library: Library) -> None:
    with library.opened() as parts:
        raise_tier(library, parts)
        without(parts.erasure, "index").erase()
        places = {finding.place for finding in verify(parts)}
        assert places == {"employee/lexical", "employee/dense"}


def test_what_waits_to_be_erased_is_told(library: Library) -> None:
    with library.opened() as parts:
        delete(library, parts)
        findings = verify(parts)
        assert (
            Finding("catalog", "erasures", "something is still to be erased: run `rag sync`")
            in findings
        )


def test_text_that_another_document_has_keeps_vector_and_cache_entry(library: Library) -> None:
    library.write("director/travel.md", SHARED)
    with library.opened() as parts:
        library.sync(parts)
        assert parts.vectors is not None
        before = (library.cached(), parts.vectors.count())
        texts = delete(library, parts, "employee/travel.md")
        parts.erasure.erase()
        assert (before, library.cached(), parts.vectors.count()) == ((3, 4), 3, 3)
        assert verify(parts, texts) == ()


def test_live_process_erases_what_is_due(library: Library) -> None:
    troubles: list[str] = []
    observers = WatchObservers(sync=Silent(), ended=lambda _: None, trouble=troubles.append)
    with library.opened() as parts:
        texts = delete(library, parts)
        watch_of(parts, observers).upkeep()
        assert parts.catalog.erasures.oldest_pending() is not None
    library.settings = library.settings.model_copy(update={"erase_after_seconds": 0.0})
    with library.opened() as parts:
        watch_of(parts, observers).upkeep()
        assert (troubles, verify(parts, texts)) == ([], ())


def test_erasing_needs_no_embedder(library: Library) -> None:
    library.settings = Settings(
        data_dir=library.settings.data_dir,
        embedding_provider="none",
        min_free_disk_mib=0,
    )
    (library.folder / "employee/secret.md").unlink()
    with library.opened() as parts:
        (source,) = parts.catalog.sources.sources()
        parts.sync.sync_source(source, parts.connector(source), observer=Silent())
        parts.erasure.erase()
        assert verify(parts) == ()


class TestRememberedAnswers:
    def entries(self, library: Library) -> int:
        with closing(sqlite3.connect(library.settings.data_dir / ANSWERS)) as connection:
            (n_entries,) = connection.execute("SELECT count(*) FROM entries").fetchone()
        return n_entries

    def test_are_given_again_from_what_did_not_change(self, library: Library) -> None:
        with library.opened() as parts:
            for question in QUESTIONS:
                found = library.answer(parts, question)
                assert found is not None
                assert found.cached
            assert verify(parts) == ()

    @pytest.mark.parametrize("change", [*CHANGES, rename])
    def test_go_with_their_document_and_leave_the_others(
        self, library: Library, change: Callable[[Library, Citewell], list[str]]
    ) -> None:
        with library.opened() as parts:
            change(library, parts)
            assert library.answer(parts, BUDGET) is None
            parts.erasure.erase()
            assert self.entries(library) == 2
            assert library.answer(parts, LIMIT) is not None

    def test_go_with_a_document_that_was_found_and_not_cited(self, library: Library) -> None:
        with library.opened() as parts:
            found = parts.search.search_passages(LIMIT, EVERYBODY, top_k=5)
            key = CacheKey(LIMIT, EVERYBODY, top_k=5, model="small", version="1")
            answer = answer_quoting(found.passages[0].chunk)
            with remembering(parts) as memory:
                assert memory.keep(key, {LIMIT: found}, answer, written_by="small")
            assert "employee/secret.md" in {p.chunk.relative_path for p in found.passages}
            delete(library, parts)
            parts.erasure.erase()
            assert self.entries(library) == 2
            assert verify(parts) == ()

    def test_written_while_its_document_was_erased_is_named_and_goes(
        self, library: Library
    ) -> None:
        with library.opened() as parts:
            path = library.settings.data_dir / ANSWERS
            with (
                closing(sqlite3.connect(path)) as source,
                closing(sqlite3.connect(":memory:")) as db,
            ):
                source.backup(db)
                texts = delete(library, parts)
                parts.erasure.erase()
                db.backup(source)  # as a process would leave it that ends before it looks again
            assert stores_of(verify(parts, texts)) >= {"answer cache"}
            parts.erasure.settle()
            assert verify(parts, texts) == ()
            assert self.entries(library) == 2

    def test_of_a_hidden_document_wait_with_it(self, library: Library) -> None:
        with library.opened() as parts:
            (source,) = parts.catalog.sources.sources()
            known = parts.catalog.documents.known_items(source.id)
            parts.catalog.documents.hide([item.document_key for item in known])
            parts.erasure.settle()
            assert self.entries(library) == 3
            parts.catalog.documents.show([item.document_key for item in known])
            assert library.answer(parts, BUDGET) is not None

    def test_of_another_catalog_are_discarded(self, library: Library) -> None:
        with library.opened() as parts:
            parts.catalog.facts.renew_catalog_id()  # as a restore does
        with library.opened() as parts:
            assert parts.catalog is not None
            assert self.entries(library) == 0
        assert b"Kingfisher" not in (library.settings.data_dir / ANSWERS).read_bytes()

    def test_are_in_no_backup_and_do_not_outlive_a_restore(self, library: Library) -> None:
        with library.opened() as parts:
            backup, _ = make_backup(library.settings, parts.catalog)
        restored = restore_backup(library.settings, backup.path, replace=True)
        assert restored.kept_aside is not None
        with library.opened() as parts:
            assert parts.catalog is not None
            assert self.entries(library) == 0
            library.sync(parts)
            assert library.answer(parts, LIMIT) is None
            library.remember(parts, LIMIT)
            assert library.answer(parts, LIMIT) is not None

    def test_go_when_remembering_is_switched_off(self, library: Library) -> None:
        off = library.settings.model_copy(update={"answer_cache_max_entries": 0})
        with library.opened() as parts:
            guest = open_answer_memory(off, parts.catalog, embedder=None, may_write=False)
            assert (guest, self.entries(library)) == (None, 3)
            owner = open_answer_memory(off, parts.catalog, embedder=None, may_write=True)
            assert (owner, self.entries(library)) == (None, 0)


TABLES: dict[Store, str] = {
    "catalog": "chunks",
    "vectors": "vectors",
    "embedding cache": "entries",
    "answer cache": "entries",
}


class TestRemains:
    """Copies of rows that SQLite leaves behind in the unused part of a page."""

    FILES: tuple[tuple[Store, str], ...] = (
        ("catalog", "catalog.sqlite3"),
        ("vectors", "vectors.sqlite3"),
        ("embedding cache", "embedding-cache/embeddings.sqlite3"),
        ("answer cache", ANSWERS),
    )

    @pytest.mark.parametrize(("store", "name"), FILES)
    def test_are_found_and_removed(self, library: Library, store: Store, name: str) -> None:
        with library.opened() as parts:
            (library.folder / "employee/secret.md").unlink()
            library.sync(parts)
        path = library.settings.data_dir / name
        plant(path, TABLES[store], b"left behind: the quarterly budget")
        inspector = inspector_of(library.settings)
        found = {one: inspector.has_remains(one) for one, _ in self.FILES}
        assert found == {one: one == store for one, _ in self.FILES}
        with library.opened() as parts:
            before = stores_of(verify(parts))
            assert before == {"catalog", "index", "embedding cache", "answer cache", store}
            parts.erasure.erase()
            assert verify(parts) == ()
        assert b"left behind" not in path.read_bytes()


def plant(path: Path, table: str, text: bytes) -> None:
    """Write bytes into the unused middle of the first page of a table."""
    connection = sqlite3.connect(path)
    (root,) = connection.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)
    ).fetchone()
    connection.close()
    data = bytearray(path.read_bytes())
    start = (root - 1) * 4096
    assert data[start] == 13  # a leaf: these tables are small
    n_cells = int.from_bytes(data[start + 3 : start + 5], "big")
    first_cell = int.from_bytes(data[start + 5 : start + 7], "big")
    middle = (8 + 2 * n_cells + first_cell) // 2
    assert first_cell - middle > len(text)
    data[start + middle : start + middle + len(text)] = text
    path.write_bytes(data)


class TestOtherFiles:
    def test_file_that_belongs_to_no_store_is_named(self, library: Library) -> None:
        with library.opened() as parts:
            parts.erasure.settle()
            (library.settings.data_dir / "catalog.sqlite3.old").write_bytes(b"x" * 9)
            shutil.copytree(
                library.settings.data_dir / "index/employee",
                library.settings.data_dir / "index/employee.copy",
                copy_function=copy_sparsely,
            )
            findings = verify(parts)
        assert ("data folder", "catalog.sqlite3.old") in {(f.store, f.place) for f in findings}
        assert stores_of(findings) == {"data folder", "index"}

    def test_compressed_copy_of_the_text_is_told(self, library: Library) -> None:
        with library.opened() as parts:
            parts.erasure.settle()
            copy = library.settings.data_dir / "notes.gz"
            copy.write_bytes(gzip.compress(SECRET.encode()))
            reasons = {f.reason for f in verify(parts, [SECRET])}
            assert "it holds text that was to be forgotten" in reasons
            copy.write_bytes(gzip.compress(PUBLIC.encode()))
            reasons = {f.reason for f in verify(parts, [SECRET])}
            assert "it holds text that was to be forgotten" not in reasons

    def test_message_that_quotes_the_text_is_told(self, library: Library) -> None:
        with library.opened() as parts:
            texts = delete(library, parts)
            (source,) = parts.catalog.sources.sources()
            parts.catalog.sources.set_state(source.id, "available", f"odd: {max(texts, key=len)}")
            parts.erasure.erase()
            findings = verify(parts, texts)
        assert findings == (
            Finding("catalog", "sources", "a row holds text that was to be forgotten"),
        )
