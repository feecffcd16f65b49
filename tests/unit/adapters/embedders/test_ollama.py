from __future__ import annotations

from citewell.adapters.embedders.ollama import OllamaEmbedder
from citewell.adapters.embedders.remote import RemoteOptions
from citewell.ports.embedder import PassageText
from citewell.testing.embedding_server import EmbeddingServer


def test_the_server_is_told_not_to_cut_texts() -> None:
    with EmbeddingServer(dim=4) as server:
        options = RemoteOptions("nomic-embed-text", server.url, dim=4)
        embedder = OllamaEmbedder(options)
        embedder.embed_passages([PassageText("a"), PassageText("b")])
        embedder.close()
        (request,) = server.requests
    assert request.path == "/api/embed"
    assert request.body == {
        "model": "nomic-embed-text",
        "input": ["search_document: a", "search_document: b"],
        "truncate": False,
    }


def test_the_model_is_named_with_its_provider() -> None:
    embedder = OllamaEmbedder(RemoteOptions("nomic-embed-text", "http://127.0.0.1:11434", dim=768))
    assert embedder.model.key == "ollama/nomic-embed-text/768"
    assert embedder.model.max_tokens == 2048
