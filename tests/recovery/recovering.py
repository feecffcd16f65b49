"""A data folder that processes work on and die at, and what must be equal afterwards."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

from citewell.access.clearance import clearance_of
from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
from citewell.bootstrap import Citewell, open_citewell
from citewell.domain.clearance import Principal
from citewell.domain.errors import CitewellError, RetrievalNotReadyError
from citewell.domain.failpoints import Failpoint
from citewell.domain.source import Source
from citewell.ingestion.ingest_document import Outcome
from citewell.ingestion.register_source import register_folder
from citewell.load_settings import load_settings
from citewell.ports.index import Leg
from citewell.testing.failpoints import Fault, armed
from citewell.testing.memory_source import PlainConverter

TIERS = ("employee", "manager", "director")
QUESTIONS = ("alpha", "beta salary", "gamma", "plan of the year")
_SETTINGS = {
    "embedding_provider": "fake",
    "conversion_workers": 1,
    "access_tiers": ",".join(TIERS),
    "sources_file": "",
    "min_free_disk_mib": 0,
}
_DEADLINE_S = 120
TOLD, OUTLIVED = 3, 4
"""Exit codes: the fault ended the sync, or the sync went on."""
_LOADED = [
    "numpy",
    "sqlalchemy.dialects.sqlite",
    "citewell.bootstrap",
    "citewell.adapters.caches.sqlite_vectors",
    "citewell.adapters.catalogs.sqlite.catalog",
    "citewell.adapters.connectors.folder",
    "citewell.adapters.embedders.fake_lexical",
    "citewell.adapters.indexes.edge.client",
    "citewell.ingestion.document_chunker",
    "citewell.ingestion.fill_vectors",
    "citewell.ingestion.reconcile",
    "citewell.ingestion.sync_source",
    "citewell.retrieval.search_passages",
    "citewell.testing.failpoints",
    "citewell.testing.memory_source",
]


@dataclass
class Told:
    """An observer that remembers what became searchable."""

    done_paths: list[str] = field(default_factory=list)

    def scanned(self, source: Source, *, n_to_read: int) -> None:
        """Not asked for."""

    def done(self, outcome: Outcome) -> None:
        self.done_paths.append(outcome.relative_path)


def open_world(home: Path) -> Citewell:
    """Open the data folder of a world; documents are converted in this process."""
    settings = load_settings({"data_dir": home / "data", **_SETTINGS})
    parts = open_citewell(settings)
    parts.__dict__["converter"] = PlainConverter()
    return parts


def sync(parts: Citewell, home: Path, *, confirmed: bool = True) -> None:
    """Sync the folder of a world and make its vectors."""
    source = register_folder(
        home / "docs", parts.catalog.sources, tiers=TIERS, tier=None, folder_per_tier=True
    )
    parts.sync.sync_source(source, parts.connector(source), observer=Told(), confirmed=confirmed)
    assert parts.vector_filling is not None
    parts.vector_filling.fill_vectors(progress=lambda _: None)


def run_and_meet(home: Path, failpoint: Failpoint, fault: Fault, nth: int) -> None:
    """Sync while a fault happens; exit `TOLD` or `OUTLIVED`, or 0 if it was not met."""
    with open_world(home) as parts, armed(failpoint, fault, nth=nth) as reached:
        try:
            sync(parts, home)
        except (CitewellError, KeyboardInterrupt):
            raise SystemExit(TOLD) from None
    if reached.count(failpoint) >= nth:
        raise SystemExit(OUTLIVED)


def run_to_the_end(home: Path) -> None:
    """Sync without a fault, and write down what the data folder holds then."""
    with open_world(home) as parts:
        sync(parts, home)
        held = json.dumps(_contents(parts), sort_keys=True)
    (home / "snapshot.json").write_text(held, encoding="utf-8")


def in_process(context: ForkServerContext, work: Callable[..., None], *arguments: object) -> int:
    """Run something in a process of its own and return how it ended; -9 for a kill."""
    process = context.Process(target=work, args=arguments)
    process.start()
    process.join(_DEADLINE_S)
    assert process.exitcode is not None, "the process does not end"
    return process.exitcode


def fork_server() -> ForkServerContext:
    """Return what starts processes that have the product loaded already."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_LOADED)
    return context


