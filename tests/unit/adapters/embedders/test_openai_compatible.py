from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from citewell.adapters.embedders.openai_compatible import OpenAICompatibleEmbedder
from citewell.adapters.embedders.remote import RemoteOptions
from citewell.domain.errors import EmbedderError
from citewell.ports.embedder import PassageText
from citewell.testing.embedding_server import EmbeddingServer, Reply

PASSAGES = [PassageText("a"), PassageText("b"), PassageText("c")]
NUMBERED_BACKWARDS = [
    {"index": 2, "embedding": [0, 0, 1]},
    {"index": 0, "embedding": [1, 0, 0]},
    {"index": 1, "embedding": [0, 1, 0]},
]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer(dim=3) as server:
        yield server


def embed(server: EmbeddingServer, **options: Any) -> np.ndarray:
    wanted = {"model": "served", "base_url": f"{server.url}/v1/", "dim": 3} | options
    embedder = OpenAICompatibleEmbedder(RemoteOptions(**wanted))
    try:
        return embedder.embed_passages(PASSAGES)
    finally:
        embedder.close()


def test_numbers_are_asked_for_as_plain_json(server: EmbeddingServer) -> None:
    embed(server)
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {
        "model": "served",
        "input": ["a", "b", "c"],
        "encoding_format": "float",
    }


def test_dimension_is_sent_to_models_that_shorten_their_vectors(server: EmbeddingServer) -> None:
    embed(server, model="text-embedding-3-small")
    assert server.requests[0].body["dimensions"] == 3


def test_answers_are_ordered_by_their_index(server: EmbeddingServer) -> None:
    server.queue(Reply(body={"data": NUMBERED_BACKWARDS}))
    np.testing.assert_array_equal(embed(server), np.eye(3))


def test_answers_without_an_index_stay_in_their_order(server: EmbeddingServer) -> None:
    server.queue(Reply(body={"data": [{"embedding": row} for row in np.eye(3).tolist()]}))
    np.testing.assert_array_equal(embed(server), np.eye(3))


@pytest.mark.parametrize("indices", [(0, 1, 1), (1, 2, 3), (0, 1, -1), (0, 1, 7)])
def test_wrong_numbers_are_an_error(server: EmbeddingServer, indices: tuple[int, ...]) -> None:
    data = [{"index": index, "embedding": [1, 0, 0]} for index in indices]
    server.queue(Reply(body={"data": data}))
    with pytest.raises(EmbedderError, match="numbered"):
        embed(server)


@pytest.mark.parametrize("data", [["a", "b", "c"], [1, 2, 3], [None, None, None], "abc", 7])
def test_data_that_are_no_embeddings_are_an_error(server: EmbeddingServer, data: object) -> None:
    server.queue(Reply(body={"data": data}))
    with pytest.raises(EmbedderError):
        embed(server)


def test_a_used_up_account_is_not_asked_again(server: EmbeddingServer) -> None:
    error = {"message": "You exceeded your quota", "code": "insufficient_quota"}
    server.queue(Reply(429, {"error": error}))
    with pytest.raises(EmbedderError, match="used up"):
        embed(server)
    assert len(server.requests) == 1
