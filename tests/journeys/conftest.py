"""A small world for the journeys: real catalog and vector store, index and source in memory."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from citewell.adapters.caches.sqlite_vectors import SqliteVectors
from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder
from citewell.domain.clearance import Clearance
from citewell.domain.passage import SearchResult
from citewell.domain.record import RunCounts
from citewell.domain.source import Source
from citewell.ingestion.chunk import ChunkOptions
from citewell.ingestion.document_chunker import DocumentChunker
from citewell.ingestion.fill_vectors import VectorFilling
from citewell.ingestion.ingest_document import DocumentIngestion, Outcome
from citewell.ingestion.limits import EmbedderLimit
from citewell.ingestion.reconcile import Reconciliation
from citewell.ingestion.sync_parts import Run, SyncOptions, SyncParts, Tally
from citewell.ingestion.sync_run import SyncRun
from citewell.ingestion.sync_source import SourceSync
from citewell.ingestion.write_index import IndexWriter
from citewell.ports.index import Index
from citewell.retrieval.background import BackgroundSampler
from citewell.retrieval.judge_evidence import EvidenceJudge
from citewell.retrieval.search_legs import SearchLegs
from citewell.retrieval.search_passages import PassageSearch
from citewell.testing.memory_index import MemoryIndex
from citewell.testing.memory_source import MemoryConnector, PlainConverter

TIERS = ("employee", "manager", "director")
ALL = Clearance(TIERS)
EMPLOYEE = Clearance(("employee",))


@dataclass
class Told:
    """An observer that remembers."""

    n_to_read: int = 0
    outcomes: list[Outcome] = field(default_factory=list)

    def scanned(self, source: Source, *, n_to_read: int) -> None:
        self.n_to_read += n_to_read

    def done(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)


class World:
    """One source, folder per tier, and everything that ingests and searches it."""

    def __init__(self, folder: Path, index: Index) -> None:
        self.now = datetime(2026, 1, 31, 12, tzinfo=UTC)
        self.catalog = SqliteCatalog.open(folder / "catalog.sqlite3", now=lambda: self.now)
        self.embedder = FakeLexicalEmbedder()
        self.vectors = SqliteVectors(folder / "vectors.sqlite3", self.embedder.model)
        self.index = index
        self.connector = MemoryConnector()
        self.converter = PlainConverter()
        self.source = self.catalog.sources.register(
            Source("s1", "world", "folder", "/world", folder_per_tier=True)
        )
        self.space_error: Exception | None = None
        self.asked_to_erase_at: list[datetime] = []
        self.writer = IndexWriter(
            pending=self.catalog.pending, index=self.index, vectors=self.vectors
        )

    def sync(self, **how: bool) -> tuple[RunCounts, Told]:
        told = Told()
        syncing = SourceSync(self.sync_parts(), pause=self.pause)
        counts = syncing.sync_source(self.source, self.connector, observer=told, **how)  # type: ignore[arg-type]
        return counts, told

    def sync_run(self) -> SyncRun:
        """Return a run that a test takes step by step."""
        run = Run(self.source, self.connector, Tally(), self.sync_parts())
        return SyncRun(run, Told())

    def finish(self, run: SyncRun) -> None:
        """Take a run to its end."""
        while not run.is_done:
            self.pause(run.idle_s)
            run.work(wait_s=1)

    def change_source(self, **changes: object) -> None:
        """Give the source other rules."""
        self.source = self.catalog.sources.register(replace(self.source, **changes))  # type: ignore[arg-type]

    def sync_parts(self) -> SyncParts:
        chunker = DocumentChunker(ChunkOptions(), EmbedderLimit.of(self.embedder))
        return SyncParts(
            registry=self.catalog.sources,
            runs=self.catalog.runs,
            converter=self.converter,
            ingestion=DocumentIngestion(self.catalog.documents, self.writer, chunker.chunk),
            recipe=chunker.recipe(self.converter.version),
            repair_drift=self.reconciliation.repair_drift,
            hold_source=lambda _: nullcontext(),
            check_space=self._check_space,
            erase_what_is_due=lambda: self.asked_to_erase_at.append(self.now),
            now=lambda: self.now,
            elapsed_s=self.elapsed_s,
            options=SyncOptions(tiers=TIERS, max_file_bytes=10_000),
        )

    @property
    def reconciliation(self) -> Reconciliation:
        return Reconciliation(
            pending=self.catalog.pending,
            index=self.index,
            vectors=self.vectors,
            writer=self.writer,
            tiers=TIERS,
        )

    def fill(self) -> int:
        filling = VectorFilling(
            self.catalog.pending, self.embedder, self.vectors, self.writer, batch_size=3
        )
        return filling.fill_vectors(progress=lambda _: None)

    def search(
        self, question: str, clearance: Clearance = ALL, *, judge: EvidenceJudge, **more: object
    ) -> SearchResult:
        searching = PassageSearch(
            reader=self.catalog.passages,
            legs=SearchLegs(self.catalog.passages, self.index, exact=True),
            embedder=self.embedder,
            vectors=self.vectors,
            background=BackgroundSampler(self.catalog.passages, self.vectors),
            judge=judge,
        )
        return searching.search_passages(question, clearance, **more)  # type: ignore[arg-type]

    def states(self) -> dict[str, str]:
        return {r.relative_path: r.state.value for r in self.catalog.documents.records()}

    def texts(self, clearance: Clearance = ALL) -> list[str]:
        found = self.catalog.passages.visible_chunks(clearance, range(1, 10_000))
        return [c.content for c in sorted(found.values(), key=lambda c: c.relative_path)]

    def index_is_exact(self) -> bool:
        """Whether the index holds every live chunk in its tier, and nothing else."""
        live = self.catalog.passages.visible_chunks(ALL, range(1, 10_000)).values()
        waiting = {p.chunk_key for p in self.catalog.pending.pending_vectors(limit=10_000)}
        for tier in TIERS:
            keys = sorted(c.chunk_key for c in live if c.tier == tier)
            with_vectors = [key for key in keys if key not in waiting]
            if self.index.chunk_keys(tier, "lexical") != keys:
                return False
            if self.index.chunk_keys(tier, "dense") != with_vectors:
                return False
        return True

    def close(self) -> None:
        self.index.close()
        self.vectors.close()
        self.catalog.close()

    def elapsed_s(self) -> float:
        return self.now.timestamp()

    def pause(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def _check_space(self) -> None:
        if self.space_error is not None:
            raise self.space_error


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path, MemoryIndex(dim=1024))
    yield made
    made.close()
