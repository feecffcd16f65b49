"""Drift between the catalog and what is made from it, found and repaired."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from citewell.adapters.indexes.edge.client import EdgeIndex
from citewell.domain.chunk import SparseVector
from citewell.lexical.analyze import ANALYZER_VERSION
from citewell.ports.index import Index, LexicalPoint
from citewell.testing.memory_index import MemoryIndex
from conftest import TIERS, World


def make_index(kind: str, folder: Path) -> Index:
    if kind == "memory":
        return MemoryIndex(dim=1024)
    from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder

    model = FakeLexicalEmbedder().model
    return EdgeIndex(folder / "index", model=model, analyzer_version=ANALYZER_VERSION)


@pytest.fixture(params=["memory", "edge"])
def filled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Return a world of three tiers, in step, with a document that gave no terms."""
    index = make_index(request.param, tmp_path)
    made = World(tmp_path, index)
    for tier in TIERS:
        for number in range(4):
            made.connector.put(f"{tier}/{number}.md", f"# {tier}\n\nalpha {tier} {number}\n")
    made.connector.put("employee/marks.txt", "— !")
    made.sync()
    made.fill()
    yield made
    index.close()
    made.vectors.close()
    made.catalog.close()


def reconcile(world: World) -> int:
    return world.reconciliation.repair_drift()


def contents(world: World) -> dict[str, list[int]]:
    """Return the keys of every store."""
    found = {f"{tier} {leg}": world.index.chunk_keys(tier, leg) for tier in TIERS for leg in LEGS}
    return found | {"vectors": world.vectors.keys()}


LEGS = ("lexical", "dense")


def test_what_is_in_step_is_left_alone(filled: World) -> None:
    before = contents(filled)
    assert len(before["manager lexical"]) == len(before["manager dense"]) == 4
    assert (reconcile(filled), contents(filled)) == (0, before)


def test_missing_points_come_back(filled: World) -> None:
    before = contents(filled)
    filled.index.delete("employee", before["employee lexical"])
    filled.index.delete("director", before["director lexical"][:2])
    n_repaired = reconcile(filled)
    assert n_repaired == len(before["employee lexical"]) + len(before["employee dense"]) + 4
    assert contents(filled) == before
    assert reconcile(filled) == 0


def test_point_that_lacks_one_leg_is_made_whole(filled: World) -> None:
    before = contents(filled)
    key = before["manager dense"][0]
    filled.index.delete("manager", [key])
    filled.catalog.pending.request_points("manager", "lexical", [key])
    filled.writer.settle()
    assert key not in filled.index.chunk_keys("manager", "dense")
    assert reconcile(filled) == 1
    assert contents(filled) == before


def test_foreign_points_go(filled: World) -> None:
    before = contents(filled)
    known = before["director lexical"][0]
    points = [LexicalPoint(key, 1, SparseVector((7,), (1.0,))) for key in (known, 9_001, 9_002)]
    filled.index.upsert_lexical("employee", points)
    vectors = np.zeros((2, 1024), dtype=np.float32)
    vectors[:, 0] = 1
    filled.index.upsert_dense(
        "employee", chunk_keys=[known, 9_003], document_keys=[1, 1], vectors=vectors
    )
    assert reconcile(filled) == 5
    assert contents(filled) == before


def test_vectors_of_chunks_that_are_gone_go(filled: World) -> None:
    before = contents(filled)
    filled.vectors.put([9_001], np.eye(1, 1024, dtype=np.float32))
    assert reconcile(filled) == 1
    assert contents(filled) == before


def test_vectors_on_their_way_are_no_drift(filled: World) -> None:
    filled.connector.put("employee/new.md", "# New\n\nbeta\n")
    filled.sync()
    (waiting,) = filled.catalog.pending.pending_vectors(limit=9)
    filled.vectors.put([waiting.chunk_key], np.eye(1, 1024, dtype=np.float32))
    assert reconcile(filled) == 0
    assert waiting.chunk_key in filled.vectors.keys()  # noqa: SIM118 - a store, no dictionary
    filled.fill()
    assert reconcile(filled) == 0


def test_points_of_a_hidden_document_stay(filled: World) -> None:
    before = contents(filled)
    filled.catalog.documents.hide([1])
    assert (reconcile(filled), contents(filled)) == (0, before)


def test_next_sync_repairs_and_says_so(filled: World) -> None:
    before = contents(filled)
    filled.index.delete("manager", before["manager lexical"])
    counts, _ = filled.sync()
    assert counts.drift_repaired == len(before["manager lexical"]) + len(before["manager dense"])
    assert contents(filled) == before
    again, _ = filled.sync()
    assert again.drift_repaired == 0
