"""What the catalog writes down of what goes: keys and hashes, in the same transaction."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from small_catalog import ALL, NOON, SOURCE, cut, origin, put

from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
from citewell.domain.document import ConvertedDocument, DocumentState
from citewell.domain.erasure import ErasureWork, Store
from citewell.domain.record import StagedVersion
from citewell.domain.source import SourceItem
from citewell.ingestion.prepare import prepare_version, version_of
from citewell.ports.embedding_cache import text_sha

STORES: tuple[Store, ...] = (
    "index",
    "vectors",
    "embedding cache",
    "answer cache",
    "conversations",
    "catalog",
)


class Clock:
    """Tells noon and minutes after it."""

    def __init__(self) -> None:
        self.minutes = 0

    def __call__(self):
        return NOON + timedelta(minutes=self.minutes)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def catalog(tmp_path: Path, clock: Clock) -> Iterator[SqliteCatalog]:
    opened = SqliteCatalog.open(tmp_path / "catalog.sqlite3", now=clock)
    opened.sources.register(SOURCE)
    yield opened
    opened.close()


def name(content: str, title: str = "Title") -> bytes:
    """Return the cache's name of a chunk as `small_catalog.put` makes it."""
    return text_sha(f"{title} › Heading\n{content}")


def put_titled(catalog: SqliteCatalog, text: str, title: str) -> StagedVersion:
    document = ConvertedDocument(text=text, syntax="plain", title=title)
    version, _ = prepare_version(document, origin("a.md"), chunk_document=cut)
    staged = catalog.documents.stage(version)
    catalog.documents.switch(staged, version)
    return staged


def work(catalog: SqliteCatalog) -> ErasureWork:
    """Return the work of the stores, which is the same while none has done any.

    The ids of documents are left out: they are drawn by lot.
    """
    (only,) = {catalog.erasures.work(store) for store in STORES}
    return replace(only, document_ids=())


def test_first_version_leaves_nothing_to_erase(catalog: SqliteCatalog) -> None:
    put(catalog, "alpha|beta")
    assert catalog.erasures.oldest_pending() is None
    assert work(catalog) == ErasureWork()


