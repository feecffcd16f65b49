"""When what a source does not hold any more is erased, and when that waits for a confirmation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from citewell.domain.record import ItemCounts, KnownItem


@dataclass(frozen=True, slots=True)
class DeletionOptions:
    """When deletions are taken for an accident, e.g. a disk that is gone.

    Attributes:
        mass_share: More than this share of a source missing is a mass deletion; in (0, 1].
        mass_min_documents: A source of at most so many documents has none.
        hold: How long a mass deletion waits before a scan that agrees erases it.
    """

    mass_share: float = 0.5
    mass_min_documents: int = 20
    hold: timedelta = timedelta(hours=1)


def is_mass_deletion(counts: ItemCounts, options: DeletionOptions) -> bool:
    """Return whether so many items of a source are missing that a person should confirm it."""
    many = counts.known > options.mass_min_documents
    return many and counts.missing > counts.known * options.mass_share


def erasable(
    missing: Sequence[KnownItem], *, now: datetime, min_age: timedelta, confirmed: bool
) -> list[KnownItem]:
    """Return those of the missing items that may be erased.

    Args:
        missing: Hidden, and just looked for in vain.
        now: With a time zone.
        min_age: How long they must have been missing, where nothing holds them.
        confirmed: Someone said that they are meant to be gone.
    """
    return [item for item in missing if confirmed or _is_due(item, now, min_age)]


def _is_due(item: KnownItem, now: datetime, min_age: timedelta) -> bool:
    if item.held_until is not None:
        return datetime.fromisoformat(item.held_until) <= now
    if item.missing_since is None:
        return False
    return datetime.fromisoformat(item.missing_since) + min_age <= now
