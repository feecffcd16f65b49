"""What changed in a source since the last sync."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from citewell.domain.document import DocumentState
from citewell.domain.record import KnownItem
from citewell.domain.source import SourceItem

_RETRIED = {DocumentState.FAILED, DocumentState.QUARANTINED}


@dataclass(frozen=True, slots=True)
class Diff:
    """The outcome of comparing a scan with the catalog; nothing was read for it.

    Attributes:
        to_read: Items that are new or may have changed, with what is known of each.
        unchanged: Items that need no reading.
        vanished: Known items that the scan did not find.
    """

    to_read: tuple[tuple[SourceItem, KnownItem | None], ...]
    unchanged: tuple[tuple[SourceItem, KnownItem], ...]
    vanished: tuple[KnownItem, ...]


def diff_items(
    items: Sequence[SourceItem],
    known: Sequence[KnownItem],
    *,
    recipe: str,
    now: datetime,
    retry: bool = False,
) -> Diff:
    """Compare the items of a scan with those of the last sync.

    An item is unchanged when its fingerprint and recipe are, and no retry of a failure is due.

    Args:
        items: As scanned.
        known: As of the last sync.
        recipe: Converter, chunking and analysis in use.
        now: With a time zone; decides which retries are due.
        retry: All that failed is due, what waits for a change too.
    """
    known_by_path = {item.relative_path: item for item in known}
    to_read: list[tuple[SourceItem, KnownItem | None]] = []
    unchanged: list[tuple[SourceItem, KnownItem]] = []
    for item in items:
        before = known_by_path.pop(item.relative_path, None)
        is_due = retry and before is not None and before.state in _RETRIED
        if before is not None and not is_due and _is_unchanged(item, before, recipe, now):
            unchanged.append((item, before))
        else:
            to_read.append((item, before))
    return Diff(tuple(to_read), tuple(unchanged), tuple(known_by_path.values()))


def _is_unchanged(item: SourceItem, known: KnownItem, recipe: str, now: datetime) -> bool:
    if not item.fingerprint or item.fingerprint != known.fingerprint or known.recipe != recipe:
        return False
    if known.failure is None or known.failure.next_retry_at is None:
        return True
    return datetime.fromisoformat(known.failure.next_retry_at) > now
