"""What the gate looks at: numbers that tell an answered question from one that is not."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from citewell.domain.chunk import SparseVector
from citewell.lexical.cover import PassageWords, cover_question, read_question
from citewell.lexical.languages import is_in_other_language
from citewell.ports.index import Candidate
from citewell.retrieval.background import Background

PRIOR_COSINES = 8
"""Cosines that the embedder's usual spread counts as, next to those of the sample."""
PRIOR_MEANS = 2
"""The same for its usual mean, which differs more from question to question."""
POOLED_PASSAGES = 5


@dataclass(frozen=True, slots=True)
class CosineScale:
    """How an embedder's cosines of unrelated texts are spread.

    Attributes:
        mean: Over questions and chunks of other topics, in [-1, 1].
        spread: Standard deviation for one question, above 0.
    """

    mean: float
    spread: float


@dataclass(frozen=True, slots=True)
class GateFeatures:
    """Evidence for one question: words of the best passage, similarity of the best chunk.

    Attributes:
        best_cosine: Highest cosine of any candidate, in [-1, 1]; None while the best passage has no
            vector.
        first_cosine: The same of the best passage; None as above.
        cosine_z: The best cosine above the background, in standard deviations; 0 without vectors.
        sentence_coverage: Share of the question's weight in one sentence of the best passage.
        pooled_coverage: In the best sentence of the first five passages.
        widest_coverage: In the whole of the one of them that holds most.
        lexical_share: Best lexical score as a share of the question's weight, at least 0.
        lexical_margin: Its lead over the best that lies elsewhere than in the best passage, as a
            share of it, in [0, 1].
        disagreement: `ln(1 + n)` of the n candidates more similar than the best lexical one.
        corpus_size: `sqrt(2 ln n)` of the visible chunks, as the best of n grows.
        question_length: Natural logarithm of one more than the question's terms.
        other_language: Whether the best passage is in another language than the question, as far
            as can be told; its words then tell nothing.
        language: Of the best passage, as `guess_language` says.
    """

    best_cosine: float | None
    first_cosine: float | None
    cosine_z: float
    sentence_coverage: float
    pooled_coverage: float
    widest_coverage: float
    lexical_share: float
    lexical_margin: float
    disagreement: float
    corpus_size: float
    question_length: float
    other_language: bool
    language: str | None


@dataclass(frozen=True, slots=True)
class SearchEvidence:
    """What a search found, in the form that features are made of.

    Attributes:
        question: As asked.
        query: As searched by the lexical leg.
        n_chunks: Chunks that the reader may see.
        lexical: Candidates of the lexical leg, best first.
        cosines: Of every candidate that has a vector, by chunk key.
        background: Of the question; None without vectors.
        passages: Their terms, best first, at least one; those after the fifth are ignored.
        first_keys: Keys of the chunks that make up the first passage.
    """

    question: str
    query: SparseVector
    n_chunks: int
    lexical: Sequence[Candidate]
    cosines: Mapping[int, float]
    background: Background | None
    passages: Sequence[PassageWords]
    first_keys: Collection[int]


def measure_features(evidence: SearchEvidence, *, scale: CosineScale) -> GateFeatures:
    """Return what the gate looks at.

    Args:
        evidence: Of one question, with at least one passage.
        scale: Of the embedder in use; steadies the background of a small corpus.
    """
    passages = evidence.passages[:POOLED_PASSAGES]
    words = read_question(evidence.question, evidence.query)
    pooled = [cover_question(words, passage) for passage in passages]
    share, margin = _lexical_lead(evidence)
    best_cosine, first_cosine, z = _cosine_lead(evidence, scale)
    return GateFeatures(
        best_cosine=best_cosine,
        first_cosine=first_cosine,
        cosine_z=z,
        sentence_coverage=pooled[0].sentence,
        pooled_coverage=max(coverage.sentence for coverage in pooled),
        widest_coverage=max(coverage.passage for coverage in pooled),
        lexical_share=share,
        lexical_margin=margin,
        disagreement=_disagreement(evidence),
        corpus_size=math.sqrt(2 * math.log(max(evidence.n_chunks, 2))),
        question_length=math.log1p(len(evidence.query.indices)),
        other_language=is_in_other_language(evidence.question, passages[0].language),
        language=passages[0].language,
    )


def _lexical_lead(evidence: SearchEvidence) -> tuple[float, float]:
    """Return the best score as a share of the question, and its lead as a share of it."""
    whole = sum(evidence.query.values)
    if not evidence.lexical or not whole > 0 or not evidence.lexical[0].score > 0:
        return 0.0, 0.0
    best = evidence.lexical[0].score
    elsewhere = (c.score for c in evidence.lexical[1:] if c.chunk_key not in evidence.first_keys)
    return best / whole, (best - next(elsewhere, 0.0)) / best


def _disagreement(evidence: SearchEvidence) -> float:
    """Return how far down by cosine the lexical leg's best candidate is."""
    if not evidence.lexical or not evidence.cosines:
        return 0.0
    own = evidence.cosines.get(evidence.lexical[0].chunk_key, -1.0)
    return math.log1p(sum(cosine > own for cosine in evidence.cosines.values()))


def _cosine_lead(
    evidence: SearchEvidence, scale: CosineScale
) -> tuple[float | None, float | None, float]:
    """Return the best cosine, the best passage's, and the first's lead in standard deviations."""
    own = [evidence.cosines[key] for key in evidence.first_keys if key in evidence.cosines]
    if evidence.background is None or not own:
        return None, None, 0.0
    best = max(evidence.cosines.values())
    usual = _steady_background(evidence.background, best, evidence.n_chunks, scale=scale)
    return best, max(own), (best - usual.mean) / usual.spread


def _steady_background(
    background: Background, best: float, n_chunks: int, *, scale: CosineScale
) -> CosineScale:
    """Return the background without the best candidate, mixed with the embedder's usual scale.

    A sample of a small corpus holds every chunk, the best one included, and few others.
    """
    n = background.n_sampled
    mean, variance = background.mean, background.spread**2
    if n > 1 and n_chunks <= n:
        rest = (n * mean - best) / (n - 1)
        squares = n * (variance + mean**2) - best**2
        variance = max(squares / (n - 1) - rest**2, 0.0)
        mean, n = rest, n - 1
    mixed = (n * variance + PRIOR_COSINES * scale.spread**2) / (n + PRIOR_COSINES)
    return CosineScale(
        mean=(n * mean + PRIOR_MEANS * scale.mean) / (n + PRIOR_MEANS),
        spread=math.sqrt(mixed),
    )
