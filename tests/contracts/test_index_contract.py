from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citewell.adapters.indexes.edge.client import EdgeIndex
from citewell.ports.embedder import EmbeddingModel
from citewell.ports.index import Index
from citewell.testing.index_contract import DIM, IndexContract
from citewell.testing.memory_index import MemoryIndex


class TestMemoryIndex(IndexContract):
    @pytest.fixture
    def index(self) -> Index:
        return MemoryIndex(dim=DIM)


class TestEdgeIndex(IndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[Index]:
        index = EdgeIndex(
            tmp_path / "index",
            model=EmbeddingModel("fake", "made", dim=DIM, max_tokens=512),
            analyzer_version=1,
        )
        yield index
        index.close()
