"""Worlds of documents in tiers, and oracles that tell whether a reader sees more than it may."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from citewell.adapters.caches.sqlite_vectors import SqliteVectors
from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder
from citewell.adapters.indexes.edge.client import EdgeIndex
from citewell.domain.ask_request import AskRequest
from citewell.domain.chunk import Chunk
from citewell.domain.clearance import Clearance
from citewell.domain.document import ConvertedDocument
from citewell.domain.passage import SearchFilters
from citewell.domain.record import NewVersion, StagedVersion
from citewell.domain.source import Source, SourceItem
from citewell.ingestion.fill_vectors import VectorFilling
from citewell.ingestion.prepare import Origin, prepare_version
from citewell.ingestion.write_index import IndexWriter
from citewell.lexical.analyze import ANALYZER_VERSION
from citewell.ports.index import Index, Leg
from citewell.replies import answer_reply, search_reply
from citewell.retrieval.assess import CalibratedJudge, load_gate
from citewell.retrieval.background import BackgroundSampler
from citewell.retrieval.search_legs import SearchLegs
from citewell.retrieval.search_passages import PassageSearch
from citewell.settings import Settings
from citewell.wire_answers import make_answering

TIERS = ("employee", "manager", "director")
EMPLOYEE = Clearance(TIERS[:1])
MANAGER = Clearance(TIERS[:2])
DIRECTOR = Clearance(TIERS)

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
EVERYTHING = SearchFilters(path_prefix="")
_EVERY_KEY = range(1, 10_000)
_IDS = ("citation_id", "document_id", "chunk_id", "request_id")

_WORDS = [
    "invoice",
    "ticket",
    "latency",
    "escalation",
    "customer",
    "export",
    "limit",
    "contract",
    "engineer",
    "on-call",
    "region",
    "backup",
    "restore",
    "password",
    "refund",
    "salary",
    "merger",
    "board",
    "forecast",
    "plan",
    "E-4711",
    "数据",
    "导出",
    "限制",
    "支持",
]


def edge_index(folder: Path) -> EdgeIndex:
    """Return the real index, in a folder below this one."""
    model = FakeLexicalEmbedder().model
    return EdgeIndex(folder / "index", model=model, analyzer_version=ANALYZER_VERSION)


def random_texts(n: int, *, seed: int) -> list[str]:
    """Return texts of one to three chunks (parted by bars), common words far more often than rare
    ones, so that many share words and some tie."""
    draw = random.Random(seed)
    weights = [1 / rank for rank in range(1, len(_WORDS) + 1)]
    return [
        "|".join(
            " ".join(draw.choices(_WORDS, weights, k=draw.randint(2, 12)))
            for _ in range(draw.randint(1, 3))
        )
        for _ in range(n)
    ]


def random_questions(n: int, *, seed: int) -> list[str]:
    """Return questions of one to four words."""
    draw = random.Random(seed)
    return [" ".join(draw.choices(_WORDS, k=draw.randint(1, 4))) for _ in range(n)]


class TieredWorld:
    """One source whose documents are put into tiers, and everything that searches it."""

    def __init__(self, folder: Path, index: Index) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.catalog_path = folder / "catalog.sqlite3"
        self.catalog = self._open_catalog()
        self.embedder = FakeLexicalEmbedder()
        self.vectors = SqliteVectors(folder / "vectors.sqlite3", self.embedder.model)
        self.index = index
        self.writer = IndexWriter(pending=self.catalog.pending, index=index, vectors=self.vectors)
        self.catalog.sources.register(Source("s1", "world", "folder", "/world"))

    def put(self, path: str, text: str, tier: str) -> int:
        """Add a document or a new version of it, and return its key."""
        staged, version = self.stage(path, text, tier)
        self.catalog.documents.switch(staged, version)
        return staged.document_key

    def stage(self, path: str, text: str, tier: str) -> tuple[StagedVersion, NewVersion]:
        """Store a version that nobody may see yet."""
        item = SourceItem(path, len(text), 1_767_225_600_000_000_000, path, "fingerprint")
        document = ConvertedDocument(text=text, syntax="plain", title="Title")
        version, _ = prepare_version(
            document, Origin("s1", item, tier, "sha", "recipe"), chunk_document=cut_at_bars
        )
        return self.catalog.documents.stage(version), version

    def settle(self) -> None:
        """Bring index and vectors up to the catalog."""
        VectorFilling(
            self.catalog.pending, self.embedder, self.vectors, self.writer, batch_size=256
        ).fill_vectors(progress=lambda _: None)

    def reopen_catalog(self) -> None:
        """Read through a catalog that is opened anew; nothing can be written any more."""
        self.catalog.close()
        self.catalog = self._open_catalog()

    def _open_catalog(self) -> SqliteCatalog:
        return SqliteCatalog.open(self.catalog_path, now=lambda: NOON)

    def search_with(self, index: Index) -> PassageSearch:
        return PassageSearch(
            reader=self.catalog.passages,
            legs=SearchLegs(self.catalog.passages, index, exact=True),
            embedder=self.embedder,
            vectors=self.vectors,
            background=BackgroundSampler(self.catalog.passages, self.vectors),
            judge=CalibratedJudge(load_gate(self.embedder.model.key)),
        )

    def search_trace(self, question: str, clearance: Clearance) -> dict[str, Any]:
        """Return the reply of a search with its trace, without what the clock decides."""
        result = self.search_with(self.index).search_passages(
            question, clearance, top_k=20, explain=True
        )
        reply = search_reply(result)
        del reply["explain"]["timings_ms"]
        return reply

    def replies(self, question: str, clearance: Clearance) -> bytes:
        """Return the bytes that a reader gets to a search and to a question, ids masked."""
        search = self.search_with(self.index)
        found = search_reply(search.search_passages(question, clearance, top_k=20))
        answering = make_answering(
            Settings(),
            search=search,
            reader=self.catalog.passages,
            embedder=self.embedder,
            model=None,
        )
        answer = asyncio.run(answering.answer_question(AskRequest(question, top_k=20), clearance))
        said = answer_reply(answer, request_id="")
        del said["timings_ms"]
        return json.dumps(masked([found, said]), ensure_ascii=False).encode()

    def close(self) -> None:
        self.index.close()
        self.vectors.close()
        self.catalog.close()


def cut_at_bars(document: ConvertedDocument) -> list[Chunk]:
    """One chunk per part between bars."""
    chunks: list[Chunk] = []
    position = 0
    for ordinal, part in enumerate(document.text.split("|")):
        span = (position, position + len(part))
        chunks.append(Chunk(ordinal, span, part, ("Heading",), len(part.split())))
        position += len(part) + 1
    return chunks


def masked(value: Any) -> Any:
    """Return a JSON value with every id replaced, since ids are drawn by lot."""
    if isinstance(value, list):
        return [masked(entry) for entry in value]
    if isinstance(value, dict):
        return {k: "" if k in _IDS else masked(entry) for k, entry in value.items()}
    return value


def find_leaks(world: TieredWorld, clearance: Clearance, questions: Sequence[str]) -> list[str]:
    """Return the roads on which this reader gets text, or counts of text, that it may not see.

    What is hidden is read from the tables by a query of its own: a document of a tier outside the
    clearance, and a chunk that is not of its document's current version.
    """
    reader = world.catalog.passages
    hidden = _hidden_chunks(world.catalog_path, clearance)
    assert hidden, "a world without anything hidden tells nothing"
    keys = {key for key, _, _, _ in hidden}
    documents = {document for _, _, document, is_current in hidden if is_current}
    found = {
        "visible_chunks": keys & set(reader.visible_chunks(clearance, _EVERY_KEY)),
        "find_chunk": [i for _, i, _, _ in hidden if reader.find_chunk(clearance, i) is not None],
        "document_chunks": keys
        & {
            chunk.chunk_key
            for document in {document for _, _, document, _ in hidden}
            for chunk in reader.document_chunks(clearance, document, ordinals=(0, 99))
        },
        "documents_matching": documents
        & set(reader.documents_matching(clearance, EVERYTHING) or ()),
        "sample_chunk_keys": keys & set(reader.sample_chunk_keys(clearance, limit=9_999)),
        "document_frequencies": reader.document_frequencies(clearance, [])[1]
        - _n_visible(world.catalog_path, clearance),
        "search": [
            passage.chunk.chunk_key
            for question in questions
            for passage in world.search_with(world.index)
            .search_passages(question, clearance, top_k=20)
            .passages
            if passage.chunk.chunk_key in keys
        ],
    }
    return [road for road, leaked in found.items() if leaked]


def unwanted_shards(opened: Sequence[tuple[str, Leg]], clearance: Clearance) -> list[str]:
    """Return the tiers that were opened although the reader may not read them."""
    return sorted({tier for tier, _ in opened} - set(clearance.tiers))


def _hidden_chunks(path: Path, clearance: Clearance) -> list[tuple[int, str, int, bool]]:
    """Return key, id, document and whether it is current of all chunks that must not be seen."""
    query = """
        SELECT chunks.key, chunks.id, documents.key, chunks.generation = documents.generation, tier
        FROM chunks JOIN documents ON documents.key = chunks.document_key
    """
    with sqlite3.connect(path) as connection:
        rows = connection.execute(query).fetchall()
    connection.close()
    return [
        (key, chunk_id, document, bool(is_current))
        for key, chunk_id, document, is_current, tier in rows
        if tier not in clearance.tiers or not is_current
    ]


def _n_visible(path: Path, clearance: Clearance) -> int:
    with sqlite3.connect(path) as connection:
        (n_chunks,) = connection.execute("SELECT count(*) FROM chunks").fetchone()
    connection.close()
    return n_chunks - len(_hidden_chunks(path, clearance))
