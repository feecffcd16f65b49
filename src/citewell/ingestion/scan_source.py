"""Listing a source, with the tier of each item decided."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.access.tier_of_path import TierRejection, tier_of_path
from citewell.domain.errors import SourceEmptyError, SourceUnavailableError
from citewell.domain.source import RejectedItem, SourceItem
from citewell.ingestion.sync_parts import Run


def scan_source(
    run: Run, within: Sequence[str] | None, *, confirmed: bool
) -> tuple[list[SourceItem], list[RejectedItem]]:
    """Return the items of a source and what is rejected, and record whether it is available.

    An item whose path has no tier is rejected.

    Args:
        run: Whose source it is.
        within: As in `Connector.scan`.
        confirmed: An empty source is meant to be empty.

    Raises:
        SourceUnavailableError: It cannot be read.
    """
    registry, source = run.parts.registry, run.source
    try:
        found = list(run.connector.scan(within))
    except SourceUnavailableError as error:
        if not (confirmed and isinstance(error, SourceEmptyError)):
            registry.set_state(source.id, "unavailable", str(error))
            raise
        found = []
    if registry.status_of(source.id).state != "available":
        registry.set_state(source.id, "available")
    items: list[SourceItem] = []
    rejected: list[RejectedItem] = []
    for entry in found:
        if isinstance(entry, RejectedItem):
            rejected.append(entry)
            continue
        tier = tier_of_path(source, entry.relative_path, tiers=run.parts.options.tiers)
        if isinstance(tier, TierRejection):
            rejected.append(RejectedItem(entry.relative_path, tier.reason))
        else:
            items.append(entry)
    return items, rejected
