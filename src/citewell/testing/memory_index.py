"""An exact index in memory, for tests."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from typing_extensions import override

from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance
from citewell.domain.errors import (
    EmbeddingMismatchError,
    IndexUnavailableError,
    InvalidDocumentError,
    UsageError,
)
from citewell.ports.index import Candidate, Index, Leg, LexicalPoint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(slots=True)
class _Tier:
    lexical: dict[int, tuple[int, dict[int, float]]] = field(
        default_factory=dict[int, tuple[int, dict[int, float]]]
    )
    dense: dict[int, tuple[int, list[float]]] = field(
        default_factory=dict[int, tuple[int, list[float]]]
    )


class MemoryIndex(Index):
    """Compares with every point; keeps nothing."""

    def __init__(self, *, dim: int) -> None:
        """Take the dimension of the dense leg."""
        self._dim = dim
        self._tiers: dict[str, _Tier] = {}
        self._opened: set[tuple[str, Leg]] = set()
        self._lock = threading.RLock()
        self._closed = False

    @override
    def upsert_lexical(self, tier: str, points: Sequence[LexicalPoint]) -> None:
        self._check_open()
        for point in points:
            _check_terms(point.terms)
        with self._lock:
            for point in points:
                terms = dict(zip(point.terms.indices, point.terms.values, strict=True))
                self._tier(tier).lexical[point.chunk_key] = (point.document_key, terms)

    @override
    def upsert_dense(
        self,
        tier: str,
        *,
        chunk_keys: Sequence[int],
        document_keys: Sequence[int],
        vectors: NDArray[np.float32],
    ) -> None:
        self._check_open()
        rows = [self._unit(row) for row in vectors]
        with self._lock:
            for key, document, row in zip(chunk_keys, document_keys, rows, strict=True):
                self._tier(tier).dense[key] = (document, row)

    @override
    def delete(self, tier: str, chunk_keys: Sequence[int]) -> None:
        self._check_open()
        with self._lock:
            for key in chunk_keys:
                self._tier(tier).lexical.pop(key, None)
                self._tier(tier).dense.pop(key, None)

    @override
    def search_lexical(
        self,
        clearance: Clearance,
        query: SparseVector,
        *,
        limit: int,
        document_keys: Sequence[int] | None = None,
    ) -> list[Candidate]:
        self._check_open()
        _check_limit(limit)
        try:
            _check_terms(query)
        except InvalidDocumentError as error:
            raise UsageError(str(error)) from error
        weights = dict(zip(query.indices, query.values, strict=True))
        scores: dict[int, float] = {}
        with self._lock:
            for tier in clearance.tiers:
                self._opened.add((tier, "lexical"))
                for key, (document, terms) in self._tier(tier).lexical.items():
                    shared = weights.keys() & terms.keys()
                    if shared and _is_wanted(document, document_keys):
                        scores[key] = math.fsum(weights[term] * terms[term] for term in shared)
        return _best(scores, limit)

    @override
    def search_dense(
        self,
        clearance: Clearance,
        vector: NDArray[np.float32],
        *,
        limit: int,
        document_keys: Sequence[int] | None = None,
        exact: bool = False,
    ) -> list[Candidate]:
        self._check_open()
        _check_limit(limit)
        try:
            query = self._unit(vector)
        except InvalidDocumentError as error:
            raise UsageError(str(error)) from error
        scores: dict[int, float] = {}
        with self._lock:
            for tier in clearance.tiers:
                self._opened.add((tier, "dense"))
                for key, (document, row) in self._tier(tier).dense.items():
                    if _is_wanted(document, document_keys):
                        products = (a * b for a, b in zip(query, row, strict=True))
                        scores[key] = math.fsum(products)
        return _best(scores, limit)

    @override
    def chunk_keys(self, tier: str, leg: Leg) -> list[int]:
        self._check_open()
        with self._lock:
            points = self._tier(tier)
            return sorted(points.lexical if leg == "lexical" else points.dense)

    def opened_shards(self) -> list[tuple[str, Leg]]:
        """Return tier and leg of what has been searched, in order."""
        return sorted(self._opened)

    @override
    def flush(self) -> None:
        self._check_open()

    @override
    def optimize(self) -> None:
        self._check_open()

    @override
    def vacuum(self, tier: str) -> None:
        self._check_open()

    @override
    def close(self) -> None:
        self._closed = True

    def _tier(self, tier: str) -> _Tier:
        return self._tiers.setdefault(tier, _Tier())

    def _unit(self, vector: NDArray[np.float32]) -> list[float]:
        if vector.shape != (self._dim,):
            raise EmbeddingMismatchError(f"a vector has shape {vector.shape}, not ({self._dim},)")
        numbers = [float(number) for number in vector]
        length = math.sqrt(math.fsum(number * number for number in numbers))
        if not math.isfinite(length) or length < 1e-6:
            raise InvalidDocumentError("a vector is zero or not finite")
        return [number / length for number in numbers]

    def _check_open(self) -> None:
        if self._closed:
            raise IndexUnavailableError("the index is closed")


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= 10_000:
        raise UsageError(f"limit must be between 1 and 10000, not {limit}")


def _check_terms(terms: SparseVector) -> None:
    ascending = list(terms.indices) == sorted(set(terms.indices))
    positive = all(math.isfinite(value) and value > 0 for value in terms.values)
    if not ascending or not positive or len(terms.indices) != len(terms.values):
        raise InvalidDocumentError("terms must be ascending and their weights above 0")
    if any(not 0 <= index < 2**32 for index in terms.indices):
        raise InvalidDocumentError("terms must be unsigned 32-bit integers")


def _is_wanted(document: int, document_keys: Sequence[int] | None) -> bool:
    return document_keys is None or document in document_keys


def _best(scores: dict[int, float], limit: int) -> list[Candidate]:
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [Candidate(key, score) for key, score in ranked[:limit]]
