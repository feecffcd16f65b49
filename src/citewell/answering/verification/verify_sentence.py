"""Whether passages support a sentence, and the words that do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from citewell.answering.quoting.quote import Quote
from citewell.answering.verification.claim_parts import split_claim
from citewell.answering.verification.compare_facts import EvidenceFacts, missing_facts
from citewell.answering.verification.evidence import EvidenceUnit, evidence_units
from citewell.answering.verification.facts import Facts, read_facts
from citewell.answering.verification.tables import misplaced_numbers, misplaced_words
from citewell.answering.verification.translations import (
    MIN_CLOSENESS,
    Similarities,
    measure_closeness,
)
from citewell.answering.verification.words import ContentWord, content_words, searchable, share_of
from citewell.domain.passage import Passage
from citewell.lexical.languages import guess_language, is_in_other_language
from citewell.lexical.scripts import dominant_script

MIN_COVERED = 0.5
"""Share of a sentence's content that its units hold, from which on they support it."""
MIN_COVERED_TOGETHER = 0.65
"""The same for two units, which hold more words by chance."""
MIN_COVERED_LEAST = 0.33
"""The same without what headings and neighbours add."""
_FACT_WEIGHT = 0.7
"""What a number or date counts beside the words: it is there, or the sentence fails."""
_MIN_ADDED = 1.2
_CONJUNCTION = re.compile(r",|\b(?:and|und|ve|while|während)\b|[，、和与而]", re.IGNORECASE)
N_CANDIDATES = 6
N_TRANSLATIONS = 12
"""Units in another language whose meaning is compared at most; each costs some 10 ms."""
N_COMPARED = 16
"""Other units that are compared beside them."""


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


