"""Whether two texts negate the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from citewell.answering.verification.opposites import negations
from citewell.answering.verification.words import (
    ContentWord,
    content_words,
    searchable,
    share_of,
)
from citewell.domain.document import Span

_SCOPE = 3
"""Words that a negation is about; twice as many pairs of Chinese signs."""
_CLAUSE_END = re.compile(r"[,;:.]\s|[，；。：]")


def negation_conflicts(claim: str, evidence: str) -> Iterator[str]:
    """Yield what only one of two texts in one language negates; nothing if they agree.

    Args:
        claim: NFKC.
        evidence: NFKC; what it negates matters only if the claim repeats it.
    """
    scopes = [_scope(evidence, span) for span in negations(evidence)]
    claimed = [_scope(claim, span) for span in negations(claim)]
    if len(claimed) > len(scopes) or any(not _meets_any(scope, scopes) for scope in claimed):
        yield "negation"
    folded = searchable(claim)
    repeated = [scope for scope in scopes if _is_repeated(scope, folded)]
    if len(repeated) > len(claimed) or any(not _meets_any(s, claimed) for s in repeated):
        yield "negation left out"


def _scope(text: str, span: Span) -> tuple[ContentWord, ...]:
    """Return the words that a negation is about: those after it in its clause, or else before."""
    words = content_words(text)
    start, end = span
    after = [w for w in words if w.start >= start and not _CLAUSE_END.search(text, end, w.start)]
    before = [w for w in words if w.start < start and not _CLAUSE_END.search(text, w.start, start)]
    n_after = _SCOPE if text[end - 1 : end].isascii() else 2 * _SCOPE
    return tuple(after[:n_after] if len(after) > 1 else [*before[-_SCOPE:], *after])


def _meets_any(scope: Sequence[ContentWord], others: Sequence[Sequence[ContentWord]]) -> bool:
    """Whether another negation is about one of the words; an empty scope is about anything."""
    if not scope:
        return bool(others)
    return any(not other or any(_is_alike(a, b) for a in scope for b in other) for other in others)


def _is_alike(word: ContentWord, other: ContentWord) -> bool:
    return share_of(word, f" {other.text} ") > 0 or share_of(other, f" {word.text} ") > 0


def _is_repeated(scope: Sequence[ContentWord], folded: str) -> bool:
    """Whether text repeats most of what is negated."""
    found = sum(share_of(word, folded) > 0 for word in scope)
    return bool(scope) and found >= (len(scope) + 1) // 2
