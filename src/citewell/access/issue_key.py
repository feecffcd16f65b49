"""Making a new key."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import cast, get_args

from citewell.access.api_keys import digest_of, new_key_text, prefix_of
from citewell.domain.api_key import ApiKey
from citewell.domain.clearance import Scope
from citewell.domain.errors import UsageError
from citewell.ports.key_store import StoredKey

_LIFETIME = re.compile(r"(\d{1,5})([hdw])", flags=re.ASCII)
_HOURS = {"h": 1, "d": 24, "w": 168}
_MAX_LIFETIME = timedelta(days=3650)
_MAX_NAME_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made.

    Attributes:
        stored: What is kept of it.
        text: The key itself: shown once to whoever made it, and kept nowhere.
    """

    stored: StoredKey
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeyRequest:
    """What a new key is to be.

    Attributes:
        name: What it is called: 1 to 100 printable characters.
        tier: The highest tier that it reads.
        scopes: What it may do; at least one of `ask`, `sync` and `admin`.
        lifetime: Hours, days or weeks, e.g. `90d`, at most ten years; or `never` to expire.
    """

    name: str
    tier: str
    scopes: Sequence[str] = ("ask",)
    lifetime: str = "90d"


def issue_key(request: KeyRequest, *, tiers: Sequence[str], now: datetime) -> NewKey:
    """Return a new key; nothing is stored yet.

    Args:
        request: What it is to be.
        tiers: All tiers of this installation, lowest first.
        now: The present moment.

    Raises:
        UsageError: Something in the request is not valid; the message says what is.
    """
    text = new_key_text()
    lifetime = _lifetime(request.lifetime)
    key = ApiKey(
        id=secrets.token_hex(16),
        prefix=prefix_of(text) or "",
        name=_name(request.name),
        tier=_tier(request.tier, tiers),
        scopes=_scopes(request.scopes),
        created_at=_iso(now),
        expires_at=None if lifetime is None else _iso(now + lifetime),
    )
    return NewKey(StoredKey(key, digest_of(text)), text)


def _name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > _MAX_NAME_CHARACTERS or not name.isprintable():
        raise UsageError(
            f"the name of a key has 1 to {_MAX_NAME_CHARACTERS} printable characters: give --name"
        )
    return name


def _tier(tier: str, tiers: Sequence[str]) -> str:
    if tier not in tiers:
        raise UsageError(f"unknown tier {tier!r}: this installation has {', '.join(tiers)}")
    return tier


def _scopes(scopes: Sequence[str]) -> tuple[Scope, ...]:
    known = get_args(Scope)
    unknown = [scope for scope in scopes if scope not in known]
    if unknown or not scopes:
        given = repr(unknown[0]) if unknown else "none"
        raise UsageError(f"unknown scope {given}: a key has one or more of {', '.join(known)}")
    return tuple(cast("Scope", scope) for scope in known if scope in scopes)


def _lifetime(text: str) -> timedelta | None:
    if text == "never":
        return None
    match = _LIFETIME.fullmatch(text)
    lifetime = timedelta(hours=int(match[1]) * _HOURS[match[2]]) if match else timedelta(0)
    if not timedelta(0) < lifetime <= _MAX_LIFETIME:
        raise UsageError(
            f"{text!r} is not when a key expires: give hours, days or weeks, as in 12h, 90d or 8w,"
            " at most 3650d, or `never`"
        )
    return lifetime


def _iso(moment: datetime) -> str:
    """Return a moment as the catalog writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
