"""Units that say nearly what a sentence says, but of something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from citewell.answering.verification.evidence import EvidenceUnit

_MOST_COVERED = 0.9
"""Share of a sentence's content from which on the units that hold it are near enough."""
_MIN_WEIGHT = 2.5
"""Weight of the other words, without which nothing is said of the gap."""
_MIN_SHARE = 0.4
"""Share of the sentence that the other words make up."""
_MIN_NEARLY_SAME = 0.75
"""Share of the other words from which on a unit says nearly the same."""
_MIN_NEARER = 0.2
"""How much more of them it holds than the units that support the sentence."""


def nearer_units(
    weights: Sequence[float],
    units: Sequence[EvidenceUnit],
    others: Sequence[EvidenceUnit],
    *,
    shares_in: Callable[[str], Sequence[float]],
) -> Iterator[EvidenceUnit]:
    """Yield units that have all but a run of words, and the rest better than other units.

    `Fort X was renamed Y` may find the name Y in a sentence about something else, while another
    one says what the fort was renamed.

    Args:
        weights: Of the sentence's words, in order; above 0.
        units: That seem to support it, at least one.
        others: All units of the passages.
        shares_in: Returns how much of each word folded text holds, in [0, 1].
    """
    found = [max(shares) for shares in zip(*(shares_in(u.folded) for u in units), strict=True)]
    whole = sum(weights)
    if whole < _MIN_WEIGHT or _dot(weights, found) > _MOST_COVERED * whole:
        return
    for other in others:
        shares = shares_in(other.folded)
        start, end = _longest_gap(weights, shares)
        rest = [w * (not start <= place < end) for place, w in enumerate(weights)]
        total = sum(rest)
        if start == end or total < max(_MIN_WEIGHT, _MIN_SHARE * whole):
            continue
        there, here = _dot(rest, shares) / total, _dot(rest, found) / total
        if there >= _MIN_NEARLY_SAME and there >= here + _MIN_NEARER:
            yield other


def _dot(weights: Sequence[float], shares: Sequence[float]) -> float:
    return sum(weight * share for weight, share in zip(weights, shares, strict=True))


def _longest_gap(weights: Sequence[float], shares: Sequence[float]) -> tuple[int, int]:
    """Return the range of the heaviest run of words that a unit has nothing of."""
    best, heaviest, start, weight = (0, 0), 0.0, 0, 0.0
    for place, (word, share) in enumerate(zip(weights, shares, strict=True)):
        if share:
            start, weight = place + 1, 0.0
            continue
        weight += word
        if weight > heaviest:
            best, heaviest = (start, place + 1), weight
    return best
