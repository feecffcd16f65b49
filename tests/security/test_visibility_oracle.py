"""What the catalog shows is what a brute-force model of the rules says, after any history."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiered_worlds import EVERYTHING, TIERS, cut_at_bars

from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
from citewell.domain.clearance import Clearance
from citewell.domain.document import ConvertedDocument, DocumentState
from citewell.domain.passage import SearchFilters, VisibleChunk
from citewell.domain.record import Failure, NewVersion
from citewell.domain.source import Source, SourceItem
from citewell.ingestion.prepare import Origin, prepare_version, version_of
from citewell.lexical.weigh import weigh_chunk

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
EVERY_KEY = range(1, 200)
PATHS = ("a.md", "b.md", "sub/a.md")
CLEARANCES = [
    Clearance(tuple(tier for bit, tier in enumerate(TIERS) if mask >> bit & 1))
    for mask in range(1, 8)
]

texts = st.lists(
    st.sampled_from(["alpha beta", "alpha", "gamma", "beta gamma alpha"]), min_size=1, max_size=3
).map("|".join)
paths = st.sampled_from(PATHS)
tiers = st.sampled_from(TIERS)
actions = st.one_of(
    st.tuples(st.just("put"), paths, texts, tiers),
    st.tuples(st.just("stage"), paths, texts, tiers),
    st.tuples(st.just("fail"), paths, tiers),
    st.tuples(st.just("move"), paths, paths, tiers),
    st.tuples(st.just("delete"), paths),
    st.tuples(st.just("clean")),
)


@dataclass
class Shown:
    """What the model holds of a live document."""

    tier: str
    parts: list[str]


class Model:
    """The rules, written a second time: the last finished version of each path, with its tier."""

    def __init__(self) -> None:
        self.documents: dict[str, Shown] = {}

    def put(self, path: str, text: str, tier: str) -> None:
        self.documents[path] = Shown(tier, text.split("|"))

    def stage(self, path: str, text: str, tier: str) -> None:
        """Show nothing."""

    def fail(self, path: str, tier: str) -> None:
        self.documents.setdefault(path, Shown(tier, []))
        if not self.documents[path].parts:
            self.documents[path].tier = tier

    def move(self, old: str, new: str, tier: str) -> None:
        if old in self.documents and (new == old or new not in self.documents):
            self.documents[new] = Shown(tier, self.documents.pop(old).parts)

    def delete(self, path: str) -> None:
        self.documents.pop(path, None)

    def clean(self) -> None:
        """Change nothing that is shown."""

    def visible(self, clearance: Clearance) -> list[tuple[str, int, str, str]]:
        """Return path, ordinal, text and tier of what a reader may see."""
        return sorted(
            (path, ordinal, part, shown.tier)
            for path, shown in self.documents.items()
            for ordinal, part in enumerate(shown.parts)
            if shown.tier in clearance.tiers
        )


class Catalog:
    """The same actions on the real catalog."""

    def __init__(self, catalog: SqliteCatalog) -> None:
        self._catalog = catalog

    def put(self, path: str, text: str, tier: str) -> None:
        version = new_version(path, text, tier)
        self._catalog.documents.switch(self._catalog.documents.stage(version), version)

    def stage(self, path: str, text: str, tier: str) -> None:
        self._catalog.documents.stage(new_version(path, text, tier))

    def fail(self, path: str, tier: str) -> None:
        version = version_of(origin(path, tier), state=DocumentState.FAILED)
        self._catalog.documents.record_failure(version, Failure("convert", "Error", "broken"))

    def move(self, old: str, new: str, tier: str) -> None:
        keys = self._keys()
        if old in keys and (new == old or new not in keys):
            self._catalog.documents.remove_leftovers()  # as every sync does before it moves
            item = SourceItem(new, 1, 1, new, "moved")
            self._catalog.documents.move(keys[old], item, tier=tier)

    def delete(self, path: str) -> None:
        keys = self._keys()
        if path in keys:
            self._catalog.documents.delete([keys[path]])

    def clean(self) -> None:
        self._catalog.documents.remove_leftovers()

    def _keys(self) -> dict[str, int]:
        return {
            known.relative_path: known.document_key
            for known in self._catalog.documents.known_items("s1")
        }


def origin(path: str, tier: str) -> Origin:
    return Origin("s1", SourceItem(path, 1, 1, path, "f"), tier, "sha", "recipe")


def new_version(path: str, text: str, tier: str) -> NewVersion:
    document = ConvertedDocument(text=text, syntax="plain", title="Title")
    return prepare_version(document, origin(path, tier), chunk_document=cut_at_bars)[0]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a catalog with one source; making the schema takes longer than an example."""
    path = tmp_path_factory.mktemp("template") / "catalog.sqlite3"
    catalog = SqliteCatalog.open(path, now=lambda: NOON)
    catalog.sources.register(Source("s1", "world", "folder", "/world"))
    catalog.close()
    return path


