"""One ranking out of several.

The two legs of a search are fused by their scores, weighted for each question, because ranks alone
cannot say that a leg found nothing of use: the lexical leg always has a first candidate, also for a
question in another language. Rankings of several searches (parts of a question) are fused by rank.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from citewell.domain.chunk import SparseVector
from citewell.ports.index import Candidate

RANK_OFFSET = 60
"""Cormack, Clarke and Büttcher, 2009."""

LEXICAL_STRENGTH = 6.0
"""Standard deviations of cosine that a passage with all of the question's weight is worth; fitted
on half of XQuAD's articles, where quality is flat from 4 to 12."""

FOREIGN_FACTOR = 0.5
"""What is left of that for a passage in another language, where words meet by chance."""


@dataclass(frozen=True, slots=True)
class LegWeights:
    """What the legs' scores count for one question.

    Attributes:
        lexical: Per unit of lexical score, at least 0; 0 ignores the lexical leg.
        dense: Per unit of cosine, at least 0.
        vector_share: Share of the visible chunks that have a vector, in [0, 1].
    """

    lexical: float
    dense: float
    vector_share: float = 1.0


def leg_weights(
    query: SparseVector,
    lexical: Sequence[Candidate],
    *,
    cosine_spread: float,
    vector_share: float = 1.0,
    is_foreign: bool = False,
) -> LegWeights:
    """Weigh the legs by how much of the question's weight the lexical leg found.

    A cosine counts in units of its spread over unrelated chunks. A lexical score counts as its
    share of the question's whole weight, times that share for the best candidate: a question whose
    rare words occur nowhere (a wrong word, another language) leaves the order to the dense leg.

    Args:
        query: The question as searched, with the weight of terms that occur nowhere.
        lexical: The lexical leg's candidates, best first.
        cosine_spread: Standard deviation of the question's cosine to unrelated chunks, above 0.
        vector_share: Share of the visible chunks that have a vector, in [0, 1].
        is_foreign: Whether the lexical leg's best candidate is in another language than the
            question.

    Raises:
        ValueError: `cosine_spread` is not above 0, or `vector_share` is outside [0, 1].
    """
    if not cosine_spread > 0 or not 0 <= vector_share <= 1:
        raise ValueError("cosine_spread must be above 0 and vector_share in [0, 1]")
    whole = sum(query.values)
    best_share = lexical[0].score / whole if lexical and whole > 0 else 0.0
    strength = LEXICAL_STRENGTH * (FOREIGN_FACTOR if is_foreign else 1.0)
    return LegWeights(
        lexical=strength * best_share / whole if best_share > 0 else 0.0,
        dense=1.0 / cosine_spread,
        vector_share=vector_share,
    )


def fuse_legs(
    lexical: Sequence[Candidate],
    dense: Sequence[Candidate],
    *,
    weights: LegWeights,
    foreign: Collection[int] = (),
    foreign_score: float = 0.0,
) -> list[Candidate]:
    """Fuse the two legs of one search by weighted score.

    A candidate that the lexical leg lacks counts as 0 there. One that the dense leg lacks counts as
    its last candidate; while vectors lag, as so much more as it is likely to have no vector yet. So
    an old passage does not win for the mere reason that it has been embedded. A candidate whose
    words the question cannot match has at least `foreign_score` in the lexical leg.

    Args:
        lexical: Best first, BM25 scores.
        dense: Best first, cosines.
        weights: For this question.
        foreign: Keys of candidates in another script than the question.
        foreign_score: What they count in the lexical leg, at least 0.

    Returns:
        Every chunk once, best first; ties by chunk key. The scores order and mean nothing else.
    """
    lexical_scores = _scores(lexical)
    dense_scores = _scores(dense)
    last = min(dense_scores.values(), default=0.0)
    best = max(dense_scores.values(), default=0.0)
    missing = last + (1.0 - weights.vector_share) * (best - last)
    for key in foreign:
        lexical_scores[key] = max(lexical_scores.get(key, 0.0), foreign_score)
    fused = {
        key: weights.lexical * lexical_scores.get(key, 0.0)
        + weights.dense * dense_scores.get(key, missing)
        for key in lexical_scores | dense_scores
    }
    return _ordered(fused)


def fuse_rankings(
    rankings: Sequence[Sequence[Candidate]], *, weights: Sequence[float]
) -> list[Candidate]:
    """Fuse rankings by weighted reciprocal rank.

    The fused score is the sum over rankings of `weight / (60 + rank)`, rank from 1; the scores of
    the inputs are ignored, so rankings on different scales can be mixed (Cormack, Clarke and
    Büttcher, 2009).

    Args:
        rankings: Each best first; a chunk may be missing from some.
        weights: One per ranking, at least 0.

    Returns:
        Every chunk once, best first; ties by chunk key, so runs are repeatable.

    Raises:
        ValueError: The numbers of weights and rankings differ, or a weight is below 0.
    """
    if len(weights) != len(rankings) or any(weight < 0 for weight in weights):
        raise ValueError("fusion needs one weight of at least 0 per ranking")
    fused: dict[int, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, key in enumerate(dict.fromkeys(c.chunk_key for c in ranking), start=1):
            fused[key] = fused.get(key, 0.0) + weight / (RANK_OFFSET + rank)
    return _ordered(fused)


def _scores(ranking: Sequence[Candidate]) -> dict[int, float]:
    """Return each chunk's best score."""
    scores: dict[int, float] = {}
    for candidate in ranking:
        scores.setdefault(candidate.chunk_key, candidate.score)
    return scores


def _ordered(fused: Mapping[int, float]) -> list[Candidate]:
    order = sorted(fused.items(), key=lambda item: (-item[1], item[0]))
    return [Candidate(key, score) for key, score in order]
