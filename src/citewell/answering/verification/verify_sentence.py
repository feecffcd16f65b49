"""Whether passages support a sentence, and the words that do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citewell.answering.quoting.quote import Quote
from citewell.answering.verification.claim import Claim
from citewell.answering.verification.claim_parts import split_claim
from citewell.answering.verification.clauses import try_clauses
from citewell.answering.verification.evidence import EvidenceUnit, evidence_units
from citewell.answering.verification.translations import (
    Similarities,
)
from citewell.answering.verification.trial import Trial, badness, place_of
from citewell.domain.passage import Passage
from citewell.lexical.languages import guess_language
from citewell.lexical.scripts import dominant_script

_MIN_TOLD_BY_ONE = 0.75
"""Share of a sentence from which on one unit tells all: clauses do not mend what it denies."""


@dataclass(frozen=True, slots=True)
class Support:
    """Words that support a sentence.

    Attributes:
        passage: Index of their passage, from 0.
        quote: The exact words, in one chunk.
    """

    passage: int
    quote: Quote


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """Whether passages support a sentence.

    Attributes:
        is_supported: Whether all its facts and enough of its content are there.
        support: The smallest quotes that hold them, in order of passage; empty if there are none.
        covered: Share of the content that the best units hold, in [0, 1].
        failures: What is wrong, for a log and for repair, such as `number 21 is not in passage 2`;
            a wrong marker may be among them although the sentence is supported.
    """

    is_supported: bool
    support: tuple[Support, ...]
    covered: float
    failures: tuple[str, ...]


def verify_sentence(
    sentence: str,
    passages: Sequence[Passage],
    *,
    cited: Sequence[int] = (),
    question: str = "",
    similarities: Similarities | None = None,
) -> SentenceVerdict:
    """Return whether passages support a sentence: those that it cites, or else any.

    Args:
        sentence: Without markers.
        passages: Retrieved for this request.
        cited: Indexes of the cited passages, from 0; they may be wrong.
        question: As asked; its common nouns may be said in other words by the passage, and it says
            what a sentence of a number alone is about.
        similarities: Compares texts of two languages; without it a translation is not supported.
    """
    known = [index for index in dict.fromkeys(cited) if 0 <= index < len(passages)]
    wrong = tuple(f"there is no passage {index + 1}" for index in cited if index not in known)
    units = evidence_units(passages)
    language = _language_of(sentence, units)

    def make_claim(text: str) -> Claim:
        return Claim(text, language=language, question=question, similarities=similarities)

    trials: list[Trial] = []
    for part in split_claim(sentence):
        trial = _verify(make_claim(part), units, known)
        is_told_by_one = len(trial.units) == 1 and trial.covered >= _MIN_TOLD_BY_ONE
        is_done = trial.is_supported or is_told_by_one
        in_turn = None if is_done else try_clauses(part, units, make_claim)
        trials.append(in_turn or trial)
    failures = dict.fromkeys((*wrong, *(failure for t in trials for failure in t.failures)))
    covered = min(trial.covered for trial in trials)
    if any(not trial.is_supported for trial in trials):
        return SentenceVerdict(
            is_supported=False, support=(), covered=covered, failures=tuple(failures)
        )
    used = {place_of(unit): unit for trial in trials for unit in trial.units}
    support = _support([used[place] for place in sorted(used)], passages)
    return SentenceVerdict(
        is_supported=True, support=support, covered=covered, failures=tuple(failures)
    )


def _language_of(sentence: str, units: Sequence[EvidenceUnit]) -> str | None:
    """Return the language of a sentence, by that of all passages if it is too short to tell."""
    language = guess_language(sentence)
    if language != "latin":
        return language
    known = {unit.language for unit in units if dominant_script(unit.text) == "latin"}
    return known.pop() if len(known) == 1 else language


def _verify(claim: Claim, units: Sequence[EvidenceUnit], known: Sequence[int]) -> Trial:
    """Return the units that support a part of a sentence: cited ones, or else any."""
    if not claim.words and not claim.facts.ranges:
        return Trial((), 0.0, ("says nothing that can be checked",))
    cited = claim.try_units([unit for unit in units if unit.passage in known], units)
    if cited and cited.is_supported:
        return cited
    other = claim.try_units([unit for unit in units if unit.passage not in known], units)
    if other and other.is_supported:
        moved = tuple(f"passage {index + 1} does not support it" for index in known)
        return replace(other, failures=moved)
    failed = min((trial for trial in (cited, other) if trial), key=badness, default=None)
    if failed is None:
        return Trial((), 0.0, ("there is no passage",))
    place = failed.units[0].passage + 1
    failures = tuple(f"{failure} is not in passage {place}" for failure in failed.failures)
    return replace(failed, failures=failures)


def _support(units: Sequence[EvidenceUnit], passages: Sequence[Passage]) -> tuple[Support, ...]:
    """Return a quote per unit; units that follow each other become one quote."""
    groups: list[list[EvidenceUnit]] = []
    for unit in units:
        last = groups[-1][-1] if groups else None
        if last and last.chunk is unit.chunk and unit.place == last.place + 1:
            groups[-1].append(unit)
        else:
            groups.append([unit])
    return tuple(
        Support(
            passage=group[0].passage,
            quote=Quote(
                chunk=group[0].chunk,
                units=tuple(unit.unit for unit in group),
                score=1.0,
                passage_score=passages[group[0].passage].score,
            ),
        )
        for group in groups
    )
