"""Tiers, principals and the clearance that every retrieval function demands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clearance:
    """The tiers that one request may read.

    There is no "all tiers" constant, no default and no empty clearance. Only
    `citewell.access.clearance` makes one in production code.

    Attributes:
        tiers: Non-empty, lowest tier first, without repetition.
    """

    tiers: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse a clearance that could be mistaken for "no restriction"."""
        if not self.tiers or len(set(self.tiers)) != len(self.tiers) or "" in self.tiers:
            raise ValueError("a clearance needs at least one tier, each named once")

    def allows(self, tier: str) -> bool:
        """Return whether text of `tier` may be read."""
        return tier in self.tiers


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks.

    Attributes:
        name: Shown in logs and history; not secret.
        tier: The highest tier that this principal reads.
    """

    name: str
    tier: str
