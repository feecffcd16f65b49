"""Signs of Chinese that stand where the evidence has others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import pairwise

from citewell.answering.verification.han_names import is_han_name

MIN_ALIKE = 0.65
"""Share of a claim that stands in the evidence in the same order: else nothing has a place."""
_MAX_SLOT = 15
"""Signs up to which what differs is one thing."""
_LONG_SLOT = 3
"""Signs from which on other signs in their place are another thing, name or not."""
_DOTS = frozenset("·•‧・")
_LATIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_LINKS = frozenset("的是在与和了为被于将把从对")
_CLAUSE = re.compile("[，。；：,;]")
_COMMON_WORDS = (
    "大约|约有|左右|许多|很多|不少|但是|不过|然而|可是|因此|所以|因而|从而|开始|着手|例如|比如|譬如|"
    "诸如|坐落于|位于|坐落|处于|以及|还有|并且|而且|非常|十分|极其|特别|由于|因为|成为|变成|变为|作为|"
    "为了|大多数|多数|大部分|部分|一些|这些|那些|所有|各种|[。！？的是在于和与了为被将从把对也又就都]"
)
"""Words that others may stand for."""
_COMMON = re.compile(f"\\A(?:{_COMMON_WORDS})+|(?:{_COMMON_WORDS})+\\Z")
_BEFORE_NAMES = frozenset("的，由与和在对向给被把将从于即是为叫以、。") | {""}
_AFTER_NAMES = frozenset("的是在于将被和与、，。") | {""}


def replaced_han_names(claim: str, evidence: str) -> Iterator[str]:
    """Yield what a claim in Chinese says in the place of a name of the evidence.

    Args:
        claim: NFKC.
        evidence: NFKC.
    """
    said_by_both = "".join(claim.split()), "".join(evidence.split())
    for said, known, before, after in _gaps(*said_by_both):
        left, right = _COMMON.sub("", said), _COMMON.sub("", known)
        if min(len(left), len(right)) < 2 or right in said_by_both[0] or left in right:
            continue
        head, _, tail = said.partition(left)
        if _is_other(left, right, (before + head)[-1:], (tail + after)[:1]):
            yield left


def _gaps(claim: str, evidence: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield what stands between the same signs in both, with the sign before and after."""
    matcher = SequenceMatcher(None, claim, evidence, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size > 1]
    if sum(block.size for block in blocks) < MIN_ALIKE * len(claim):
        return
    edges = [(0, 0, 0), *((b.a, b.b, b.size) for b in blocks), (len(claim), len(evidence), 0)]
    for (a, b, size), (next_a, next_b, _) in pairwise(edges):
        said, known = claim[a + size : next_a], evidence[b + size : next_b]
        if not size:
            known = _CLAUSE.split(known)[-1]
        if next_a == len(claim):
            known = _CLAUSE.split(known)[0]
        if len(said) > 1 and len(known) > 1 and max(len(said), len(known)) <= _MAX_SLOT:
            yield said, known, claim[max(0, a + size - 1) : a + size], claim[next_a : next_a + 1]


def _is_other(said: str, known: str, before: str, after: str) -> bool:
    """Whether two runs of signs name two things."""
    if not _LATIN.isdisjoint(said) or not _LATIN.isdisjoint(known):
        return True
    if not _DOTS.isdisjoint(said + known) or is_han_name(said) or is_han_name(known):
        return True
    if not set(said).isdisjoint(known):
        return False
    if max(len(said), len(known)) >= _LONG_SLOT and _LINKS.isdisjoint(said + known):
        return True
    return before in _BEFORE_NAMES and after in _AFTER_NAMES
