"""The trace of a search: why each candidate stands where it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from citewell.domain.passage import Passage
from citewell.ports.index import Candidate
from citewell.retrieval.fuse import LegWeights
from citewell.retrieval.judge_evidence import EvidenceVerdict
from citewell.retrieval.leg_results import LegResults


def explain_search(
    found: LegResults,
    *,
    weights: LegWeights,
    ranked: Sequence[Candidate],
    passages: Sequence[Passage],
    verdict: EvidenceVerdict,
    timings_ms: dict[str, float],
) -> dict[str, Any]:
    """Return the trace as JSON values; ranks count from 1."""
    lexical = {c.chunk_key: (n, c.score) for n, c in enumerate(found.lexical.candidates, 1)}
    dense = {c.chunk_key: n for n, c in enumerate(found.dense.candidates, 1)}
    passage_of = {c.chunk_key: passage.rank for passage in passages for c in passage.chunks}
    candidates: list[dict[str, Any]] = []
    for rank, candidate in enumerate(ranked, 1):
        key = candidate.chunk_key
        chunk = found.chunks[key]
        lexical_rank, lexical_score = lexical.get(key, (None, None))
        candidates.append(
            {
                "fused_rank": rank,
                "lexical_rank": lexical_rank,
                "lexical_score": lexical_score,
                "dense_rank": dense.get(key),
                "cosine": found.cosines.get(key),
                "relative_path": chunk.relative_path,
                "heading_path": list(chunk.heading_path),
                "chunk_id": chunk.chunk_id,
                "passage": passage_of.get(key),
                "outcome": "kept" if key in passage_of else "dropped: ranks too low",
            }
        )
    return {
        "gate": {
            "confidence": verdict.confidence,
            "is_sufficient": verdict.is_sufficient,
            "rule": verdict.rule,
            "features": dict(verdict.features),
        },
        "legs": {
            "lexical_weight": weights.lexical,
            "dense_weight": weights.dense,
            "vector_share": found.vector_share,
            "stale_lexical_points": found.lexical.n_hidden,
            "stale_dense_points": found.dense.n_hidden,
        },
        "background": None
        if found.background is None
        else {"mean": found.background.mean, "spread": found.background.spread},
        "timings_ms": timings_ms,
        "candidates": candidates,
    }
