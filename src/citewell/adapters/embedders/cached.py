"""An embedder that remembers."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from typing_extensions import override

from citewell.domain.errors import EmbedderError
from citewell.ports.embedder import Embedder, EmbeddingModel, PassageText
from citewell.ports.embedding_cache import EmbeddingCache, text_sha

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class EmbeddingCounts:
    """How many passages got their vectors in which way; questions are not counted.

    Attributes:
        computed: By the embedder.
        reused: From the cache, or from an equal passage of the same call.
    """

    computed: int
    reused: int


@runtime_checkable
class _HasConnections(Protocol):
    def close(self) -> None: ...


class CachedEmbedder(Embedder):
    """Asks the cache first, and the embedder only for what it lacks.

    For embedders whose vectors depend on `PassageText.text` alone, so not for `fake-lexical-v1`.
    Vectors come from the cache exactly as they went in: nothing tells a hit from a miss but time.
    Nothing of a call that fails is remembered, and no zero vector.
    """

    def __init__(self, embedder: Embedder, cache: EmbeddingCache) -> None:
        """Take the embedder and the memory; `close` closes both."""
        self._embedder = embedder
        self._cache = cache
        self._counts = EmbeddingCounts(0, 0)
        self._counts_lock = threading.Lock()

    @property
    @override
    def model(self) -> EmbeddingModel:
        return self._embedder.model

    @property
    def counts(self) -> EmbeddingCounts:
        """The counts since this object was made; subtract two to get those of a run."""
        return self._counts

    @override
    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    @override
    def embed_passages(self, passages: Sequence[PassageText]) -> NDArray[np.float32]:
        model = self.model
        shas = [text_sha(passage.text) for passage in passages]
        known = dict(self._cache.get(model.key, "passage", shas))
        missing = {
            sha: passage for sha, passage in zip(shas, passages, strict=True) if sha not in known
        }
        if missing:
            made = self._embed_missing(missing)
            self._cache.put(model.key, "passage", _without_zero(made))
            known |= made
        self._count(computed=len(missing), reused=len(passages) - len(missing))
        vectors = np.zeros((len(passages), model.dim), dtype=np.float32)
        for row, sha in enumerate(shas):
            vectors[row] = known[sha]
        return vectors

    @override
    def embed_query(self, question: str) -> NDArray[np.float32]:
        key = self.model.key
        sha = text_sha(question)
        known = self._cache.get(key, "query", [sha])
        if sha in known:
            return known[sha]
        vector = self._embedder.embed_query(question)
        self._cache.put(key, "query", _without_zero({sha: vector}))
        return vector

    @property
    def uncached(self) -> Embedder:
        """The embedder behind the cache."""
        return self._embedder

    def close(self) -> None:
        """Close the cache, and the embedder's connections where it has any."""
        self._cache.close()
        if isinstance(self._embedder, _HasConnections):
            self._embedder.close()

    def _embed_missing(
        self, passages: Mapping[bytes, PassageText]
    ) -> dict[bytes, NDArray[np.float32]]:
        vectors = self._embedder.embed_passages(list(passages.values()))
        if vectors.shape != (len(passages), self.model.dim) or not np.isfinite(vectors).all():
            raise EmbedderError(
                f"the embedder answered {len(passages)} passages with vectors of shape "
                f"{vectors.shape}, or with some that are not finite"
            )
        return dict(zip(passages, vectors, strict=True))

    def _count(self, *, computed: int, reused: int) -> None:
        with self._counts_lock:
            before = self._counts
            self._counts = EmbeddingCounts(before.computed + computed, before.reused + reused)


def _without_zero(
    vectors: Mapping[bytes, NDArray[np.float32]],
) -> dict[bytes, NDArray[np.float32]]:
    return {sha: vector for sha, vector in vectors.items() if vector.any()}