def snapshot(home: Path) -> dict[str, Any]:
    """Return what the data folder held after `run_to_the_end`, ids and keys aside."""
    return json.loads((home / "snapshot.json").read_text(encoding="utf-8"))


def move_source(home: Path) -> None:
    """Tell a copied data folder where its folder of documents lies now."""
    with closing(sqlite3.connect(home / "data" / "catalog.sqlite3")) as connection, connection:
        connection.execute("UPDATE sources SET root = ?", (str(home / "docs"),))


def visible_texts(home: Path, tier: str) -> set[str]:
    """Return every text that a tier may read as the data folder stands."""
    clearance = clearance_of(Principal("reader", tier), tiers=TIERS)
    catalog = SqliteCatalog.open(home / "data" / "catalog.sqlite3")
    found = catalog.passages.visible_chunks(clearance, range(1, 1_000))
    catalog.close()
    return {chunk.content for chunk in found.values()}


def _contents(parts: Citewell) -> dict[str, Any]:
    catalog, names = _catalog(parts.settings.catalog_path)
    legs: tuple[Leg, ...] = ("lexical", "dense")
    assert parts.vectors is not None
    keys = {f"{tier} {leg}": parts.index.chunk_keys(tier, leg) for tier in TIERS for leg in legs}
    keys["vectors"] = parts.vectors.keys()
    stores = {name: sorted(names.get(key, "?") for key in found) for name, found in keys.items()}
    found = {f"{tier}: {ask}": _scores(parts, tier, ask) for tier in TIERS for ask in QUESTIONS}
    return {**catalog, **stores, "found": found}


def _catalog(path: Path) -> tuple[dict[str, Any], dict[int, str]]:
    with closing(sqlite3.connect(path)) as connection:
        ask = connection.execute
        documents = ask(
            "SELECT relative_path, tier, is_live, state, title, failure FROM documents"
            " ORDER BY relative_path"
        ).fetchall()
        chunks = ask(
            "SELECT c.key, d.relative_path, c.ordinal, c.content, c.heading_path"
            " FROM chunks c JOIN documents d ON d.key = c.document_key"
            " ORDER BY d.relative_path, c.ordinal"
        ).fetchall()
        contents: dict[str, Any] = {
            "documents": documents,
            "chunks": [row[1:] for row in chunks],
            "terms": ask(
                "SELECT tier, term, n_chunks FROM term_frequencies WHERE n_chunks"
                " ORDER BY tier, term"
            ).fetchall(),
            "statistics": ask(
                "SELECT tier, n_chunks FROM tier_statistics WHERE n_chunks ORDER BY tier"
            ).fetchall(),
            "waiting": ask("SELECT count(*) FROM pending_vectors").fetchall(),
            "outbox": ask("SELECT count(*) FROM index_outbox").fetchall(),
        }
    return contents, {row[0]: f"{row[1]}#{row[2]}" for row in chunks}


def _scores(parts: Citewell, tier: str, question: str) -> list[tuple[str, float]]:
    """Return what the lexical leg finds with its scores, which tell terms and statistics.

    Not those of the other leg: this embedder embeds the path, and what only moved keeps its vector.
    """
    clearance = clearance_of(Principal("reader", tier), tiers=TIERS)
    try:
        found, *_ = parts.search.rank_chunks(question, clearance)
    except RetrievalNotReadyError:
        return []
    places = {key: f"{c.relative_path}#{c.ordinal}" for key, c in found.chunks.items()}
    return sorted((places[c.chunk_key], round(c.score, 5)) for c in found.lexical.candidates)