@dataclass(frozen=True, slots=True)
class _Trial:
    """Units that were tried together, and what they lack."""

    units: tuple[EvidenceUnit, ...]
    covered: float
    failures: tuple[str, ...]
    is_supported: bool = False


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
        question: As asked; its common nouns may be said in other words by the passage.
        similarities: Compares texts of two languages; without it a translation is not supported.
    """
    known = [index for index in dict.fromkeys(cited) if 0 <= index < len(passages)]
    wrong = tuple(f"there is no passage {index + 1}" for index in cited if index not in known)
    units = evidence_units(passages)
    language = _language_of(sentence, units)
    claims = [
        _Claim(part, language=language, question=question, similarities=similarities)
        for part in split_claim(sentence)
    ]
    trials = [_verify(claim, units, known) for claim in claims]
    failures = dict.fromkeys((*wrong, *(failure for t in trials for failure in t.failures)))
    covered = min(trial.covered for trial in trials)
    if any(not trial.is_supported for trial in trials):
        return SentenceVerdict(
            is_supported=False, support=(), covered=covered, failures=tuple(failures)
        )
    used = {_place(unit): unit for trial in trials for unit in trial.units}
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


def _verify(claim: _Claim, units: Sequence[EvidenceUnit], known: Sequence[int]) -> _Trial:
    """Return the units that support a part of a sentence: cited ones, or else any."""
    if not claim.words and not claim.facts.ranges:
        return _Trial((), 0.0, ("says nothing that can be checked",))
    cited = claim.try_units([unit for unit in units if unit.passage in known], units)
    if cited and cited.is_supported:
        return cited
    other = claim.try_units([unit for unit in units if unit.passage not in known], units)
    if other and other.is_supported:
        moved = tuple(f"passage {index + 1} does not support it" for index in known)
        return replace(other, failures=moved)
    failed = min((trial for trial in (cited, other) if trial), key=_badness, default=None)
    if failed is None:
        return _Trial((), 0.0, ("there is no passage",))
    place = failed.units[0].passage + 1
    failures = tuple(f"{failure} is not in passage {place}" for failure in failed.failures)
    return replace(failed, failures=failures)


class _Claim:
    """A sentence that is to be supported."""

    def __init__(
        self,
        sentence: str,
        *,
        language: str | None,
        question: str,
        similarities: Similarities | None,
    ) -> None:
        self._sentence = sentence
        self._asked = searchable(question)
        self._similarities = similarities
        self.facts: Facts = read_facts(sentence, language)
        ranges = self.facts.ranges
        self.words: Sequence[ContentWord] = [
            word
            for word in content_words(self.facts.text)
            if not any(start <= word.start < end for start, end in ranges)
        ]
        self._weight = sum(word.weight for word in self.words)
        self._is_compound = bool(_CONJUNCTION.search(self.facts.text))
        self._checked = _FACT_WEIGHT * len(ranges)

    def try_units(
        self, units: Sequence[EvidenceUnit], everything: Sequence[EvidenceUnit]
    ) -> _Trial | None:
        """Return the first units that support the sentence, or the best that do not."""
        ranked = sorted(units, key=lambda unit: -self._covered_by([unit.folded]))[:N_CANDIDATES]
        trials: list[_Trial] = []
        for group in self._groups(ranked):
            if trials and not self._is_covered(group):
                continue
            trial = self._try(group)
            trials.append(trial)
            if trial.is_supported:
                return trial
        translated = self._try_translations(units, everything)
        if translated and translated.is_supported:
            return translated
        return min(trials, key=_badness, default=translated)

    def _groups(self, ranked: Sequence[EvidenceUnit]) -> Iterable[tuple[EvidenceUnit, ...]]:
        """Yield single units, the best first, then pairs of which each adds words of its own."""
        yield from ((unit,) for unit in ranked)
        for place, unit in enumerate(ranked[:3]):
            for other in ranked[place + 1 :]:
                if self._adds(unit, other) and self._adds(other, unit):
                    yield _in_order(unit, other)

    def _adds(self, unit: EvidenceUnit, other: EvidenceUnit) -> bool:
        """Whether a unit has words of the sentence, more than names, that another one lacks."""
        if unit.chunk is not other.chunk and not self._is_compound:
            return False
        added = sum(
            word.weight
            for word in self.words
            if not word.is_capital and share_of(word, unit.folded) > share_of(word, other.folded)
        )
        return added >= _MIN_ADDED

    def _covered_by(self, folded: Sequence[str]) -> float:
        if not self._weight:
            return 0.0
        found = sum(w.weight * max(share_of(w, text) for text in folded) for w in self.words)
        return found / self._weight

    def _covered(self, units: Sequence[EvidenceUnit]) -> float:
        """Return the share of content in units, headings counted by half and neighbours a third."""
        if not self._weight + self._checked:
            return 0.0
        own = [unit.folded for unit in units]
        around = [searchable(unit.around) for unit in units]
        before = [searchable(unit.before) for unit in units]
        found = sum(
            w.weight
            * max(
                *(share_of(w, text) for text in own),
                *(0.7 * share_of(w, text) for text in around),
                *(0.4 * share_of(w, text) for text in before),
                0.0 if w.is_capital else 0.3 * share_of(w, self._asked),
            )
            for w in self.words
        )
        return (found + self._checked) / (self._weight + self._checked)

    def _is_covered(self, units: Sequence[EvidenceUnit]) -> bool:
        own = self._covered_by([unit.folded for unit in units])
        least = MIN_COVERED if len(units) == 1 else MIN_COVERED_TOGETHER
        return own >= MIN_COVERED_LEAST and self._covered(units) >= least

    def _try(self, units: tuple[EvidenceUnit, ...]) -> _Trial:
        failures = missing_facts(self.facts, _facts_of(units), is_translated=False)
        failures += misplaced_words(self.words, units)
        failures += misplaced_numbers(self.facts, units)
        covered = self._covered(units)
        if not self._is_covered(units):
            failures.append(f"{1 - covered:.0%} of the words")
        return _Trial(units, covered, tuple(failures), is_supported=not failures)

    def _try_translations(
        self, units: Sequence[EvidenceUnit], everything: Sequence[EvidenceUnit]
    ) -> _Trial | None:
        """Return the unit in another language that says the same, or the closest that does not."""
        foreign = [unit for unit in units if is_in_other_language(self.facts.text, unit.language)]
        if not foreign or self._similarities is None:
            return None
        trials = [
            _Trial((unit,), 0.0, tuple(self._missing_in_translation(unit))) for unit in foreign
        ]
        trials = sorted(trials, key=_badness)[:N_TRANSLATIONS]
        tried = tuple(trial.units[0] for trial in trials)
        rest = [unit for unit in everything if unit not in tried]
        near = measure_closeness(
            self._sentence,
            [unit.text for unit in tried],
            [unit.text for unit in rest[:N_COMPARED]],
            similarities=self._similarities,
        )
        best = max(range(len(trials)), key=lambda i: (not trials[i].failures, near[i]))
        failures = list(trials[best].failures)
        if near[best] < MIN_CLOSENESS:
            failures.append(f"meaning (closeness {near[best]:.2f})")
        covered = max(0.0, near[best])
        return _Trial(tried[best : best + 1], covered, tuple(failures), is_supported=not failures)

    def _missing_in_translation(self, unit: EvidenceUnit) -> list[str]:
        return missing_facts(self.facts, _facts_of((unit,)), is_translated=True)


def _badness(trial: _Trial) -> tuple[int, float]:
    return len(trial.failures), -trial.covered


def _facts_of(units: tuple[EvidenceUnit, ...]) -> EvidenceFacts:
    language = units[0].language
    return EvidenceFacts(
        own=tuple(unit.facts for unit in units),
        around=read_facts("\n".join(dict.fromkeys(unit.around for unit in units)), language),
        before=read_facts("\n".join(dict.fromkeys(unit.before for unit in units)), language),
    )


def _in_order(a: EvidenceUnit, b: EvidenceUnit) -> tuple[EvidenceUnit, ...]:
    return (a, b) if _place(a) <= _place(b) else (b, a)


def _place(unit: EvidenceUnit) -> tuple[int, int, int]:
    return unit.passage, unit.chunk.ordinal, unit.place


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
