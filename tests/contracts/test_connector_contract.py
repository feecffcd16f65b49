from __future__ import annotations

from pathlib import Path

import pytest

from citewell.adapters.connectors.folder import FolderConnector
from citewell.adapters.connectors.vault import VaultConnector
from citewell.testing.connector_contract import ConnectorContract, ItemShelf


class FolderShelf:
    def __init__(self, root: Path, connector: type[FolderConnector]) -> None:
        self._root = root
        self.connector = connector(root)

    def put(self, relative_path: str, data: bytes) -> None:
        path = self._root / relative_path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def remove(self, relative_path: str) -> None:
        (self._root / relative_path).unlink()


class TestFolder(ConnectorContract):
    @pytest.fixture
    def shelf(self, tmp_path: Path) -> ItemShelf:
        return FolderShelf(tmp_path, FolderConnector)


class TestVault(ConnectorContract):
    @pytest.fixture
    def shelf(self, tmp_path: Path) -> ItemShelf:
        return FolderShelf(tmp_path, VaultConnector)