@contextmanager
def opened(template: Path) -> Iterator[tuple[SqliteCatalog, Path]]:
    path = template.with_name("example.sqlite3")
    shutil.copy(template, path)
    catalog = SqliteCatalog.open(path, now=lambda: NOON)
    try:
        yield catalog, path
    finally:
        catalog.close()
        for file in path.parent.glob("example.sqlite3*"):
            file.unlink()


@settings(max_examples=30)
@example([("put", "a.md", "alpha", "employee"), ("stage", "a.md", "alpha|gamma", "employee")])
@example([("stage", "a.md", "alpha", "employee"), ("fail", "a.md", "employee")])
@example([("put", "a.md", "alpha|gamma", "manager"), ("put", "a.md", "gamma", "employee")])
@example([("put", "a.md", "alpha", "employee"), ("move", "a.md", "b.md", "director")])
@given(history=st.lists(actions, min_size=2, max_size=12))
def test_every_road_shows_exactly_what_the_rules_say(
    template: Path, history: list[tuple[str, ...]]
) -> None:
    model = Model()
    with opened(template) as (catalog, path):
        for name, *arguments in history:
            getattr(Catalog(catalog), name)(*arguments)
            getattr(model, name)(*arguments)
        for clearance in CLEARANCES:
            check_roads(catalog, path, model, clearance)


def check_roads(catalog: SqliteCatalog, path: Path, model: Model, clearance: Clearance) -> None:
    reader = catalog.passages
    expected = model.visible(clearance)
    chunk_rows, document_keys = rows_of(path)

    by_key = reader.visible_chunks(clearance, EVERY_KEY)
    assert sorted(shown(chunk) for chunk in by_key.values()) == expected

    by_id = [reader.find_chunk(clearance, chunk_id) for _, chunk_id in chunk_rows]
    assert sorted(shown(chunk) for chunk in by_id if chunk is not None) == expected
    assert {key for key, _ in chunk_rows} >= set(by_key)

    by_document = [
        [shown(c) for c in reader.document_chunks(clearance, key, ordinals=(0, 99))]
        for key in document_keys.values()
    ]
    assert sorted(chunk for document in by_document for chunk in document) == expected
    assert all(document == sorted(document) for document in by_document)

    visible_paths = {p for p, d in model.documents.items() if d.tier in clearance.tiers}
    matching = {document_keys[p] for p in visible_paths}
    assert set(reader.documents_matching(clearance, EVERYTHING) or ()) == matching
    below = {document_keys[p] for p in visible_paths if p.startswith("sub/")}
    narrowed = reader.documents_matching(clearance, SearchFilters(path_prefix="sub/"))
    assert set(narrowed or ()) == below

    assert sorted(reader.sample_chunk_keys(clearance, limit=99)) == sorted(by_key)
    few = reader.sample_chunk_keys(clearance, limit=2)
    assert set(few) <= set(by_key)
    assert len(few) == min(2, len(by_key))

    terms = Counter(
        term
        for _, _, part, _ in expected
        for term in weigh_chunk(part, title="Title", heading_path=("Heading",)).indices
    )
    asked = weigh_chunk("alpha beta gamma absent", title="Title", heading_path=("Heading",)).indices
    frequencies, n_chunks = reader.document_frequencies(clearance, asked)
    assert (+Counter(dict(frequencies)), n_chunks) == (terms, len(expected))


def shown(chunk: VisibleChunk) -> tuple[str, int, str, str]:
    return chunk.relative_path, chunk.ordinal, chunk.content, chunk.tier


def rows_of(path: Path) -> tuple[list[tuple[int, str]], dict[str, int]]:
    """Return key and id of every stored chunk, and the key of every stored document by path."""
    with sqlite3.connect(path) as connection:
        chunk_rows = connection.execute("SELECT key, id FROM chunks").fetchall()
        documents = connection.execute("SELECT relative_path, key FROM documents").fetchall()
    connection.close()
    return chunk_rows, dict(documents)
