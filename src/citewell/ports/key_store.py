"""The port to the keys that were given out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.domain.api_key import ApiKey


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key as it is kept.

    Attributes:
        key: What is known of it.
        digest: `access.api_keys.digest_of` of its text; 32 bytes.
    """

    key: ApiKey
    digest: bytes


class KeyStore(Protocol):
    """Keeps digests of keys, never a key.

    A change is seen by the next call of any process: nothing is remembered between calls.
    """

    def add(self, stored: StoredKey) -> None:
        """Keep a new key.

        Raises:
            UsageError: A key that is not revoked has this name.
            ValueError: A key has this prefix or this id.
        """
        ...

    def find(self, prefix: str) -> StoredKey | None:
        """Return the key with exactly this prefix, also an expired or revoked one."""
        ...

    def find_by_id(self, key_id: str) -> ApiKey | None:
        """Return the key with this id, also an expired or revoked one."""
        ...

    def list_keys(self) -> Sequence[ApiKey]:
        """Return all keys, the newest first."""
        ...

    def is_empty(self) -> bool:
        """Return whether no key was ever added."""
        ...

    def revoke(self, name_or_prefix: str) -> ApiKey | None:
        """Revoke the key of this name that is not revoked, else the one with this prefix.

        Returns:
            The key as it is now; one that was revoked before keeps its moment. None: there is no
            such key.
        """
        ...

    def note_use(self, key_id: str, *, day: str) -> None:
        """Note the day on which a key was used, if that is later than what is noted.

        It never waits for another writer: then the use may stay unnoted until the next call.
        """
        ...
