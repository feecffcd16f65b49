"""Tiers, principals and the clearance that every retrieval function demands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Scope = Literal["ask", "sync", "admin"]
"""What a credential is good for: reading and asking; starting syncs; what operators see and do."""

CredentialKind = Literal["local", "key", "token"]
"""The owner of the data folder on this machine, an API key, or a token of an identity provider."""


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
    """Who asks, as an authenticator made it of a credential.

    Attributes:
        id: Random or a keyed hash, never the credential itself; stable as long as who asks is the
            same, so that conversations are found again. It may stand in logs and history.
        tier: The highest tier that this principal reads.
        scopes: What the credential is good for.
        kind: Which sort of credential it was.
        credential_id: Which credential it was, for its revocation; "" for the local owner.
        expires_at: Seconds since the epoch from which on the credential is not valid, or None.
    """

    id: str
    tier: str
    scopes: frozenset[Scope] = frozenset({"ask"})
    kind: CredentialKind = "local"
    credential_id: str = ""
    expires_at: float | None = None
