"""The parts of the catalog, opened together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from citewell.adapters.catalogs.sqlite.connect import connect
from citewell.adapters.catalogs.sqlite.documents import SqliteDocuments
from citewell.adapters.catalogs.sqlite.erasures import SqliteErasures
from citewell.adapters.catalogs.sqlite.facts import SqliteFacts
from citewell.adapters.catalogs.sqlite.keys import SqliteKeys
from citewell.adapters.catalogs.sqlite.library import SqliteLibrary
from citewell.adapters.catalogs.sqlite.outbox import SqlitePendingWork
from citewell.adapters.catalogs.sqlite.passages import SqlitePassages
from citewell.adapters.catalogs.sqlite.runs import SqliteRuns
from citewell.adapters.catalogs.sqlite.sources import SqliteSources

if TYPE_CHECKING:
    from sqlalchemy import Engine


def utc_now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class SqliteCatalog:
    """The catalog of one data folder; each part implements one port."""

    engine: Engine
    sources: SqliteSources
    documents: SqliteDocuments
    passages: SqlitePassages
    library: SqliteLibrary
    pending: SqlitePendingWork
    runs: SqliteRuns
    facts: SqliteFacts
    erasures: SqliteErasures
    keys: SqliteKeys

    @classmethod
    def open(cls, path: Path, *, now: Callable[[], datetime] = utc_now) -> SqliteCatalog:
        """Open the catalog at `path`, made on first use; raises as `connect`."""
        engine = connect(path)
        facts = SqliteFacts(engine)
        secret = facts.secret()
        return cls(
            engine=engine,
            sources=SqliteSources(engine, now=now),
            documents=SqliteDocuments(engine, secret=secret, now=now),
            passages=SqlitePassages(engine),
            library=SqliteLibrary(engine),
            pending=SqlitePendingWork(engine, now=now),
            runs=SqliteRuns(engine, now=now),
            facts=facts,
            erasures=SqliteErasures(engine, secret=secret, now=now),
            keys=SqliteKeys(engine, now=now),
        )

    def close(self) -> None:
        """Release the file."""
        self.engine.dispose()
