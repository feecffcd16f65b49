"""Whether the passages that were found are likely to answer the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from citewell.domain.chunk import SparseVector
from citewell.domain.passage import Passage
from citewell.ports.index import Candidate
from citewell.retrieval.background import Background


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a search found, as far as it tells whether the question is answered.

    Attributes:
        question: As asked.
        query: Its terms with their inverse document frequency.
        n_chunks: Chunks that the reader may see.
        lexical: Candidates of the lexical leg, best first.
        cosines: Similarity of every candidate that has a vector, by chunk key.
        background: Of the question; None without vectors.
        passages: Best first.
        vector_share: Share of the reader's chunks that have a vector, in [0, 1].
    """

    question: str
    query: SparseVector
    n_chunks: int
    lexical: tuple[Candidate, ...]
    cosines: Mapping[int, float]
    background: Background | None
    passages: tuple[Passage, ...]
    vector_share: float


@dataclass(frozen=True, slots=True)
class EvidenceVerdict:
    """What the gate says.

    Attributes:
        confidence: Calibrated probability in [0, 1]; 0 without passages.
        is_sufficient: Whether an answer may be given.
        rule: Which rule decided.
        features: What it decided by.
    """

    confidence: float
    is_sufficient: bool
    rule: str
    features: Mapping[str, float] = field(default_factory=dict[str, float])


class EvidenceJudge(Protocol):
    """Decides whether evidence is enough."""

    def judge_evidence(self, evidence: Evidence) -> EvidenceVerdict:
        """Return the verdict on what a search found."""
        ...
