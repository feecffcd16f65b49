"""Journey 1 with everything real but the index and the source."""

from datetime import timedelta

import pytest

from citewell.domain.document import ConvertedDocument, DocumentState, FailedMember
from citewell.domain.errors import (
    ConversionError,
    LowDiskSpaceError,
    ProtectedDocumentError,
    SourceUnavailableError,
)
from citewell.domain.source import RejectedItem
from conftest import ALL, EMPLOYEE, World


def test_new_file_becomes_searchable_and_then_indexed(world: World) -> None:
    world.connector.put("employee/a.md", "# Title\n\nalpha beta")
    counts, told = world.sync()
    assert (counts.added, counts.chunks_written, told.n_to_read) == (1, 1, 1)
    assert world.states() == {"employee/a.md": "searchable"}
    assert world.fill() == 1
    assert world.states() == {"employee/a.md": "indexed"}
    assert world.index_is_exact()


def test_unchanged_file_is_not_read_again(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.sync()
    world.connector.reads.clear()
    counts, _ = world.sync()
    assert (counts.skipped, world.connector.reads) == (1, [])


def test_touched_file_is_read_but_not_converted_again(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.sync()
    world.connector.put("employee/a.md", "alpha")
    world.converter.converted.clear()
    counts, _ = world.sync()
    assert (counts.skipped, world.converter.converted) == (1, [])


def test_edited_file_shows_the_new_version_only(world: World) -> None:
    world.connector.put("employee/a.md", "# A\n\nold text\n\n# B\n\nkept text that is not edited")
    world.sync()
    world.fill()
    world.connector.put("employee/a.md", "# A\n\nnew text\n\n# B\n\nkept text that is not edited")
    counts, _ = world.sync()
    assert counts.updated == 1
    assert "old text" not in " ".join(world.texts())
    assert "new text" in " ".join(world.texts())
    assert world.index_is_exact()


def test_deleted_file_is_gone_everywhere(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.connector.put("employee/b.md", "beta")
    world.sync()
    world.fill()
    world.connector.remove("employee/a.md")
    counts, _ = world.sync()
    assert (counts.deleted, world.texts()) == (1, ["beta"])
    assert world.index_is_exact()
    assert len(world.vectors.keys()) == 1


def test_renamed_file_is_neither_converted_nor_embedded_again(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.sync()
    world.fill()
    world.connector.rename("employee/a.md", "employee/sub/b.md")
    world.converter.converted.clear()
    counts, _ = world.sync()
    assert (counts.moved, counts.deleted, counts.added) == (1, 0, 0)
    assert world.converter.converted == []
    assert world.states() == {"employee/sub/b.md": "indexed"}


def test_move_to_a_higher_tier_hides_from_those_below(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.sync()
    world.fill()
    world.connector.rename("employee/a.md", "director/a.md")
    world.sync()
    assert (world.texts(EMPLOYEE), world.texts(ALL)) == ([], ["alpha"])
    assert world.index_is_exact()


def test_file_outside_the_tier_folders_is_rejected_loudly(world: World) -> None:
    world.connector.put("loose.md", "alpha")
    world.connector.put("employee/a.md", "beta")
    counts, _ = world.sync()
    (record,) = [r for r in world.catalog.documents.records() if r.relative_path == "loose.md"]
    assert (counts.failed, counts.added) == (1, 1)
    assert record.state is DocumentState.UNSUPPORTED
    assert record.failure is not None
    assert "outside the tier folders" in record.failure.reason
    assert world.texts() == ["beta"]


def test_file_that_leaves_its_tier_folder_is_no_longer_readable(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.sync()
    world.connector.rename("employee/a.md", "a.md")
    world.sync()
    assert world.texts() == []
    assert world.index_is_exact()


def test_folder_that_cannot_be_listed_loses_no_documents(world: World) -> None:
    world.connector.put("employee/sub/a.md", "alpha")
    world.connector.put("employee/b.md", "beta")
    world.sync()
    world.connector.remove("employee/sub/a.md")
    world.connector.rejected = [
        RejectedItem("employee/sub", "permission denied", may_hold_items=True)
    ]
    counts, _ = world.sync()
    assert (counts.deleted, world.texts()) == (0, ["beta", "alpha"])


def test_rejected_item_is_listed_once_with_its_reason(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.connector.rejected = [RejectedItem("employee/link", "the link leads outside")]
    first, _ = world.sync()
    second, _ = world.sync()
    assert (first.failed, second.failed) == (1, 0)
    assert world.states() == {"employee/a.md": "searchable", "employee/link": "unsupported"}


def test_one_bad_file_does_not_stop_the_others(world: World) -> None:
    for name in ("a", "b", "c"):
        world.connector.put(f"employee/{name}.md", name)
    world.converter.failing["employee/b.md"] = ConversionError("it is broken")
    counts, told = world.sync()
    assert (counts.added, counts.failed) == (2, 1)
    assert world.states() == {
        "employee/a.md": "searchable",
        "employee/b.md": "failed",
        "employee/c.md": "searchable",
    }
    assert [o.reason for o in told.outcomes if o.reason] == ["it is broken"]


def test_fault_of_ours_in_one_file_does_not_stop_the_others(world: World) -> None:
    def fail_for_a(path: str) -> None:
        if path == "employee/a.md":
            raise ZeroDivisionError("text of the document")

    world.connector.on_read = fail_for_a
    for name in ("a", "b", "c"):
        world.connector.put(f"employee/{name}.md", name)
    world.converter.failing["employee/b.md"] = ValueError("text of the document")
    counts, told = world.sync()
    assert (counts.added, counts.failed) == (1, 2)
    assert sorted(o.reason for o in told.outcomes if o.reason) == [
        "an unexpected error: ValueError",
        "an unexpected error: ZeroDivisionError",
    ]


def test_failure_of_an_edit_keeps_the_version_before(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.sync()
    world.connector.put("employee/a.md", "beta")
    world.converter.failing["employee/a.md"] = ConversionError("it is broken")
    world.sync()
    assert world.texts() == ["alpha"]


def test_failure_is_retried_with_growing_pauses_and_then_quarantined(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.converter.failing["employee/a.md"] = ConversionError("it is broken")
    tries: list[int] = []
    for _ in range(400):
        world.converter.converted.clear()
        world.sync()
        tries += [len(world.converter.converted)]
        world.now += timedelta(minutes=1)
    assert sum(tries) == 5
    assert world.states() == {"employee/a.md": "quarantined"}
    world.converter.failing.clear()
    world.connector.put("employee/a.md", "alpha repaired")
    world.sync()
    assert world.states() == {"employee/a.md": "searchable"}


def test_protected_file_waits_for_a_change(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.converter.failing["employee/a.md"] = ProtectedDocumentError()
    world.sync()
    world.now += timedelta(days=30)
    world.converter.converted.clear()
    world.sync()
    assert (world.states(), world.converter.converted) == ({"employee/a.md": "protected"}, [])


def test_file_that_is_too_large_is_recorded(world: World) -> None:
    world.connector.put("employee/a.md", "x" * 20_000)
    world.sync()
    (record,) = world.catalog.documents.records()
    assert record.failure is not None
    assert (record.state, record.failure.stage) == (DocumentState.FAILED, "read")


def test_members_of_an_archive_are_documents_of_their_own(world: World) -> None:
    world.connector.put("employee/z.zip", "bytes")
    world.converter.results["employee/z.zip"] = [
        ConvertedDocument(text="alpha", syntax="plain", member_path="in/a.txt"),
        FailedMember("in/b.bin", DocumentState.UNSUPPORTED, "UnsupportedDocumentError", "binary"),
    ]
    world.sync()
    assert world.states() == {
        "employee/z.zip": "empty",
        "employee/z.zip/in/a.txt": "searchable",
        "employee/z.zip/in/b.bin": "unsupported",
    }
    counts, _ = world.sync()
    assert counts.skipped == 1
    world.connector.put("employee/z.zip", "other bytes")
    world.converter.results["employee/z.zip"] = [
        ConvertedDocument(text="beta", syntax="plain", member_path="in/c.txt")
    ]
    world.sync()
    assert (sorted(world.states()), world.texts()) == (
        ["employee/z.zip", "employee/z.zip/in/c.txt"],
        ["beta"],
    )
    assert world.index_is_exact()


def test_unavailable_source_deletes_nothing(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.sync()
    world.connector.is_available = False
    with pytest.raises(SourceUnavailableError):
        world.sync()
    assert world.texts() == ["alpha"]
    assert world.catalog.sources.status_of("s1").state == "unavailable"
    assert [run.state for run in world.catalog.runs.history()].count("failed") == 1


def test_low_disk_space_stops_ingestion_and_keeps_what_is_there(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.sync()
    world.connector.put("employee/b.md", "beta")
    world.space_error = LowDiskSpaceError("full")
    with pytest.raises(LowDiskSpaceError):
        world.sync()
    assert world.texts() == ["alpha"]
    world.space_error = None
    world.sync()
    assert world.texts() == ["alpha", "beta"]


def test_another_recipe_makes_all_documents_anew_and_keeps_equal_chunks(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.sync()
    world.fill()
    world.converter.revision = 2
    counts, _ = world.sync()
    assert (counts.updated, counts.chunks_written, counts.embeddings_reused) == (1, 0, 1)
    assert world.states() == {"employee/a.md": "indexed"}


def test_two_files_with_equal_bytes_are_two_documents(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.connector.put("employee/b.md", "alpha")
    world.sync()
    assert world.texts() == ["alpha", "alpha"]
    world.connector.remove("employee/a.md")
    world.sync()
    assert world.states() == {"employee/b.md": "searchable"}


def test_files_that_swap_names_keep_their_texts_apart(world: World) -> None:
    world.connector.put("employee/a.md", "alpha")
    world.connector.put("employee/b.md", "beta")
    world.sync()
    world.connector.put("employee/a.md", "beta")
    world.connector.put("employee/b.md", "alpha")
    world.sync()
    assert world.texts() == ["beta", "alpha"]
    assert world.index_is_exact()
