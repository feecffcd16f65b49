"""Units that were tried as the support of a sentence, and what they lack."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.answering.verification.compare_facts import EvidenceFacts
from citewell.answering.verification.evidence import EvidenceUnit
from citewell.answering.verification.facts import normalize, read_facts


@dataclass(frozen=True, slots=True)
class Trial:
    """Units that were tried together.

    Attributes:
        units: At least one, unless there is none at all.
        covered: Share of the sentence's content that they hold, in [0, 1].
        failures: What they lack.
        is_supported: Whether they support the sentence.
        lacks_words_only: Whether they hold all facts, but say them in other words.
    """

    units: tuple[EvidenceUnit, ...]
    covered: float
    failures: tuple[str, ...]
    is_supported: bool = False
    lacks_words_only: bool = False


def badness(trial: Trial) -> tuple[int, float]:
    """Return what trials are sorted by, the best first."""
    return len(trial.failures), -trial.covered


def facts_of(units: tuple[EvidenceUnit, ...], asked: str) -> EvidenceFacts:
    """Return the facts of units that are tried together, and of what is around them."""
    language = units[0].language
    return EvidenceFacts(
        own=tuple(unit.facts for unit in units),
        around=read_facts("\n".join(dict.fromkeys(unit.around for unit in units)), language),
        before=normalize("\n".join(dict.fromkeys(unit.before for unit in units))),
        above="\n".join(dict.fromkeys(unit.above for unit in units)),
        whole="\n".join(dict.fromkeys(unit.chunk.content for unit in units)),
        asked=asked,
    )


def place_of(unit: EvidenceUnit) -> tuple[int, int, int]:
    """Return what tells a unit from all others, in order of passage and position."""
    return unit.passage, unit.chunk.ordinal, unit.place
