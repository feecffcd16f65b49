"""`fake-lexical-v1`: a deterministic embedder without a model, for tests and smoke runs."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from citewell.adapters.embedders.clean import clean_text
from citewell.domain.errors import ConfigurationError
from citewell.ports.embedder import Embedder, EmbeddingModel, PassageText

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODEL_NAME = "fake-lexical-v1"
DEFAULT_MIN_SIMILARITY = 0.20
"""Cosine from which a passage counts as related, for this embedder."""

_DIM = 1024
_MODEL = EmbeddingModel(provider="fake", name=MODEL_NAME, dim=_DIM, max_tokens=8192)

_CONTENT_WEIGHT = 1.0
_HEADING_WEIGHT = 2.0
_PATH_WEIGHT = 1.5
_LABEL_WEIGHT = 1.25
_MOST_COUNTED = 4

_SEPARATORS = str.maketrans(dict.fromkeys("/\\._-", " "))
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile("[a-z0-9]+")
_CJK_RUN = re.compile(f"[{_CJK}]+")
_STOP_WORDS = frozenset({"a", "i"})


class FakeLexicalEmbedder(Embedder):
    """Hashes words into 1,024 buckets; texts that share words are similar, nothing else is."""

    def __init__(self, *, model_name: str = MODEL_NAME) -> None:
        """Check the model's name.

        Raises:
            ConfigurationError: Another model is asked for.
        """
        if model_name != MODEL_NAME:
            raise ConfigurationError(
                f"EMBEDDING_MODEL must be {MODEL_NAME} when EMBEDDING_PROVIDER is fake"
            )

    @property
    @override
    def model(self) -> EmbeddingModel:
        return _MODEL

    @override
    def count_tokens(self, text: str) -> int:
        return len(find_tokens(text))

    @override
    def embed_passages(self, passages: Sequence[PassageText]) -> NDArray[np.float32]:
        vectors = np.zeros((len(passages), _DIM), dtype=np.float32)
        for row, passage in enumerate(passages):
            vectors[row] = _embed_fields(
                (passage.content, _CONTENT_WEIGHT),
                (" ".join(passage.heading_path), _HEADING_WEIGHT),
                (passage.relative_path, _PATH_WEIGHT),
                (" ".join(passage.tags), _LABEL_WEIGHT),
                (" ".join(passage.links), _LABEL_WEIGHT),
            )
        return vectors

    @override
    def embed_query(self, question: str) -> NDArray[np.float32]:
        return _embed_fields((question, _CONTENT_WEIGHT))


def find_tokens(text: str) -> list[str]:
    """Return the tokens of `text`.

    First the runs of ASCII letters and digits without one-letter stop words, then each character of
    Chinese, Japanese and Korean and, as soon as its second character is met, each adjacent pair.
    """
    normalized = unicodedata.normalize("NFKC", clean_text(text)).lower().translate(_SEPARATORS)
    tokens = [word for word in _WORD.findall(normalized) if word not in _STOP_WORDS]
    for run in _CJK_RUN.findall(normalized):
        tokens.extend(_characters_and_pairs(run))
    return tokens


def _characters_and_pairs(run: str) -> list[str]:
    tokens = [run[0]]
    for place in range(1, len(run)):
        tokens.extend((run[place], run[place - 1 : place + 1]))
    return tokens


def _embed_fields(*fields: tuple[str, float]) -> NDArray[np.float32]:
    """Return `float32[1024]` of unit length, or zero when no field has a token."""
    vector = np.zeros(_DIM, dtype=np.float64)
    for text, weight in fields:
        for token, count in Counter(find_tokens(text)).items():
            vector[_bucket(token)] += weight * min(count, _MOST_COUNTED)
    length = np.linalg.norm(vector)
    return (vector / length if length else vector).astype(np.float32)


@lru_cache(maxsize=65_536)
def _bucket(token: str) -> int:
    digest = sha256(f"{MODEL_NAME}:{token}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % _DIM
