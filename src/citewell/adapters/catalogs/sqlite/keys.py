"""The keys that were given out, as digests."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.exc import IntegrityError
from typing_extensions import override

from citewell.adapters.catalogs.sqlite.rows import iso_utc
from citewell.adapters.catalogs.sqlite.schema import api_keys
from citewell.domain.api_key import ApiKey
from citewell.domain.errors import UsageError
from citewell.ports.key_store import KeyStore, StoredKey

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


class SqliteKeys(KeyStore):
    """Reads and writes the table of keys."""

    def __init__(self, engine: Engine, *, now: Callable[[], datetime]) -> None:
        """Take the engine and a clock."""
        self._engine = engine
        self._now = now

    @override
    def add(self, stored: StoredKey) -> None:
        same_name = select(api_keys.c.id).where(
            api_keys.c.name == stored.key.name, api_keys.c.revoked_at.is_(None)
        )
        try:
            with self._engine.begin() as connection:
                if connection.execute(same_name).first() is not None:
                    raise UsageError(
                        f"there is a key with the name {stored.key.name!r}: choose another name,"
                        " or revoke that one first"
                    )
                connection.execute(insert(api_keys).values(_values(stored)))
        except IntegrityError as error:
            raise ValueError("a key has this prefix or this id") from error

    @override
    def find(self, prefix: str) -> StoredKey | None:
        with self._reading() as connection:
            row = connection.execute(select(api_keys).where(api_keys.c.prefix == prefix)).first()
        return None if row is None else _stored(row)

    @override
    def find_by_id(self, key_id: str) -> ApiKey | None:
        with self._reading() as connection:
            row = connection.execute(select(api_keys).where(api_keys.c.id == key_id)).first()
        return None if row is None else _stored(row).key

    @override
    def list_keys(self) -> Sequence[ApiKey]:
        return [stored.key for stored in self.stored()]

    @override
    def is_empty(self) -> bool:
        with self._reading() as connection:
            return connection.execute(select(api_keys.c.id).limit(1)).first() is None

    def stored(self) -> Sequence[StoredKey]:
        """Return all keys with their digests, the newest first."""
        with self._reading() as connection:
            newest_first = select(api_keys).order_by(text("rowid DESC"))
            return [_stored(row) for row in connection.execute(newest_first)]

    @override
    def revoke(self, name_or_prefix: str) -> ApiKey | None:
        with self._engine.begin() as connection:
            live = select(api_keys).where(
                api_keys.c.name == name_or_prefix, api_keys.c.revoked_at.is_(None)
            )
            by_prefix = select(api_keys).where(api_keys.c.prefix == name_or_prefix)
            row = connection.execute(live).first() or connection.execute(by_prefix).first()
            if row is None:
                return None
            this = api_keys.c.id == row.id
            connection.execute(
                update(api_keys)
                .where(this, api_keys.c.revoked_at.is_(None))
                .values(revoked_at=iso_utc(self._now()))
            )
            return _stored(connection.execute(select(api_keys).where(this)).one()).key

    @override
    def note_use(self, key_id: str, *, day: str) -> None:
        pooled = self._engine.raw_connection()
        driver = cast("sqlite3.Connection", pooled.driver_connection)
        (patience_ms,) = driver.execute("PRAGMA busy_timeout").fetchone()
        try:
            driver.execute("PRAGMA busy_timeout = 0")
            driver.execute(
                "UPDATE api_keys SET last_used_on = ?"
                " WHERE id = ? AND (last_used_on IS NULL OR last_used_on < ?)",
                (day, key_id, day),
            )
        except sqlite3.OperationalError:
            pass  # somebody writes: a later use is noted
        finally:
            driver.execute(f"PRAGMA busy_timeout = {patience_ms:d}")
            pooled.close()

    def revoke_all(self) -> None:
        """Revoke every key that is not revoked yet."""
        with self._engine.begin() as connection:
            connection.execute(
                update(api_keys)
                .where(api_keys.c.revoked_at.is_(None))
                .values(revoked_at=iso_utc(self._now()))
            )

    def replace_all(self, newest_first: Iterable[StoredKey]) -> None:
        """Keep exactly these keys instead of those that are kept."""
        rows = [_values(stored) for stored in newest_first]
        with self._engine.begin() as connection:
            connection.execute(delete(api_keys))
            for row in reversed(rows):
                connection.execute(insert(api_keys).values(row))

    def _reading(self) -> Connection:
        return self._engine.connect().execution_options(citewell_reading=True)


def _values(stored: StoredKey) -> dict[str, Any]:
    key = stored.key
    return {
        "id": key.id,
        "prefix": key.prefix,
        "digest": stored.digest,
        "name": key.name,
        "tier": key.tier,
        "scopes": list(key.scopes),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "last_used_on": key.last_used_on,
    }


def _stored(row: Any) -> StoredKey:
    key = ApiKey(
        id=row.id,
        prefix=row.prefix,
        name=row.name,
        tier=row.tier,
        scopes=tuple(row.scopes),
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        last_used_on=row.last_used_on,
    )
    return StoredKey(key, bytes(row.digest))
