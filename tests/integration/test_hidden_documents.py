"""Documents whose items are missing: out of everyone's sight, but not erased yet."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from small_catalog import ALL, EMPLOYEE, NOON, SOURCE, cut, origin, put, statistics, texts

from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
from citewell.domain.document import ConvertedDocument, DocumentState
from citewell.domain.record import Failure, ItemCounts
from citewell.domain.source import SourceItem
from citewell.ingestion.prepare import prepare_version, version_of


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[SqliteCatalog]:
    opened = SqliteCatalog.open(tmp_path / "catalog.sqlite3", now=lambda: NOON)
    opened.sources.register(SOURCE)
    yield opened
    opened.close()


def item(path: str) -> SourceItem:
    return SourceItem(path, 10, 5, path, "new fingerprint")


def outbox(catalog: SqliteCatalog) -> list[tuple[str, str, int]]:
    entries = catalog.pending.outbox(after=0, limit=1000)
    return [(entry.operation, entry.tier, entry.chunk_key) for entry in entries]


def settle(catalog: SqliteCatalog) -> None:
    catalog.pending.clear_outbox(up_to=10_000)


def test_hidden_document_is_in_no_text_and_no_statistics(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha|beta")
    put(catalog, "alpha", "b.md")
    settle(catalog)
    assert catalog.documents.hide([staged.document_key]) == 1
    assert texts(catalog, ALL) == ["alpha"]
    assert statistics(catalog, ALL, "alpha") == (1, 1)
    assert statistics(catalog, ALL, "beta") == (0, 1)
    assert outbox(catalog) == []


def test_hidden_document_is_shown_again_as_it_was(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha|beta")
    before = catalog.passages.visible_chunks(ALL, staged.chunk_keys)
    catalog.documents.hide([staged.document_key])
    assert catalog.documents.show([staged.document_key]) == 1
    assert catalog.passages.visible_chunks(ALL, staged.chunk_keys) == before
    assert statistics(catalog, ALL, "alpha") == (1, 2)
    assert catalog.documents.show([staged.document_key]) == 0
    assert statistics(catalog, ALL, "alpha") == (1, 2)


def test_points_of_a_document_shown_again_are_asked_for(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha|beta")
    first, second = staged.chunk_keys
    catalog.pending.vectors_made([first])
    catalog.documents.hide([staged.document_key])
    settle(catalog)
    catalog.documents.show([staged.document_key])
    assert outbox(catalog) == [
        ("upsert_lexical", "employee", first),
        ("upsert_lexical", "employee", second),
        ("upsert_dense", "employee", first),
    ]


def test_hiding_twice_changes_nothing_but_the_hold(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha")
    catalog.documents.hide([staged.document_key])
    until = NOON + timedelta(hours=1)
    assert catalog.documents.hide([staged.document_key], held_until=until) == 0
    later = until + timedelta(hours=1)
    assert catalog.documents.hide([staged.document_key], held_until=later) == 0
    (known,) = catalog.documents.known_items("s1")
    assert (known.missing_since, known.held_until) == (
        "2026-01-31T12:00:00.000Z",
        "2026-01-31T13:00:00.000Z",
    )
    assert statistics(catalog, ALL, "alpha") == (0, 0)


def test_hidden_documents_are_known_counted_and_listed(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha")
    put(catalog, "beta", "b.md")
    catalog.documents.hide([staged.document_key])
    assert catalog.documents.count_items("s1") == ItemCounts(known=2, missing=1)
    listed = {r.relative_path: r.missing_since for r in catalog.documents.records()}
    assert listed == {"a.md": "2026-01-31T12:00:00.000Z", "b.md": None}


def test_hidden_document_is_no_leftover_and_waits_for_no_vector(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha")
    catalog.documents.hide([staged.document_key])
    assert catalog.documents.remove_leftovers() == 0
    assert (catalog.pending.n_pending_vectors(), catalog.pending.pending_vectors(limit=9)) == (
        0,
        [],
    )
    catalog.documents.show([staged.document_key])
    assert catalog.pending.n_pending_vectors() == 1
    assert texts(catalog, ALL) == ["alpha"]


def test_deleting_a_hidden_document_takes_nothing_from_the_statistics_twice(
    catalog: SqliteCatalog,
) -> None:
    staged = put(catalog, "alpha")
    put(catalog, "alpha", "b.md")
    catalog.documents.hide([staged.document_key])
    settle(catalog)
    assert catalog.documents.delete([staged.document_key]) == 1
    assert statistics(catalog, ALL, "alpha") == (1, 1)
    assert outbox(catalog) == [("delete", "employee", staged.chunk_keys[0])]
    assert catalog.documents.count_items("s1") == ItemCounts(known=1, missing=0)


def test_new_version_of_a_hidden_document_is_the_only_one_shown(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha|beta")
    catalog.documents.hide([staged.document_key])
    put(catalog, "alpha|gamma")
    assert texts(catalog, ALL) == ["alpha", "gamma"]
    assert statistics(catalog, ALL, "alpha") == (1, 2)
    assert statistics(catalog, ALL, "beta") == (0, 2)
    assert catalog.documents.count_items("s1") == ItemCounts(known=1, missing=0)


def test_hidden_document_found_in_a_higher_folder_is_never_shown_to_those_below(
    catalog: SqliteCatalog,
) -> None:
    staged = put(catalog, "alpha")
    catalog.documents.hide([staged.document_key])
    catalog.documents.move(staged.document_key, item("director/a.md"), tier="director")
    assert (texts(catalog, EMPLOYEE), texts(catalog, ALL)) == ([], ["alpha"])
    assert statistics(catalog, EMPLOYEE, "alpha") == (0, 0)
    assert statistics(catalog, ALL, "alpha") == (1, 1)


def test_hidden_document_whose_item_is_back_unchanged_is_shown(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha")
    catalog.documents.hide([staged.document_key])
    catalog.documents.touch(staged.document_key, item("a.md"))
    assert texts(catalog, ALL) == ["alpha"]


def test_hidden_document_whose_item_is_back_broken_shows_no_old_text(
    catalog: SqliteCatalog,
) -> None:
    staged = put(catalog, "alpha")
    member = put_member(catalog, "beta", staged.document_key)
    catalog.documents.hide([staged.document_key])
    settle(catalog)
    failure = Failure(stage="convert", type="ConversionError", reason="it is broken")
    version = version_of(origin("a.md"), state=DocumentState.FAILED)
    catalog.documents.record_failure(version, failure)
    assert texts(catalog, ALL) == []
    (record,) = catalog.documents.records()
    assert (record.state, record.missing_since, record.n_chunks) == (DocumentState.FAILED, None, 0)
    assert outbox(catalog) == [
        ("delete", "employee", member),
        ("delete", "employee", staged.chunk_keys[0]),
    ]


def test_members_of_an_archive_are_hidden_and_shown_with_it(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha")
    put_member(catalog, "beta", staged.document_key)
    assert catalog.documents.hide([staged.document_key]) == 2
    assert texts(catalog, ALL) == []
    assert catalog.documents.count_items("s1") == ItemCounts(known=1, missing=1)
    assert catalog.documents.show([staged.document_key]) == 2
    assert texts(catalog, ALL) == ["alpha", "beta"]


def test_members_stay_hidden_when_their_archive_has_a_new_version(catalog: SqliteCatalog) -> None:
    staged = put(catalog, "alpha")
    put_member(catalog, "beta", staged.document_key)
    catalog.documents.hide([staged.document_key])
    put(catalog, "alpha")
    assert texts(catalog, ALL) == ["alpha"]
    put_member(catalog, "gamma", staged.document_key)
    assert texts(catalog, ALL) == ["alpha", "gamma"]


def test_known_items_are_narrowed_to_what_lies_at_or_below_a_path(catalog: SqliteCatalog) -> None:
    for path in ("a.md", "a/b.md", "a/c/d.md", "a0.md", "a-b.md", "b.md", "%/x.md"):
        put(catalog, "alpha", path)
    found = [
        [known.relative_path for known in catalog.documents.known_items("s1", within=within)]
        for within in (["a"], ["a/b.md", "b.md"], ["a/c", "a"], ["%"], ["nothing"], [])
    ]
    assert found == [
        ["a/b.md", "a/c/d.md"],
        ["a/b.md", "b.md"],
        ["a/b.md", "a/c/d.md"],
        ["%/x.md"],
        [],
        [],
    ]


def put_member(catalog: SqliteCatalog, text: str, parent: int) -> int:
    """Write a document that is a member of another, and return the key of its only chunk."""

    place = origin("a.md", parent_key=parent, member_path="in.txt")
    document = ConvertedDocument(text=text, syntax="plain")
    version, _ = prepare_version(document, place, chunk_document=cut)
    staged = catalog.documents.stage(version)
    catalog.documents.switch(staged, version)
    return staged.chunk_keys[0]
