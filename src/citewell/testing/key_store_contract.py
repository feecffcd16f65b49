"""What every key store must keep; subclass it with the fixture `store`."""

# ruff: noqa: D102, S101 - these are tests: their names state the facts, asserts are their means

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from citewell.domain.api_key import ApiKey
from citewell.domain.errors import UsageError
from citewell.ports.key_store import KeyStore, StoredKey

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
"""What the clock of the fixture `store` says."""
REVOKED_AT = "2026-11-30T12:00:00.000Z"


def stored(name: str = "reader", prefix: str = "aaaaaaaaaaaa") -> StoredKey:
    """Return a key with every field filled but those that a store fills."""
    key = ApiKey(
        id=f"id of {prefix}",
        prefix=prefix,
        name=name,
        tier="manager",
        scopes=("ask", "sync"),
        created_at="2026-11-30T11:00:00.000Z",
        expires_at="2027-02-28T11:00:00.000Z",
    )
    return StoredKey(key, bytes(range(32)))


class KeyStoreContract:
    """Tests of a store that is empty at first."""

    def test_new_store_is_empty(self, store: KeyStore) -> None:
        assert (store.is_empty(), list(store.list_keys())) == (True, [])

    def test_key_is_found_by_its_prefix_and_its_id_as_it_was_added(self, store: KeyStore) -> None:
        kept = stored()
        store.add(kept)
        assert store.find(kept.key.prefix) == kept
        assert store.find_by_id(kept.key.id) == kept.key
        assert store.is_empty() is False

    @pytest.mark.parametrize("prefix", ["aaaaaaaaaaab", "aaaaaaaaaaa", "AAAAAAAAAAAA", "%", ""])
    def test_other_prefix_finds_nothing(self, store: KeyStore, prefix: str) -> None:
        store.add(stored())
        assert store.find(prefix) is None

    def test_id_is_no_prefix_and_prefix_is_no_id(self, store: KeyStore) -> None:
        store.add(stored())
        assert (store.find("id of aaaaaaaaaaaa"), store.find_by_id("aaaaaaaaaaaa")) == (None, None)

    def test_keys_are_listed_newest_first(self, store: KeyStore) -> None:
        first, second = stored(), stored("other", "bbbbbbbbbbbb")
        store.add(first)
        store.add(second)
        assert list(store.list_keys()) == [second.key, first.key]

    def test_key_without_end_has_none(self, store: KeyStore) -> None:
        endless = replace(stored(), key=replace(stored().key, expires_at=None))
        store.add(endless)
        assert store.find(endless.key.prefix) == endless

    def test_two_keys_do_not_share_a_name(self, store: KeyStore) -> None:
        store.add(stored())
        with pytest.raises(UsageError, match="reader"):
            store.add(stored("reader", "bbbbbbbbbbbb"))
        assert list(store.list_keys()) == [stored().key]

    def test_name_of_a_revoked_key_is_free(self, store: KeyStore) -> None:
        store.add(stored())
        store.revoke("reader")
        store.add(stored("reader", "bbbbbbbbbbbb"))
        assert [key.prefix for key in store.list_keys()] == ["bbbbbbbbbbbb", "aaaaaaaaaaaa"]

    def test_two_keys_do_not_share_a_prefix(self, store: KeyStore) -> None:
        store.add(stored())
        with pytest.raises(ValueError, match="prefix"):
            store.add(stored("other"))

    @pytest.mark.parametrize("selector", ["reader", "aaaaaaaaaaaa"])
    def test_revoked_key_is_found_as_revoked(self, store: KeyStore, selector: str) -> None:
        store.add(stored())
        store.add(stored("other", "bbbbbbbbbbbb"))
        revoked = replace(stored().key, revoked_at=REVOKED_AT)
        assert store.revoke(selector) == revoked
        assert store.find("aaaaaaaaaaaa") == replace(stored(), key=revoked)
        assert store.find_by_id(revoked.id) == revoked
        assert store.find("bbbbbbbbbbbb") == stored("other", "bbbbbbbbbbbb")

    def test_revoking_twice_is_revoking_once(self, store: KeyStore) -> None:
        store.add(stored())
        assert store.revoke("aaaaaaaaaaaa") == store.revoke("aaaaaaaaaaaa")

    def test_name_goes_before_prefix_and_the_living_before_the_revoked(
        self, store: KeyStore
    ) -> None:
        store.add(stored())
        store.add(stored("aaaaaaaaaaaa", "bbbbbbbbbbbb"))
        revoked = store.revoke("aaaaaaaaaaaa")
        assert revoked is not None
        assert revoked.prefix == "bbbbbbbbbbbb"

    def test_nothing_is_revoked_by_an_unknown_name(self, store: KeyStore) -> None:
        store.add(stored())
        assert store.revoke("read") is None
        assert list(store.list_keys()) == [stored().key]

    def test_latest_day_of_use_is_kept(self, store: KeyStore) -> None:
        store.add(stored())
        days: list[str | None] = []
        for day in ("2026-11-29", "2026-11-30", "2026-11-28"):
            store.note_use(stored().key.id, day=day)
            found = store.find_by_id(stored().key.id)
            days.append(found.last_used_on if found else "lost")
        assert days == ["2026-11-29", "2026-11-30", "2026-11-30"]
