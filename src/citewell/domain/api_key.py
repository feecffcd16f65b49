"""Keys that programs and people present instead of a password."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from citewell.domain.clearance import Scope

KeyState = Literal["active", "expired", "revoked"]


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is known of a key; its secret is not.

    Moments are ISO 8601 in UTC.

    Attributes:
        id: Random, 128 bit; what is asked with the key belongs to it.
        prefix: The part of the key that is shown and looked up; unique.
        name: What its maker calls it; unique among the keys that are not revoked.
        tier: The highest tier that it reads.
        scopes: What it may do, sorted.
        created_at: When it was made.
        expires_at: From when on it is refused; None means never.
        revoked_at: When it was revoked; None means that it was not.
        last_used_on: The day on which it was last used, e.g. `2026-01-31`; None means not yet.
    """

    id: str
    prefix: str
    name: str
    tier: str
    scopes: tuple[Scope, ...]
    created_at: str
    expires_at: str | None = None
    revoked_at: str | None = None
    last_used_on: str | None = None

    def state_at(self, moment: datetime) -> KeyState:
        """Return how it stands at a moment that has a time zone."""
        if self.revoked_at is not None:
            return "revoked"
        if self.expires_at is not None and datetime.fromisoformat(self.expires_at) <= moment:
            return "expired"
        return "active"
