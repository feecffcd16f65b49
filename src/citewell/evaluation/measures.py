"""Measures of a ranking, each in [0, 1]; averages over questions are the caller's."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence


def recall_at(ranking: Sequence[Hashable], relevant: Collection[Hashable], *, k: int) -> float:
    """Return the share of the relevant that is among the first `k`; 0 if nothing is relevant."""
    wanted = set(relevant)
    return len(wanted.intersection(ranking[:k])) / len(wanted) if wanted else 0.0


def precision_at(ranking: Sequence[Hashable], relevant: Collection[Hashable], *, k: int) -> float:
    """Return the share of the first `k` that is relevant; missing ranks count as irrelevant."""
    return len(set(relevant).intersection(ranking[:k])) / k


def reciprocal_rank(ranking: Sequence[Hashable], relevant: Collection[Hashable]) -> float:
    """Return 1 / rank of the first relevant, from rank 1; 0 if there is none."""
    wanted = set(relevant)
    return next((1 / rank for rank, found in enumerate(ranking, 1) if found in wanted), 0.0)


def ndcg_at(ranking: Sequence[Hashable], grades: Mapping[Hashable, float], *, k: int) -> float:
    """Return the normalised discounted cumulative gain of the first `k`.

    The gain is the grade, the discount `log2(1 + rank)` (Järvelin and Kekäläinen, 2002, as in
    trec_eval). What has no grade counts 0; 0 if nothing has a grade above 0.
    """
    best = _discounted(sorted(grades.values(), reverse=True)[:k])
    return _discounted([grades.get(found, 0.0) for found in ranking[:k]]) / best if best else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(1 + rank) for rank, gain in enumerate(gains, 1))
