"""When a deletion is taken for an accident, and when what is missing is erased."""

from datetime import UTC, datetime, timedelta

import pytest

from citewell.domain.document import DocumentState
from citewell.domain.record import ItemCounts, KnownItem
from citewell.ingestion.deletions import DeletionOptions, erasable, is_mass_deletion

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("known", "missing", "expected"),
    [(21, 11, True), (21, 10, False), (20, 20, False), (22, 11, False), (22, 12, True)],
)
def test_more_than_half_of_more_than_twenty_is_a_mass(
    known: int, missing: int, expected: bool
) -> None:
    assert is_mass_deletion(ItemCounts(known, missing), DeletionOptions()) is expected


def test_share_and_size_can_be_chosen() -> None:
    options = DeletionOptions(mass_share=0.1, mass_min_documents=5)
    assert is_mass_deletion(ItemCounts(10, 2), options)
    assert not is_mass_deletion(ItemCounts(10, 1), options)
    assert not is_mass_deletion(ItemCounts(5, 5), options)


def test_share_of_one_never_holds() -> None:
    assert not is_mass_deletion(ItemCounts(100, 100), DeletionOptions(mass_share=1))


def missing_item(since: datetime | None, held_until: datetime | None = None) -> KnownItem:
    return KnownItem(
        1,
        "a.md",
        "f",
        "sha",
        "r",
        "employee",
        DocumentState.SEARCHABLE,
        missing_since=since and since.isoformat(),
        held_until=held_until and held_until.isoformat(),
    )


def due(*items: KnownItem, min_age_s: int = 0, confirmed: bool = False) -> list[KnownItem]:
    age = timedelta(seconds=min_age_s)
    return erasable(items, now=NOON, min_age=age, confirmed=confirmed)


def test_missing_item_is_erased_after_the_age_asked_for() -> None:
    young, old = missing_item(NOON - timedelta(seconds=9)), missing_item(NOON - timedelta(days=1))
    assert due(young, old) == [young, old]
    assert due(young, old, min_age_s=10) == [old]


def test_held_item_is_erased_when_its_time_has_come_or_someone_says_so() -> None:
    since = NOON - timedelta(hours=1)
    early, late = missing_item(since, NOON), missing_item(since, NOON + timedelta(seconds=1))
    assert due(early, late) == [early]
    assert due(early, late, confirmed=True) == [early, late]


def test_item_that_is_not_hidden_is_never_erased() -> None:
    assert due(missing_item(None)) == []
