"""How much of a question a passage holds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.domain.chunk import SparseVector
from citewell.lexical.analyze import distinct_terms
from citewell.lexical.languages import guess_language

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")


@dataclass(frozen=True, slots=True)
class PassageTerms:
    """The terms of a passage, sentence by sentence.

    Attributes:
        sentences: Terms of each sentence or line; roughly cut, as abbreviations do no harm here.
        context: Terms of title and headings, which hold for each sentence.
        language: As `guess_language` says.
    """

    sentences: tuple[frozenset[int], ...]
    context: frozenset[int]
    language: str | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares of a question's weight, each in [0, 1].

    Attributes:
        passage: What occurs anywhere in the passage.
        sentence: What occurs in the one sentence that holds most of it; unlike `passage` it does
            not grow with the length of the passage.
    """

    passage: float
    sentence: float


def read_passage(text: str, *, context: str = "") -> PassageTerms:
    """Return the terms of a passage.

    Args:
        text: Of the passage.
        context: Its title and headings.
    """
    return PassageTerms(
        sentences=tuple(distinct_terms(part) for part in _SENTENCE_END.split(text) if part),
        context=distinct_terms(context),
        language=guess_language(text),
    )


def cover_question(query: SparseVector, passage: PassageTerms) -> Coverage:
    """Return how much of a question's weight the terms of a passage make up.

    Args:
        query: As from `weigh_query`, with the weight of terms that occur nowhere.
        passage: Its terms.
    """
    weights = dict(zip(query.indices, query.values, strict=True))
    whole = sum(weights.values())
    if not whole > 0:
        return Coverage(0.0, 0.0)
    known = passage.context & weights.keys()
    shared = [known | (sentence & weights.keys()) for sentence in passage.sentences]
    found = known.union(*shared)
    return Coverage(
        passage=_weight(found, weights) / whole,
        sentence=max((_weight(terms, weights) for terms in shared), default=0.0) / whole,
    )


def _weight(terms: frozenset[int], weights: dict[int, float]) -> float:
    return sum(weights[term_id] for term_id in sorted(terms))
