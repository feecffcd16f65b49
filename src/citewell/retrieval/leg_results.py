"""What both legs of a search found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from citewell.domain.chunk import SparseVector
from citewell.domain.passage import VisibleChunk
from citewell.retrieval.background import Background
from citewell.retrieval.search_legs import VisibleRanking


@dataclass(frozen=True, slots=True)
class LegResults:
    """What both legs found for one question.

    Attributes:
        query: The question as the lexical leg searched it.
        n_chunks: Chunks that the reader may see.
        lexical: Of the lexical leg.
        dense: Of the dense leg; empty where vectors are missing.
        chunks: Every candidate of either leg, by chunk key.
        cosines: Similarity to the question of every candidate that has a vector, by chunk key.
        background: Of the question; None without vectors.
        vector_share: Share of the reader's visible chunks that have a vector, in [0, 1].
    """

    query: SparseVector
    n_chunks: int
    lexical: VisibleRanking
    dense: VisibleRanking
    chunks: Mapping[int, VisibleChunk]
    cosines: Mapping[int, float]
    background: Background | None
    vector_share: float
