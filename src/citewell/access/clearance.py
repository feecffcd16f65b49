"""From a principal to the tiers that a request may read; the only place that makes a clearance."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.domain.clearance import Clearance, Principal
from citewell.domain.errors import UsageError


def clearance_of(
    principal: Principal, *, tiers: Sequence[str], narrowed_to: str | None = None
) -> Clearance:
    """Return the tiers that a request of `principal` may read: its own tier and those below.

    Args:
        principal: Who asks.
        tiers: All tiers of this installation, lowest first.
        narrowed_to: A tier to read as; never widens.

    Raises:
        UsageError: A tier is unknown, or `narrowed_to` lies above the principal's tier. Both give
            the same message, so that nothing is said about what lies above.
    """
    order = list(tiers)
    if principal.tier not in order:
        raise UsageError(f"unknown tier {principal.tier!r}: this installation has {_listed(order)}")
    own = order.index(principal.tier)
    readable = order[: own + 1]
    if narrowed_to is None:
        return Clearance(tuple(readable))
    if narrowed_to not in readable:
        raise UsageError(f"unknown tier {narrowed_to!r}: you may read as {_listed(readable)}")
    return Clearance(tuple(order[: order.index(narrowed_to) + 1]))


def _listed(tiers: Sequence[str]) -> str:
    return ", ".join(tiers)
