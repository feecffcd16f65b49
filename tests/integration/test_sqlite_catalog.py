"""The catalog on a real SQLite file: versions, statistics, outbox, visibility."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from small_catalog import ALL, EMPLOYEE, NOON, SOURCE, cut, origin, put, statistics, texts
from sqlalchemy import text

from citewell.adapters.catalogs.sqlite import connect as connecting
from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
from citewell.adapters.catalogs.sqlite.runs import SqliteRuns
from citewell.adapters.catalogs.sqlite.schema import metadata
from citewell.domain.document import ConvertedDocument, DocumentState
from citewell.domain.errors import (
    LowDiskSpaceError,
    SchemaNotInitializedError,
    UnavailableError,
    UsageError,
)
from citewell.domain.passage import SearchFilters
from citewell.domain.record import Failure, RunCounts
from citewell.domain.source import Source, SourceItem, SourceStatus
from citewell.ingestion.prepare import prepare_version, version_of


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[SqliteCatalog]:
    opened = SqliteCatalog.open(tmp_path / "catalog.sqlite3", now=lambda: NOON)
    opened.sources.register(SOURCE)
    yield opened
    opened.close()


def test_staged_version_is_unseen_until_the_switch(catalog: SqliteCatalog) -> None:
    document = ConvertedDocument(text="alpha", syntax="plain")
    version, _ = prepare_version(document, origin("a.md"), chunk_document=cut)
    staged = catalog.documents.stage(version)
    assert texts(catalog, ALL) == []
    assert statistics(catalog, ALL, "alpha") == (0, 0)
    assert catalog.documents.known_items("s1") == []
    catalog.documents.switch(staged, version)
    assert texts(catalog, ALL) == ["alpha"]
    assert statistics(catalog, ALL, "alpha") == (1, 1)


def test_catalog_is_opened_and_read_while_another_process_writes(
    catalog: SqliteCatalog, tmp_path: Path
) -> None:
    put(catalog, "alpha")
    writer = sqlite3.connect(tmp_path / "catalog.sqlite3", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    other = SqliteCatalog.open(tmp_path / "catalog.sqlite3")
    assert (texts(other, ALL), other.sources.sources()) == (["alpha"], [SOURCE])
    other.close()
    writer.close()


def test_edit_keeps_the_keys_and_ids_of_unchanged_chunks(catalog: SqliteCatalog) -> None:
    first = put(catalog, "alpha|beta|gamma")
    before = catalog.passages.visible_chunks(ALL, first.chunk_keys)
    second = put(catalog, "alpha|delta|beta|gamma")
    after = catalog.passages.visible_chunks(ALL, second.chunk_keys)
    assert second.new_keys == (second.chunk_keys[1],)
    assert [after[k].content for k in second.chunk_keys] == ["alpha", "delta", "beta", "gamma"]
    assert [after[k].ordinal for k in second.chunk_keys] == [0, 1, 2, 3]
    assert {k: c.chunk_id for k, c in before.items()}.items() <= {
        k: c.chunk_id for k, c in after.items()
    }.items()


def test_edit_removes_the_chunks_and_statistics_that_went(catalog: SqliteCatalog) -> None:
    put(catalog, "alpha beta|alpha gamma")
    assert statistics(catalog, ALL, "alpha") == (2, 2)
    put(catalog, "alpha beta")
    assert texts(catalog, ALL) == ["alpha beta"]
    assert statistics(catalog, ALL, "alpha") == (1, 1)
    assert statistics(catalog, ALL, "gamma") == (0, 1)


def test_equal_chunks_of_one_document_are_told_apart(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "same|same|same")
    found = catalog.passages.visible_chunks(ALL, staged.chunk_keys)
    assert len({c.chunk_id for c in found.values()}) == 3


def test_interrupted_staging_leaves_nothing(catalog: SqliteCatalog) -> None:
    put(catalog, "alpha")
    document = ConvertedDocument(text="beta|gamma", syntax="plain")
    version, _ = prepare_version(document, origin("a.md"), chunk_document=cut)
    catalog.documents.stage(version)
    assert catalog.documents.remove_leftovers() == 2
    assert texts(catalog, ALL) == ["alpha"]
    assert put(catalog, "alpha|beta").generation == 2


def test_chunk_above_the_clearance_is_invisible_and_uncounted(catalog: SqliteCatalog) -> None:
    put(catalog, "alpha public", "a.md", "employee")
    put(catalog, "alpha secret", "b.md", "director")
    assert texts(catalog, ALL) == ["alpha public", "alpha secret"]
    assert texts(catalog, EMPLOYEE) == ["alpha public"]
    assert statistics(catalog, ALL, "alpha") == (2, 2)
    assert statistics(catalog, EMPLOYEE, "alpha") == (1, 1)


def test_every_road_to_text_refuses_what_is_above_the_clearance(catalog: SqliteCatalog) -> None:
    put(catalog, "alpha public", "a.md", "employee")
    staged = put(catalog, "alpha secret", "b.md", "director", tags=("plan",))
    key = staged.chunk_keys[0]
    secret = catalog.passages.visible_chunks(ALL, [key])[key]
    plan = SearchFilters(tags=("plan",))
    reader = catalog.passages
    found = (
        reader.find_chunk(ALL, secret.chunk_id),
        [c.chunk_key for c in reader.document_chunks(ALL, secret.document_key, ordinals=(0, 9))],
        reader.documents_matching(ALL, plan),
        set(reader.sample_chunk_keys(ALL, limit=9)),
    )
    hidden = (
        reader.find_chunk(EMPLOYEE, secret.chunk_id),
        [*reader.document_chunks(EMPLOYEE, secret.document_key, ordinals=(0, 9))],
        reader.documents_matching(EMPLOYEE, plan),
        set(reader.sample_chunk_keys(EMPLOYEE, limit=9)),
    )
    assert found == (secret, [key], [staged.document_key], {1, key})
    assert hidden == (None, [], [], {1})


def test_deleted_document_is_gone_with_its_statistics(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha|beta")
    chunk = catalog.passages.visible_chunks(ALL, staged.chunk_keys)[1]
    catalog.pending.clear_outbox(up_to=1_000)
    assert catalog.documents.delete([staged.document_key]) == 1
    assert texts(catalog, ALL) == []
    assert catalog.passages.find_chunk(ALL, chunk.chunk_id) is None
    assert statistics(catalog, ALL, "alpha") == (0, 0)
    left = [(e.operation, e.chunk_key) for e in catalog.pending.outbox(after=0, limit=9)]
    assert left == [("delete", 1), ("delete", 2)]
    assert catalog.pending.n_pending_vectors() == 0


def test_move_keeps_document_and_chunks(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha")
    before = catalog.passages.visible_chunks(ALL, staged.chunk_keys)[1]
    moved = SourceItem("b/new.md", 10, 5, "", "other")
    catalog.documents.move(staged.document_key, moved, tier="employee")
    after = catalog.passages.visible_chunks(ALL, staged.chunk_keys)[1]
    assert (after.chunk_id, after.document_id) == (before.chunk_id, before.document_id)
    assert after.relative_path == "b/new.md"


def test_raised_tier_hides_at_once_and_moves_points_and_statistics(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha")
    catalog.pending.vectors_made(staged.chunk_keys)
    catalog.pending.clear_outbox(up_to=1_000)
    item = SourceItem("a.md", 10, 5, "", "f")
    catalog.documents.move(staged.document_key, item, tier="director")
    assert texts(catalog, EMPLOYEE) == []
    assert texts(catalog, ALL) == ["alpha"]
    assert statistics(catalog, EMPLOYEE, "alpha") == (0, 0)
    assert statistics(catalog, ALL, "alpha") == (1, 1)
    assert [(e.operation, e.tier) for e in catalog.pending.outbox(after=0, limit=9)] == [
        ("delete", "employee"),
        ("upsert_lexical", "director"),
        ("upsert_dense", "director"),
    ]


def test_members_go_and_move_with_their_archive(catalog: SqliteCatalog) -> None:
    archive = version_of(origin("z.zip"), state=DocumentState.EMPTY)
    staged = catalog.documents.stage(archive)
    catalog.documents.switch(staged, archive)
    document = ConvertedDocument(text="alpha", syntax="plain", member_path="in/a.md")
    member = origin("z.zip", parent_key=staged.document_key, member_path="in/a.md")
    version, _ = prepare_version(document, member, chunk_document=cut)
    catalog.documents.switch(catalog.documents.stage(version), version)
    assert catalog.documents.member_keys(staged.document_key) == {"z.zip/in/a.md": 2}
    item = SourceItem("y.zip", 10, 5, "", "f")
    catalog.documents.move(staged.document_key, item, tier="manager")
    (chunk,) = catalog.passages.visible_chunks(ALL, [1]).values()
    assert (chunk.relative_path, chunk.tier) == ("y.zip/in/a.md", "manager")
    assert catalog.documents.delete([staged.document_key]) == 2
    assert texts(catalog, ALL) == []


def test_failure_keeps_the_version_before(catalog: SqliteCatalog) -> None:
    put(catalog, "alpha")
    failure = Failure("convert", "ConversionError", "broken", attempts=1)
    catalog.documents.record_failure(
        version_of(origin("a.md"), state=DocumentState.FAILED), failure
    )
    (record,) = catalog.documents.records()
    assert (record.state, record.failure) == (DocumentState.SEARCHABLE, failure)
    assert texts(catalog, ALL) == ["alpha"]


def test_failure_without_a_version_is_listed_with_its_reason(catalog: SqliteCatalog) -> None:
    failure = Failure("convert", "ConversionError", "broken", attempts=1)
    catalog.documents.record_failure(
        version_of(origin("a.md"), state=DocumentState.FAILED), failure
    )
    (record,) = catalog.documents.records()
    (known,) = catalog.documents.known_items("s1")
    assert (record.state, record.failure, record.n_chunks) == (DocumentState.FAILED, failure, 0)
    assert known.failure == failure


def test_document_is_indexed_once_all_its_chunks_have_vectors(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha|beta")
    assert [p.chunk_key for p in catalog.pending.pending_vectors(limit=9)] == [2, 1]
    catalog.pending.vectors_made(staged.chunk_keys[:1])
    (half,) = catalog.documents.records()
    catalog.pending.vectors_made(staged.chunk_keys[1:])
    (whole,) = catalog.documents.records()
    assert (half.state, half.n_vectors) == (DocumentState.SEARCHABLE, 1)
    assert (whole.state, whole.n_vectors) == (DocumentState.INDEXED, 2)


def test_chunk_that_the_embedder_refuses_is_noted(catalog: SqliteCatalog) -> None:
    put(catalog, "alpha|beta")
    catalog.pending.vectors_refused({2: "it is too long"})
    (record,) = catalog.documents.records()
    assert record.notes == ("part 2 is found by words alone: it is too long",)
    assert [p.chunk_key for p in catalog.pending.pending_vectors(limit=9)] == [1]


def test_vectors_can_be_asked_for_anew(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha|beta")
    catalog.pending.vectors_made(staged.chunk_keys)
    assert catalog.pending.n_pending_vectors() == 0
    assert catalog.pending.request_vectors() == 2


def test_lost_index_can_be_asked_for_anew(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha|beta")
    catalog.pending.vectors_made(staged.chunk_keys[:1])
    catalog.pending.clear_outbox(up_to=1_000)
    assert catalog.pending.request_index() == 2
    assert [(e.operation, e.chunk_key) for e in catalog.pending.outbox(after=0, limit=9)] == [
        ("upsert_lexical", 1),
        ("upsert_lexical", 2),
        ("upsert_dense", 1),
    ]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (SearchFilters(), None),
        (SearchFilters(source="handbook"), [1, 2]),
        (SearchFilters(source="other"), []),
        (SearchFilters(path_prefix="sub/"), [2]),
        (SearchFilters(path_prefix="su%"), []),
        (SearchFilters(types=(".MD",)), [1]),
        (SearchFilters(types=("pdf", "md")), [1, 2]),
        (SearchFilters(tags=("#Area",)), [2]),
        (SearchFilters(tags=("are",)), []),
        (SearchFilters(modified_after="2026-01-01"), [1, 2]),
        (SearchFilters(modified_after="2026-01-02T00:00:00Z"), []),
        (SearchFilters(modified_before="2026-01-01"), []),
        (SearchFilters(modified_before="9999-12-31"), [1, 2]),
        (SearchFilters(modified_after="0001-01-01"), [1, 2]),
        (SearchFilters(path_prefix="sub/", types=("md",)), []),
    ],
)
def test_filters_narrow_to_documents(
    catalog: SqliteCatalog, filters: SearchFilters, found: list[int] | None
) -> None:
    put(catalog, "alpha", "a.md")
    put(catalog, "beta", "sub/b.pdf", tags=("area/north",))
    assert catalog.passages.documents_matching(ALL, filters) == found


def test_date_that_is_none_is_refused_with_the_right_form(catalog: SqliteCatalog) -> None:
    with pytest.raises(UsageError, match="2026-01-31"):
        catalog.passages.documents_matching(ALL, SearchFilters(modified_after="yesterday"))


def test_same_root_again_is_the_same_source(catalog: SqliteCatalog) -> None:
    again = catalog.sources.register(Source("s2", "renamed", "vault", "/handbook"))
    assert (again.id, again.name, again.type) == ("s1", "renamed", "vault")


def test_name_of_another_root_is_refused(catalog: SqliteCatalog) -> None:
    with pytest.raises(UsageError, match="belongs to another source"):
        catalog.sources.register(Source("s2", "handbook", "folder", "/elsewhere"))


def test_run_whose_process_died_is_shown_as_interrupted(catalog: SqliteCatalog) -> None:
    catalog.runs.start("s1", trigger="manual")
    second = catalog.runs.start("s1", trigger="watch")
    catalog.runs.finish(second, state="succeeded", counts=RunCounts(added=3))
    states = {run.trigger: (run.state, run.counts.added) for run in catalog.runs.history()}
    assert states == {"manual": ("interrupted", 0), "watch": ("succeeded", 3)}


def test_newest_runs_are_listed_first_and_the_oldest_forgotten(catalog: SqliteCatalog) -> None:
    catalog.sources.register(Source("s2", "other", "folder", "/other"))
    runs = SqliteRuns(catalog.engine, now=lambda: NOON, max_runs=3)
    other = runs.start("s2", trigger="manual")
    ids = [runs.start("s1", trigger="watch") for _ in range(5)]
    assert [run.id for run in runs.history(source_id="s1")] == ids[:1:-1]
    assert [run.id for run in runs.history()] == [*ids[:1:-1], other]
    assert [run.id for run in runs.history(limit=1)] == [ids[-1]]


def test_vectors_made_later_are_counted_with_the_newest_run(catalog: SqliteCatalog) -> None:
    catalog.runs.add_embeddings("s1", computed=9, reused=9)
    catalog.runs.start("s1", trigger="manual")
    second = catalog.runs.start("s1", trigger="manual")
    catalog.runs.finish(second, state="succeeded", counts=RunCounts(embeddings_reused=1))
    catalog.runs.add_embeddings("s1", computed=3, reused=2)
    catalog.runs.add_embeddings("s1", computed=4, reused=0)
    newest, older = catalog.runs.history()
    assert newest.counts == RunCounts(embeddings_computed=7, embeddings_reused=3)
    assert older.counts == RunCounts()


def test_how_a_source_stands_and_is_watched_is_kept(catalog: SqliteCatalog) -> None:
    assert catalog.sources.status_of("s1") == SourceStatus("new")
    catalog.sources.set_state("s1", "unavailable", "it is gone")
    catalog.sources.set_watch("s1", "polling", "a network file system")
    assert catalog.sources.status_of("s1") == SourceStatus(
        "unavailable", "it is gone", "polling", "a network file system"
    )
    catalog.sources.set_state("s1", "available")
    catalog.sources.set_watch("s1", None)
    assert catalog.sources.status_of("s1") == SourceStatus("available")


def test_confirmation_is_taken_once(catalog: SqliteCatalog) -> None:
    assert not catalog.sources.take_confirmation("s1")
    catalog.sources.request_confirmation("s1")
    assert catalog.sources.take_confirmation("s1")
    assert not catalog.sources.take_confirmation("s1")


def test_secret_of_the_catalog_stays(tmp_path: Path) -> None:
    first = SqliteCatalog.open(tmp_path / "c.sqlite3")
    secret = first.facts.secret()
    first.close()
    second = SqliteCatalog.open(tmp_path / "c.sqlite3")
    assert second.facts.secret() == secret
    assert len(secret) == 32
    second.close()


def test_migrations_add_up_to_the_schema(catalog: SqliteCatalog) -> None:
    with catalog.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_newest_migration_is_the_revision_that_the_program_needs() -> None:
    folder = Path(connecting.__file__).parent / "migrations"
    assert ScriptDirectory(str(folder)).get_current_head() == connecting.SCHEMA_REVISION


def test_catalog_of_another_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite3"
    SqliteCatalog.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0000'")
    connection.close()
    with pytest.raises(SchemaNotInitializedError, match="rag db init"):
        SqliteCatalog.open(path)


def test_full_disk_is_told_apart_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite3"
    SqliteCatalog.open(path).close()
    engine = connecting.engine_for(path)
    with engine.begin() as connection:
        size = connection.execute(text("PRAGMA page_count")).scalar_one()
        connection.execute(text(f"PRAGMA max_page_count = {size}"))
        with pytest.raises(LowDiskSpaceError, match="the disk is full"):
            connection.execute(
                text("INSERT INTO facts (name, value) VALUES ('big', :value)"),
                {"value": "x" * 10**6},
            )
    with engine.begin() as connection:
        found = connection.execute(text("SELECT count(*) FROM facts WHERE name = 'big'"))
        assert found.scalar_one() == 0
    engine.dispose()


def test_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite3"
    path.write_bytes(b"not a database at all, " * 100)
    with pytest.raises(UnavailableError, match="cannot be opened"):
        SqliteCatalog.open(path)
