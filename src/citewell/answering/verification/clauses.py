"""A long sentence that sums up what a passage says in several, clause by clause in its order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby

from citewell.answering.verification.claim import Claim
from citewell.answering.verification.evidence import EvidenceUnit
from citewell.answering.verification.trial import Trial, place_of
from citewell.lexical.scripts import dominant_script

_END = re.compile(r"[,;:]\s+|[，；：]")
_MIN_WEIGHT = 1.5
"""Content of a clause that says something by itself; less belongs to the clause before it."""
_MIN_CLAUSES = 3
_LONG = 160
"""Characters from which on a sentence may sum up several; fewer Chinese signs say as much."""
_LONG_HAN = 60


def try_clauses(
    sentence: str, units: Sequence[EvidenceUnit], make_claim: Callable[[str], Claim]
) -> Trial | None:
    """Return the units of one chunk that support the clauses of a sentence in turn, or None.

    Every clause is held by units that do not stand before those of the clause before it.

    Args:
        sentence: A part of one, that no unit supports as a whole.
        units: Of all passages.
        make_claim: Makes a claim of a clause.
    """
    is_han = dominant_script(sentence) == "han"
    if len(sentence) < (_LONG_HAN if is_han else _LONG):
        return None
    claims = _claims(sentence, make_claim)
    if len(claims) < _MIN_CLAUSES:
        return None
    for _, group in groupby(units, key=lambda unit: unit.chunk.chunk_id):
        found = _in_turn(claims, list(group))
        if found:
            covered = min(trial.covered for trial in found)
            used = {place_of(unit): unit for trial in found for unit in trial.units}
            return Trial(tuple(used.values()), covered, (), is_supported=True)
    return None


def _claims(sentence: str, make_claim: Callable[[str], Claim]) -> list[Claim]:
    """Return claims of the clauses; what says too little alone is joined to the clause before."""
    starts = [0, *(match.end() for match in _END.finditer(sentence))]
    pieces: list[str] = []
    for start, end in zip(starts, [*starts[1:], len(sentence)], strict=True):
        piece = sentence[start:end]
        if pieces and make_claim(piece).weight < _MIN_WEIGHT:
            pieces[-1] += piece
        else:
            pieces.append(piece)
    return [make_claim(piece.strip().rstrip(",;:，；：")) for piece in pieces]


def _in_turn(claims: Sequence[Claim], units: Sequence[EvidenceUnit]) -> list[Trial]:
    """Return a trial per claim, each from where the last one began; empty if one fails."""
    trials: list[Trial] = []
    for claim in claims:
        trial = claim.try_units(units, units)
        if trial is None or not trial.is_supported:
            return []
        trials.append(trial)
        first = min(place_of(unit) for unit in trial.units)
        units = [unit for unit in units if place_of(unit) >= first]
    return trials
