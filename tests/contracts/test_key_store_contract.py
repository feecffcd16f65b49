from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
from citewell.ports.key_store import KeyStore
from citewell.testing.key_store_contract import NOON, KeyStoreContract
from citewell.testing.memory_keys import MemoryKeys


class TestMemoryKeys(KeyStoreContract):
    @pytest.fixture
    def store(self) -> KeyStore:
        return MemoryKeys(now=lambda: NOON)


class TestSqliteKeys(KeyStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[KeyStore]:
        with closing(SqliteCatalog.open(tmp_path / "catalog.sqlite3", now=lambda: NOON)) as catalog:
            yield catalog.keys
