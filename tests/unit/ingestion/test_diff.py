from datetime import UTC, datetime

from citewell.domain.document import DocumentState
from citewell.domain.record import Failure, KnownItem
from citewell.domain.source import SourceItem
from citewell.ingestion.diff import diff_items

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def item(path: str, fingerprint: str = "f1") -> SourceItem:
    return SourceItem(path, 10, 0, "", fingerprint)


def known(path: str, *, recipe: str = "r1", failure: Failure | None = None) -> KnownItem:
    return KnownItem(1, path, "f1", "sha", recipe, "employee", DocumentState.INDEXED, failure, 10)


def failed(next_retry_at: str | None) -> Failure:
    return Failure("convert", "ConversionError", "broken", 1, next_retry_at)


def test_new_item_is_read() -> None:
    diff = diff_items([item("a.md")], [], recipe="r1", now=NOON)
    assert diff.to_read == ((item("a.md"), None),)


def test_item_with_the_same_fingerprint_is_not_read() -> None:
    diff = diff_items([item("a.md")], [known("a.md")], recipe="r1", now=NOON)
    assert (diff.to_read, diff.unchanged, diff.vanished) == (
        (),
        ((item("a.md"), known("a.md")),),
        (),
    )


def test_item_with_another_fingerprint_is_read() -> None:
    changed = item("a.md", "f2")
    diff = diff_items([changed], [known("a.md")], recipe="r1", now=NOON)
    assert diff.to_read == ((changed, known("a.md")),)


def test_item_without_a_fingerprint_is_always_read() -> None:
    unsure = item("a.md", "")
    diff = diff_items([unsure], [known("a.md")], recipe="r1", now=NOON)
    assert diff.to_read == ((unsure, known("a.md")),)


def test_another_recipe_reads_everything_again() -> None:
    diff = diff_items([item("a.md")], [known("a.md")], recipe="r2", now=NOON)
    assert diff.to_read == ((item("a.md"), known("a.md")),)


def test_item_that_was_not_found_has_vanished() -> None:
    diff = diff_items([], [known("a.md")], recipe="r1", now=NOON)
    assert diff.vanished == (known("a.md"),)


def test_failure_is_tried_again_when_its_time_has_come() -> None:
    due = known("a.md", failure=failed("2026-01-31T11:59:59+00:00"))
    later = known("b.md", failure=failed("2026-01-31T12:00:01+00:00"))
    never = known("c.md", failure=failed(None))
    items = [item("a.md"), item("b.md"), item("c.md")]
    diff = diff_items(items, [due, later, never], recipe="r1", now=NOON)
    assert diff.to_read == ((item("a.md"), due),)
