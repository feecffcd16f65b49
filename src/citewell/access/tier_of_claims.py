"""From what an issuer says of somebody to a tier and scopes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from citewell.domain.clearance import Scope

_MAX_VALUES = 1_000
_READER: frozenset[Scope] = frozenset({"ask"})
_OPERATOR: frozenset[Scope] = frozenset({"ask", "sync", "admin"})


@dataclass(frozen=True, slots=True)
class ClaimRules:
    """What the claims of an issuer mean here.

    Attributes:
        claim: Name of the claim that decides; where no claim has that name, its parts between dots
            lead into claims that are objects.
        tiers: A value of it, exactly as written, to a tier.
        operators: Values of it whose owners start syncs and see what operators see.
    """

    claim: str
    tiers: Mapping[str, str]
    operators: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Standing:
    """What somebody may do here.

    Attributes:
        tier: The highest that they read.
        scopes: What they may do.
    """

    tier: str
    scopes: frozenset[Scope]


def standing_of(
    claims: Mapping[str, Any], rules: ClaimRules, *, tiers: Sequence[str]
) -> Standing | None:
    """Return what the claims give; None if they give nothing, which is no lowest tier but no entry.

    Of several values that have a tier the highest counts, as somebody in two groups is in both.

    Args:
        claims: Verified.
        rules: What they mean.
        tiers: All tiers of this installation, lowest first.
    """
    values = _values(claims, rules.claim)
    order = list(tiers)
    given = [rules.tiers[value] for value in values if value in rules.tiers]
    known = [tier for tier in given if tier in order]
    if not known:
        return None
    is_operator = not rules.operators.isdisjoint(values)
    return Standing(max(known, key=order.index), _OPERATOR if is_operator else _READER)


def _values(claims: Mapping[str, Any], name: str) -> Sequence[str]:
    """Return the texts of a claim; none where it holds anything else."""
    value = claims[name] if name in claims else _inner(claims, name)
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return []
    values = cast("list[Any]", value)
    if len(values) > _MAX_VALUES or not all(isinstance(each, str) for each in values):
        return []
    return values


def _inner(claims: Mapping[str, Any], path: str) -> object:
    value: Any = claims
    for part in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = cast("Mapping[str, Any]", value).get(part)
    return value