def test_deleted_document_is_logged_with_all_its_chunks(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha|beta", tier="manager")
    catalog.documents.delete([staged.document_key])
    assert work(catalog) == ErasureWork(1, ("manager",), (1, 2), (name("alpha"), name("beta")))


def test_edit_logs_the_chunks_that_went(catalog: SqliteCatalog) -> None:
    put(catalog, "alpha|beta|gamma")
    put(catalog, "alpha|delta|gamma")
    assert work(catalog) == ErasureWork(1, ("employee",), (2,), (name("beta"),))


def test_same_text_again_logs_nothing(catalog: SqliteCatalog) -> None:
    put(catalog, "alpha|beta")
    put(catalog, "alpha|beta")
    assert work(catalog) == ErasureWork()


def test_metadata_that_went_concerns_the_catalog_and_no_index(catalog: SqliteCatalog) -> None:
    put(catalog, "alpha", tags=("secret-project",))
    put(catalog, "alpha", tags=())
    assert work(catalog) == ErasureWork(1, (), (), ())


def test_other_title_logs_the_names_under_the_old_one(catalog: SqliteCatalog) -> None:
    put_titled(catalog, "alpha|beta", "Old")
    put_titled(catalog, "alpha|beta", "New")
    found = work(catalog)
    names = {name("alpha", "Old"), name("beta", "Old")}
    assert (found.tiers, found.chunk_keys, set(found.text_shas)) == ((), (), names)


def test_move_to_another_tier_logs_the_tier_that_was_left(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha", tier="employee")
    item = SourceItem("b.md", 10, 5, "", "other")
    catalog.documents.move(staged.document_key, item, tier="director")
    assert work(catalog) == ErasureWork(1, ("employee",), (), ())


def test_name_that_went_concerns_the_catalog_and_no_index(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha")
    item = SourceItem("b.md", 10, 5, "", "other")
    catalog.documents.move(staged.document_key, item, tier="employee")
    assert work(catalog) == ErasureWork(1, (), (), ())
    assert [record.kind for record in catalog.erasures.records_of("a.md")] == ["moved"]


def test_edit_into_another_tier_logs_the_tier_that_was_left(catalog: SqliteCatalog) -> None:
    put(catalog, "alpha", tier="employee")
    put(catalog, "alpha", tier="director")
    assert work(catalog).tiers == ("employee",)


MOVED = SourceItem("b.md", 10, 5, "", "other")


@pytest.mark.parametrize(
    "change",
    [
        lambda catalog, key: catalog.documents.delete([key]),
        lambda catalog, _: put(catalog, "other"),
        lambda catalog, _: put(catalog, "alpha", tier="director"),
        lambda catalog, key: catalog.documents.move(key, MOVED, tier="director"),
        lambda catalog, key: catalog.documents.move(key, MOVED, tier="employee"),
    ],
    ids=["deleted", "edited", "edited into another tier", "moved into another tier", "renamed"],
)
def test_documents_of_which_something_went_are_named(
    catalog: SqliteCatalog, change: Callable[[SqliteCatalog, int], object]
) -> None:
    put(catalog, "beta", "stays.md")
    staged = put(catalog, "alpha")
    (chunk,) = catalog.passages.visible_chunks(ALL, [2]).values()
    change(catalog, staged.document_key)
    assert catalog.erasures.work("answer cache").document_ids == (chunk.document_id,)


def test_live_tiers_are_those_of_the_chunks_of_current_versions(catalog: SqliteCatalog) -> None:
    put(catalog, "alpha|beta")
    hidden = put(catalog, "delta", "hidden.md", tier="director")
    catalog.documents.hide([hidden.document_key])
    gone = put(catalog, "epsilon", "gone.md")
    catalog.documents.delete([gone.document_key])
    put(catalog, "alpha|gamma")
    found = catalog.erasures.live_tiers(range(10))
    assert found == {chunk.chunk_key: chunk.tier for chunk in catalog.erasures.live_chunks()}
    assert found == {1: "employee", 3: "director", 5: "employee"}
    assert catalog.erasures.live_tiers([3]) == {3: "director"}


def test_chunks_and_documents_are_known_by_the_ids_that_citations_have(
    catalog: SqliteCatalog,
) -> None:
    put(catalog, "alpha")
    hidden = put(catalog, "delta", "hidden.md", tier="director")
    gone = put(catalog, "epsilon", "gone.md")
    chunks = catalog.passages.visible_chunks(ALL, [1, 2, 3])
    catalog.documents.hide([hidden.document_key])
    catalog.documents.delete([gone.document_key])
    kept = [chunks[1], chunks[2]]
    log = catalog.erasures
    everything = [chunk.chunk_id for chunk in chunks.values()]
    assert log.live_tiers_of(everything) == {chunk.chunk_id: chunk.tier for chunk in kept}
    documents = [chunk.document_id for chunk in chunks.values()]
    assert log.known_documents(documents) == {chunk.document_id for chunk in kept}
    put(catalog, "beta")
    assert log.live_tiers_of(everything) == {chunks[2].chunk_id: "director"}
    assert log.known_documents(documents) == {chunk.document_id for chunk in kept}


def test_interrupted_version_is_logged_when_it_is_cleaned_up(catalog: SqliteCatalog) -> None:
    put(catalog, "alpha")
    document = ConvertedDocument(text="beta", syntax="plain", title="Title")
    version, _ = prepare_version(document, origin("a.md"), chunk_document=cut)
    catalog.documents.stage(version)
    assert (catalog.erasures.n_leftovers(), work(catalog)) == (1, ErasureWork())
    catalog.documents.remove_leftovers()
    assert catalog.erasures.n_leftovers() == 0
    assert work(catalog) == ErasureWork(1, ("employee",), (2,), (name("beta"),))


def test_document_that_was_never_shown_is_logged_when_it_is_cleaned_up(
    catalog: SqliteCatalog,
) -> None:
    version = version_of(origin("kingfisher.md"), state=DocumentState.EMPTY)
    catalog.documents.stage(version)
    catalog.documents.remove_leftovers()
    assert [record.kind for record in catalog.erasures.records_of("kingfisher.md")] == ["deleted"]
    assert work(catalog) == ErasureWork(1, (), (), ())


def test_members_are_logged_with_their_archive(catalog: SqliteCatalog) -> None:
    archive = version_of(origin("z.zip"), state=DocumentState.EMPTY)
    staged = catalog.documents.stage(archive)
    catalog.documents.switch(staged, archive)
    member = origin("z.zip", parent_key=staged.document_key, member_path="in/a.md")
    document = ConvertedDocument(text="alpha", syntax="plain", title="Title")
    version, _ = prepare_version(document, member, chunk_document=cut)
    catalog.documents.switch(catalog.documents.stage(version), version)
    catalog.documents.delete([staged.document_key])
    assert work(catalog) == ErasureWork(2, ("employee",), (1,), (name("alpha"),))
    assert [len(catalog.erasures.records_of(path)) for path in ("z.zip", "z.zip/in/a.md")] == [1, 1]


def test_hidden_document_is_not_logged_before_it_is_deleted(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha")
    catalog.documents.hide([staged.document_key])
    assert work(catalog) == ErasureWork()
    assert [chunk.chunk_key for chunk in catalog.erasures.live_chunks()] == [1]
    catalog.documents.delete([staged.document_key])
    assert work(catalog).chunk_keys == (1,)
    assert list(catalog.erasures.live_chunks()) == []


class TestSharedText:
    def test_text_of_another_document_keeps_its_name(self, catalog: SqliteCatalog) -> None:
        gone = put(catalog, "alpha|beta", "a.md")
        put(catalog, "beta|gamma", "b.md")
        catalog.documents.delete([gone.document_key])
        assert work(catalog) == ErasureWork(1, ("employee",), (1, 2), (name("alpha"),))

    def test_text_that_the_document_has_twice_keeps_its_name(self, catalog: SqliteCatalog) -> None:
        put(catalog, "alpha|alpha|beta")
        put(catalog, "alpha|beta")
        assert work(catalog) == ErasureWork(1, ("employee",), (2,), ())

    def test_text_that_comes_back_keeps_its_name(self, catalog: SqliteCatalog) -> None:
        gone = put(catalog, "alpha|beta", "a.md")
        catalog.documents.delete([gone.document_key])
        put(catalog, "beta", "elsewhere.md")
        assert work(catalog) == ErasureWork(1, ("employee",), (1, 2), (name("alpha"),))

    def test_text_of_a_hidden_document_keeps_its_name(self, catalog: SqliteCatalog) -> None:
        gone = put(catalog, "alpha", "a.md")
        hidden = put(catalog, "alpha", "b.md")
        catalog.documents.hide([hidden.document_key])
        catalog.documents.delete([gone.document_key])
        assert work(catalog).text_shas == ()

    def test_last_document_with_a_text_takes_its_name_along(self, catalog: SqliteCatalog) -> None:
        both = [put(catalog, "alpha", path).document_key for path in ("a.md", "b.md")]
        catalog.documents.delete(both)
        assert work(catalog).text_shas == (name("alpha"),)


class TestProgress:
    def test_store_that_is_done_has_no_more_work(self, catalog: SqliteCatalog) -> None:
        catalog.documents.delete([put(catalog, "alpha", "a.md").document_key])
        catalog.erasures.note_erased("vectors", up_to=1)
        catalog.documents.delete([put(catalog, "beta", "b.md").document_key])
        todo = {store: catalog.erasures.work(store).chunk_keys for store in STORES}
        assert todo == {
            "index": (1, 2),
            "vectors": (2,),
            "embedding cache": (1, 2),
            "answer cache": (1, 2),
            "conversations": (1, 2),
            "catalog": (1, 2),
        }

    def test_erasure_ends_with_the_catalog(self, catalog: SqliteCatalog, clock: Clock) -> None:
        catalog.documents.delete([put(catalog, "alpha").document_key])
        clock.minutes = 3
        assert catalog.erasures.oldest_pending() == NOON
        for store in STORES:
            catalog.erasures.note_erased(store, up_to=1)
        (record,) = catalog.erasures.records_of("a.md")
        assert catalog.erasures.oldest_pending() is None
        assert (record.kind, record.source_id) == ("deleted", "s1")
        assert (record.at, record.erased_at) == (
            "2026-01-31T12:00:00.000Z",
            "2026-01-31T12:03:00.000Z",
        )

    def test_hashes_go_when_they_are_no_longer_needed(self, catalog: SqliteCatalog) -> None:
        catalog.documents.delete([put(catalog, "alpha", "a.md").document_key])
        catalog.documents.delete([put(catalog, "beta", "b.md").document_key])
        catalog.erasures.drop_hashes(up_to=1)
        assert work(catalog).text_shas == (name("beta"),)
        catalog.erasures.drop_hashes(up_to=2)
        assert work(catalog) == ErasureWork(2, ("employee",), (), ())

    def test_survives_a_restart(self, catalog: SqliteCatalog, tmp_path: Path) -> None:
        catalog.documents.delete([put(catalog, "alpha").document_key])
        before = work(catalog)
        catalog.close()
        again = SqliteCatalog.open(tmp_path / "catalog.sqlite3")
        assert work(again) == before
        again.close()


class TestFiles:
    """The catalog's own files."""

    def test_log_holds_no_text_and_no_path(self, catalog: SqliteCatalog, tmp_path: Path) -> None:
        staged = put(catalog, "sweetbread budget", "kingfisher.md", tags=("antananarivo",))
        catalog.documents.delete([staged.document_key])
        assert catalog.erasures.wipe()
        assert catalog.erasures.compact()
        data = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        words = (b"sweetbread", b"kingfisher", b"antananarivo", b"Title", b"Heading")
        assert [word for word in words if word in data] == []

    def test_reader_keeps_the_log_from_being_emptied(
        self, catalog: SqliteCatalog, tmp_path: Path
    ) -> None:
        staged = put(catalog, "sweetbread budget")
        reader = sqlite3.connect(tmp_path / "catalog.sqlite3", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM chunks").fetchall()
        with catalog.engine.connect() as connection:  # one that does not wait
            connection.exec_driver_sql("PRAGMA busy_timeout = 1")
        catalog.documents.delete([staged.document_key])
        assert catalog.erasures.wipe() is False
        reader.execute("COMMIT")
        reader.close()
        assert catalog.erasures.wipe() is True
        assert (tmp_path / "catalog.sqlite3-wal").stat().st_size == 0


def test_all_text_of_a_document_is_told(catalog: SqliteCatalog) -> None:
    document = ConvertedDocument(
        text="alpha|beta",
        syntax="plain",
        title="The title",
        frontmatter={"owner": {"names": ["Ada", 7]}},
        tags=("plan",),
        links=("Other page",),
        notes=("a note",),
    )
    version, _ = prepare_version(document, origin("a.md"), chunk_document=cut)
    staged = catalog.documents.stage(version)
    catalog.documents.switch(staged, version)
    assert catalog.erasures.texts_of([staged.document_key]) == [
        *("a.md", "The title", "Ada", "plan", "Other page", "a note"),
        *("alpha", "Heading", "beta"),
    ]
