"""From a source's access rule and an item's path to the item's tier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citewell.domain.source import Source


@dataclass(frozen=True, slots=True)
class TierRejection:
    """Why a path has no tier.

    Attributes:
        reason: One sentence that says what to do.
    """

    reason: str


def tier_of_path(
    source: Source, relative_path: str, *, tiers: Sequence[str]
) -> str | TierRejection:
    """Return the tier of an item, or why it has none (SAF2).

    A source with a fixed tier gives that tier to everything. In a folder-per-tier source the first
    folder of the path names the tier, exactly as configured. A source with neither rule is
    readable at the highest tier only.

    Args:
        source: Where the item lies.
        relative_path: With `/`.
        tiers: All tiers of this installation, lowest first.
    """
    if source.folder_per_tier:
        first, separator, _ = relative_path.partition("/")
        if not separator:
            return TierRejection(
                f"lies outside the tier folders: move it into one of {', '.join(tiers)}"
            )
        if first not in tiers:
            return TierRejection(f"lies in {first!r}, which is not a tier: {', '.join(tiers)}")
        return first
    if source.tier is None:
        return tiers[-1]
    if source.tier not in tiers:
        return TierRejection(
            f"its source has the tier {source.tier!r}, which is not a tier: {', '.join(tiers)}"
        )
    return source.tier


def is_raised(old: str, new: str, *, tiers: Sequence[str]) -> bool:
    """Return whether moving from `old` to `new` hides text from someone."""
    order = list(tiers)
    return old not in order or new not in order or order.index(new) > order.index(old)
