"""An embedder that does what a test tells it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from citewell.ports.embedder import Embedder, EmbeddingModel, PassageText

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ScriptedEmbedder(Embedder):
    """Gives the vectors that were told, and for other texts vectors drawn from their hash.

    Attributes:
        passage_calls: The texts of each call of `embed_passages`.
        questions: The questions asked.
        before: Called with the texts of every call before it is answered; raise in it to fail.
        change: Applied to the rows of every answer for passages, e.g. to drop one.
    """

    def __init__(
        self,
        vectors: Mapping[str, Sequence[float]] | None = None,
        *,
        dim: int = 8,
        max_tokens: int = 512,
        name: str = "scripted",
    ) -> None:
        """Take the vectors of texts (`PassageText.text` or a question); length does not matter."""
        self.passage_calls: list[list[str]] = []
        self.questions: list[str] = []
        self.before: Callable[[Sequence[str]], None] = _do_nothing
        self.change: Callable[[NDArray[np.float32]], NDArray[np.float32]] = _leave
        self._vectors = dict(vectors or {})
        self._model = EmbeddingModel("scripted", name, dim, max_tokens)

    @property
    @override
    def model(self) -> EmbeddingModel:
        return self._model

    @override
    def count_tokens(self, text: str) -> int:
        """Return the number of words."""
        return len(text.split())

    @override
    def embed_passages(self, passages: Sequence[PassageText]) -> NDArray[np.float32]:
        texts = [passage.text for passage in passages]
        self.passage_calls.append(texts)
        self.before(texts)
        rows = np.zeros((len(texts), self._model.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            rows[row] = self._vector(text)
        return self.change(rows)

    @override
    def embed_query(self, question: str) -> NDArray[np.float32]:
        self.questions.append(question)
        self.before([question])
        return self._vector(question)

    def _vector(self, text: str) -> NDArray[np.float32]:
        if not text.strip():
            return np.zeros(self._model.dim, dtype=np.float32)
        if text in self._vectors:
            vector = np.asarray(self._vectors[text], dtype=np.float64)
        else:
            seed = sha256(text.encode("utf-8", "surrogatepass")).digest()
            random = np.random.default_rng(int.from_bytes(seed[:8], "big"))
            vector = random.standard_normal(self._model.dim)
        length = np.linalg.norm(vector)
        return (vector / length if length else vector).astype(np.float32)


def _do_nothing(texts: Sequence[str]) -> None:
    del texts


def _leave(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return rows
