"""Facts about the catalog itself."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING

from sqlalchemy import insert, select, text
from sqlalchemy.dialects.sqlite import insert as upsert

from citewell.adapters.catalogs.sqlite.schema import facts

if TYPE_CHECKING:
    from sqlalchemy import Engine


class SqliteFacts:
    """Named texts that describe this catalog."""

    def __init__(self, engine: Engine) -> None:
        """Take the engine."""
        self._engine = engine

    def secret(self) -> bytes:
        """Return the 32 random bytes that key this catalog's ids, made on first use."""
        return bytes.fromhex(self._random("secret"))

    def catalog_id(self) -> str:
        """Return what tells this catalog from every other, made on first use."""
        return self._random("catalog_id")

    def renew_catalog_id(self) -> None:
        """Make this catalog another one, so that nothing made from it before is read."""
        self.set("catalog_id", secrets.token_hex(32))

    def series(self) -> str:
        """Return what all copies of this catalog share, as 8 hexadecimal digits."""
        return hashlib.blake2b(b"backups", key=self.secret(), digest_size=4).hexdigest()

    def last_chunk_key(self) -> int:
        """Return the highest chunk key that was ever given, 0 without one."""
        query = text("SELECT max(seq) FROM sqlite_sequence WHERE name = 'chunks'")
        with self._engine.connect().execution_options(citewell_reading=True) as connection:
            return connection.execute(query).scalar() or 0

    def get(self, name: str) -> str | None:
        """Return a fact, or None."""
        with self._engine.connect().execution_options(citewell_reading=True) as connection:
            return connection.execute(select(facts.c.value).where(facts.c.name == name)).scalar()

    def set(self, name: str, value: str) -> None:
        """Store a fact."""
        with self._engine.begin() as connection:
            connection.execute(
                upsert(facts)
                .values(name=name, value=value)
                .on_conflict_do_update(index_elements=["name"], set_={"value": value})
            )

    def _random(self, name: str) -> str:
        """Return 32 random bytes in hexadecimal, made on first use."""
        found = self.get(name)
        if found is not None:
            return found
        with self._engine.begin() as connection:
            query = select(facts.c.value).where(facts.c.name == name)
            found = connection.execute(query).scalar()  # another process may have been faster
            if found is None:
                found = secrets.token_hex(32)
                connection.execute(insert(facts).values(name=name, value=found))
        return found
