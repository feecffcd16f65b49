"""Weights of the lexical leg: the dot product of a chunk's and a question's vector is BM25.

A chunk's weights depend on the chunk alone, never on the corpus: the average length is a constant.
All statistics come with the question, from document frequencies that the caller counted over what
the reader may see. So deleting or hiding a document changes scores at once, and only through those.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache

from citewell.domain.chunk import SparseVector
from citewell.lexical.analyze import analyze
from citewell.lexical.question_words import drop_question_words

K1 = 1.2
B = 0.75
AVERAGE_LENGTH = 400.0
"""Terms of a usual chunk; a constant instead of the corpus's average. Quality is flat from 250."""

MAX_CHUNK_WEIGHT = K1 + 1
"""What no term's weight in a chunk reaches."""

TITLE_WEIGHT = 1.0
HEADING_WEIGHT = 1.0

COMMON_SHARE = 0.5
"""A term in more than this share of a large corpus is not searched with (0.2 costs 0.01 nDCG)."""
LARGE_CORPUS = 1_000
"""Chunks from which on leaving out common terms saves time that a reader could notice."""
MAX_POSTINGS = 1_000_000
"""Chunks that a question's terms may name in all, so that cost does not grow with the corpus."""
MAX_QUESTION_TERMS = 96
"""Terms that a question searches with; the rest of a pasted page adds cost, not recall."""


def weigh_chunk(content: str, *, title: str = "", heading_path: Sequence[str] = ()) -> SparseVector:
    """Return the saturated, length-normalised term frequencies of a chunk.

    `tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))` (Robertson and Zaragoza, 2009),
    where `tf` adds up over the fields with their weights before saturation (BM25F) and `length`
    is that of the content.

    Returns:
        Values in (0, k1 + 1), arrays; empty if there is no term. Document frequencies count its
        indices.
    """
    frequencies: dict[int, float] = dict(analyze(content))
    length = sum(frequencies.values())
    for term_id, count in _context_frequencies(title, tuple(heading_path)):
        frequencies[term_id] = frequencies.get(term_id, 0.0) + count
    bend = K1 * (1 - B + B * length / AVERAGE_LENGTH)
    indices = sorted(frequencies)
    weight_of = {f: f * (K1 + 1) / (f + bend) for f in set(frequencies.values())}
    values = map(weight_of.__getitem__, map(frequencies.__getitem__, indices))
    return SparseVector(array("I", indices), array("f", values))


@lru_cache(maxsize=256)
def _context_frequencies(
    title: str, heading_path: tuple[str, ...]
) -> tuple[tuple[int, float], ...]:
    """Return the weighted frequencies of title and headings, which neighbours share."""
    frequencies: dict[int, float] = {}
    heading = " \n".join(part for part in dict.fromkeys(heading_path) if part != title)
    for text, weight in ((title, TITLE_WEIGHT), (heading, HEADING_WEIGHT)):
        for term_id, count in analyze(text).items():
            frequencies[term_id] = frequencies.get(term_id, 0.0) + weight * count
    return tuple(frequencies.items())


def question_terms(question: str) -> tuple[int, ...]:
    """Return the hashed terms whose document frequencies `weigh_query` needs, ascending."""
    return tuple(sorted(analyze(drop_question_words(question))))


def weigh_query(
    question: str, document_frequencies: Mapping[int, int], n_chunks: int
) -> SparseVector:
    """Return the inverse document frequency of each of the question's terms.

    `ln(1 + (n - df + 0.5) / (df + 0.5))`, always above 0, times the term's occurrences in
    the question. Words that only ask are left out; in a large corpus also very common terms, the
    commonest first, unless the question has nothing rarer: they cost the most and tell the least.

    Args:
        question: As asked.
        document_frequencies: In how many of the reader's visible chunks a term occurs; missing
            means 0.
        n_chunks: The reader's visible chunks, at least 0.

    Returns:
        At most `MAX_QUESTION_TERMS` terms, the rarest; empty if the question has no term.
    """
    counts = analyze(drop_question_words(question))
    rarest_first = sorted((document_frequencies.get(i, 0), i) for i in counts)
    kept = _affordable(rarest_first[:MAX_QUESTION_TERMS], n_chunks)
    weights = sorted(
        (term_id, counts[term_id] * inverse_document_frequency(df, n_chunks))
        for df, term_id in kept
    )
    return SparseVector(tuple(i for i, _ in weights), tuple(w for _, w in weights))


def _affordable(rarest_first: list[tuple[int, int]], n_chunks: int) -> list[tuple[int, int]]:
    """Return the first term that occurs, and what follows within the limits of cost."""
    if n_chunks < LARGE_CORPUS:
        return rarest_first
    kept: list[tuple[int, int]] = []
    postings = 0
    for df, term_id in rarest_first:
        is_too_common = df > COMMON_SHARE * n_chunks or postings + df > MAX_POSTINGS
        if is_too_common and postings:
            break
        kept.append((df, term_id))
        postings += df
    return kept


def inverse_document_frequency(document_frequency: int, n_chunks: int) -> float:
    """Return `ln(1 + (n - df + 0.5) / (df + 0.5))`, above 0 also for a term in every chunk."""
    df = min(max(document_frequency, 0), n_chunks)
    return math.log1p((n_chunks - df + 0.5) / (df + 0.5))
