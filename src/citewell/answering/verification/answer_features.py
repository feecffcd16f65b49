"""What tells that supported words are about something else than what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from citewell.answering.verification.antonyms import count_antonyms
from citewell.answering.verification.evidence import EvidenceUnit
from citewell.answering.verification.facts import Facts, read_facts
from citewell.answering.verification.negated import negation_conflicts
from citewell.answering.verification.opposites import turned_words
from citewell.answering.verification.words import ContentWord, content_words, searchable, share_of
from citewell.lexical.question_words import drop_question_words

_PEOPLES = """
france french|england english|ireland irish|switzerland swiss|netherlands dutch|spain spanish
germany german|greece greek|wales welsh|scotland scottish|china chinese|poland polish|turkey turkish
denmark danish|sweden swedish|portugal portuguese|europe european|britain british|japan japanese
"""
_COUNTRY_OF = {
    word: other
    for pair in _PEOPLES.strip().replace("\n", "|").split("|")
    for word, other in permutations(pair.split())
}
_START = re.compile(r"(?:King|Queen|President|Pope|City|Town|State|Country|Name)\Z")
_MOST = 2
"""From which on more of the same tells no more."""
_SMALL = 10
"""Counts up to which `what two towns` says how many answers there are, not what is counted."""


@dataclass(frozen=True, slots=True)
class AnswerFeatures:
    """How far supporting words are from a question; all at least 0.

    Attributes:
        unsaid: Share of the question's content that the quoted units lack, in [0, 1].
        unknown_names: Names of the question that are nowhere in their chunks.
        far_names: Names that are in their chunks, but not near.
        unknown_numbers: Numbers and dates of the question that are nowhere in their chunks.
        opposites: Pairs of opposites of which question and units have one side each.
        negated: 1 if one of the two is negated and the other not.
    """

    unsaid: float
    unknown_names: float
    far_names: float
    unknown_numbers: float
    opposites: float
    negated: float


def measure_answer(
    question: str, units: Sequence[EvidenceUnit], others: Sequence[EvidenceUnit]
) -> AnswerFeatures:
    """Return how far units are from a question.

    Args:
        question: As asked.
        units: That support the answer, at least one.
        others: All units of the passages.
    """
    asked = read_facts(question, units[0].language)
    words = _words(asked)
    own = searchable(" ".join(unit.text for unit in units))
    near = searchable("\n".join(_near(units, others)))
    chunks = {unit.chunk.chunk_id for unit in units}
    texts = [unit.text for unit in others if unit.chunk.chunk_id in chunks]
    whole = "\n".join((*(unit.around for unit in units), *texts))
    anywhere = near + searchable(whole)
    names = [name.text for name in asked.names if name.is_certain]
    unknown = [name for name in names if not _has(name, anywhere)]
    far = [name for name in names if name not in unknown and not _has(name, near)]
    text = "\n".join(unit.text for unit in units)
    return AnswerFeatures(
        unsaid=_unsaid(words, own),
        unknown_names=_capped(len(unknown)),
        far_names=_capped(len(far)),
        unknown_numbers=_capped(_unknown_numbers(asked, whole)),
        opposites=_capped(len(turned_words(question, text)) + _n_antonyms(words, own)),
        negated=float(any(negation_conflicts(asked.text, text))),
    )


def _capped(count: int) -> float:
    return float(min(count, _MOST))


def _n_antonyms(words: Sequence[ContentWord], folded: str) -> int:
    return count_antonyms(tuple(word.text for word in words), folded)


def _words(asked: Facts) -> list[ContentWord]:
    bare = drop_question_words(asked.text)
    ranges = read_facts(bare, asked.language).ranges
    return [w for w in content_words(bare) if not any(a <= w.start < b for a, b in ranges)]


def _near(units: Sequence[EvidenceUnit], others: Sequence[EvidenceUnit]) -> Iterator[str]:
    """Yield the texts of units, their headings, and of what stands just before and after."""
    places = {(unit.chunk.chunk_id, unit.place + step) for unit in units for step in (-2, -1, 0, 1)}
    for unit in units:
        yield unit.around
    for other in others:
        if (other.chunk.chunk_id, other.place) in places:
            yield other.text


def _unsaid(words: Sequence[ContentWord], folded: str) -> float:
    whole = sum(word.weight for word in words)
    if not whole:
        return 0.0
    return 1.0 - sum(word.weight * share_of(word, folded) for word in words) / whole


def _has(name: str, folded: str) -> bool:
    """Whether folded text has a name, or the name of its country or people."""
    words = content_words(name)
    other = _COUNTRY_OF.get(name.casefold())
    return (
        all(share_of(word, folded) > 0 for word in words)
        or _START.match(name) is not None
        or (other is not None and f" {other}" in folded)
    )


def _unknown_numbers(asked: Facts, text: str) -> int:
    said = [q.values for q in asked.quantities if q.measure or q.is_decade or q.value > _SMALL]
    if not said and not asked.dates:
        return 0
    known = read_facts(text, asked.language).numbers
    n_unknown = sum(known.isdisjoint(values) for values in said)
    for date in asked.dates:
        parts = [float(p) for p in date.readings[0] if p is not None]
        n_unknown += any(part not in known for part in parts)
    return n_unknown
