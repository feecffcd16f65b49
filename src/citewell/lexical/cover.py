"""How much of a question a passage holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citewell.domain.chunk import SparseVector
from citewell.lexical.analyze import analyze

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares of a question's weight, each in [0, 1].

    Attributes:
        passage: What occurs anywhere in the passage.
        sentence: What occurs in the one sentence or line that holds most of it; unlike `passage` it
            does not grow with the length of the passage.
    """

    passage: float
    sentence: float


def cover_question(query: SparseVector, text: str) -> Coverage:
    """Return how much of a question's weight the terms of `text` make up.

    Args:
        query: As from `weigh_query`, with the weight of terms that occur nowhere.
        text: A passage; its title and headings may precede it, on a line of their own.
    """
    weights = dict(zip(query.indices, query.values, strict=True))
    whole = sum(weights.values())
    if not whole > 0:
        return Coverage(0.0, 0.0)
    found: set[int] = set()
    best = 0.0
    for sentence in _sentences(text):
        shared = weights.keys() & analyze(sentence).keys()
        found |= shared
        best = max(best, sum(weights[term_id] for term_id in sorted(shared)))
    return Coverage(sum(weights[term_id] for term_id in sorted(found)) / whole, best / whole)


def _sentences(text: str) -> Iterator[str]:
    """Cut at the ends of sentences and lines; roughly, as abbreviations do no harm here."""
    return (part for part in _SENTENCE_END.split(text) if part)
