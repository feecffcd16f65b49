"""Facts about the catalog itself."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sqlalchemy import insert, select
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
        found = self.get("secret")
        if found is not None:
            return bytes.fromhex(found)
        query = select(facts.c.value).where(facts.c.name == "secret")
        with self._engine.begin() as connection:
            found = connection.execute(query).scalar()  # another process may have been faster
            if found is None:
                found = secrets.token_hex(32)
                connection.execute(insert(facts).values(name="secret", value=found))
        return bytes.fromhex(found)

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
