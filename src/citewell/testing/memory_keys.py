"""A key store in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from typing_extensions import override

from citewell.domain.api_key import ApiKey
from citewell.domain.errors import UsageError
from citewell.ports.key_store import KeyStore, StoredKey


class MemoryKeys(KeyStore):
    """Keeps keys as long as it lives."""

    def __init__(self, *, now: Callable[[], datetime]) -> None:
        """Take a clock."""
        self._now = now
        self._stored: list[StoredKey] = []

    @override
    def add(self, stored: StoredKey) -> None:
        for known in self.list_keys():
            if known.name == stored.key.name and known.revoked_at is None:
                raise UsageError(f"there is a key with the name {known.name!r}")
            if stored.key.prefix == known.prefix or stored.key.id == known.id:
                raise ValueError("a key has this prefix or this id")
        self._stored.insert(0, stored)

    @override
    def find(self, prefix: str) -> StoredKey | None:
        return next((stored for stored in self._stored if stored.key.prefix == prefix), None)

    @override
    def find_by_id(self, key_id: str) -> ApiKey | None:
        return next((key for key in self.list_keys() if key.id == key_id), None)

    @override
    def list_keys(self) -> Sequence[ApiKey]:
        return [stored.key for stored in self._stored]

    @override
    def is_empty(self) -> bool:
        return not self._stored

    @override
    def revoke(self, name_or_prefix: str) -> ApiKey | None:
        keys = self.list_keys()
        named = [k for k in keys if k.name == name_or_prefix and k.revoked_at is None]
        prefixed = [k for k in keys if k.prefix == name_or_prefix]
        for key in (*named, *prefixed)[:1]:
            moment = self._now().astimezone(UTC).isoformat(timespec="milliseconds")
            return self._change(key, revoked_at=key.revoked_at or moment.replace("+00:00", "Z"))
        return None

    @override
    def note_use(self, key_id: str, *, day: str) -> None:
        key = self.find_by_id(key_id)
        if key is not None and (key.last_used_on or "") < day:
            self._change(key, last_used_on=day)

    def _change(self, key: ApiKey, **values: str) -> ApiKey:
        position = next(i for i, stored in enumerate(self._stored) if stored.key.id == key.id)
        changed = replace(key, **values)  # pyright: ignore[reportArgumentType] - only its texts
        self._stored[position] = replace(self._stored[position], key=changed)
        return changed
