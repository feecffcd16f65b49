"""A sentence that is to be supported by passages in its own language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from citewell.answering.verification.compare_facts import is_contradiction, missing_facts
from citewell.answering.verification.evidence import EvidenceUnit
from citewell.answering.verification.facts import Facts, read_facts
from citewell.answering.verification.measures import measure_named
from citewell.answering.verification.nearer_units import nearer_units
from citewell.answering.verification.tables import misplaced_numbers, misplaced_words
from citewell.answering.verification.translated import N_COMPARED, Translation
from citewell.answering.verification.translations import Similarities, measure_closeness
from citewell.answering.verification.trial import Trial, badness, facts_of, place_of
from citewell.answering.verification.words import ContentWord, content_words, searchable, share_of
from citewell.lexical.question_words import drop_question_words

MIN_COVERED = 0.5
"""Share of a sentence's content that its units hold, from which on they support it."""
MIN_COVERED_TOGETHER = 0.65
"""The same for two units, which hold more words by chance."""
MIN_COVERED_LEAST = 0.33
"""The same without what headings and neighbours add."""
MIN_SAME_MEANING = 0.4
"""Closeness, as of a translation, from which on other words in the same language say the same. Of
sentences from elsewhere whose numbers a unit happened to hold none came nearer than 0.16."""
_FACT_WEIGHT = 0.7
"""What a number or date counts beside the words: it is there, or the sentence fails."""
_MIN_ADDED = 1.2
_LONGEST_NAME = 24
"""Characters up to which a run of words may be one name; it adds nothing to a unit."""
_LONGEST_HAN_NAME = 10
_CONJUNCTION = re.compile(r",|\b(?:and|und|ve|while|während)\b|[，、和与而]", re.IGNORECASE)
N_CANDIDATES = 6


class Claim:
    """A sentence that is to be supported.

    Attributes:
        facts: That can be checked exactly.
        words: Its content beside them.
        weight: Of the words together.
    """

    def __init__(
        self,
        sentence: str,
        *,
        language: str | None,
        question: str,
        similarities: Similarities | None,
    ) -> None:
        """Read the sentence; the arguments are those of `verify_sentence`.

        Args:
            sentence: A part of a sentence, without markers.
            language: As guessed, or None.
            question: As asked.
            similarities: Compares texts of two languages, or None.
        """
        self.facts: Facts = read_facts(sentence, language)
        ranges = self.facts.ranges
        self.words: Sequence[ContentWord] = _words_beside_facts(self.facts)
        is_bare = bool(ranges) and all(_is_unit(word) for word in self.words)
        if is_bare:  # `99.5 %` says what the question asks of it
            self.words = _words_beside_facts(read_facts(drop_question_words(question), language))
        self._question = question
        self._asked = "" if is_bare else searchable(question)
        self._sentence = f"{question} {sentence}" if is_bare else sentence
        self._similarities = similarities
        self._translation = similarities and Translation(
            sentence=self._sentence,
            facts=self.facts,
            question=question,
            is_compound=bool(_CONJUNCTION.search(self.facts.text)),
            similarities=similarities,
        )
        self.weight = sum(word.weight for word in self.words)
        self._is_compound = bool(_CONJUNCTION.search(self.facts.text))
        self._checked = _FACT_WEIGHT * len(ranges)
        self._shares: dict[str, list[float]] = {}

    def try_units(
        self, units: Sequence[EvidenceUnit], everything: Sequence[EvidenceUnit]
    ) -> Trial | None:
        """Return the first units that support the sentence, or the best that do not."""
        ranked = sorted(units, key=lambda unit: -self._covered_by([unit.folded]))[:N_CANDIDATES]
        trials: list[Trial] = []
        for group in self._groups(ranked):
            if trials and not self._is_covered(group):
                continue
            trial = self._try(group)
            trials.append(trial)
            if trial.is_supported:
                scope = self._scope(group, everything)
                denied = self._denied(trial, everything)
                return denied or replace(trial, units=(*trial.units, *scope))
        translated = self._translation.try_units(units, everything) if self._translation else None
        if translated and translated.is_supported:
            return translated
        if meant := self._same_meaning(ranked, everything):
            return meant
        return min(trials, key=badness, default=translated)

    def _denied(self, trial: Trial, everything: Sequence[EvidenceUnit]) -> Trial | None:
        """Return a unit that says nearly the same with another name or its opposite, or None."""
        weights = [word.weight for word in self.words]
        near = nearer_units(weights, trial.units, everything, shares_in=self._shares_in)
        for unit in near:
            other = self._try((unit,))
            if any(is_contradiction(failure) for failure in other.failures):
                return other
        return None

    def _same_meaning(
        self, ranked: Sequence[EvidenceUnit], everything: Sequence[EvidenceUnit]
    ) -> Trial | None:
        """Return the unit that says the same in other words, if the sentence has a number or date.

        What an embedder finds alike is often alike in topic alone; a number tells more.
        """
        if not self.facts.ranges or self._similarities is None:
            return None
        trials = [self._try((unit,)) for unit in ranked]
        trials = [trial for trial in trials if trial.lacks_words_only]
        if not trials:
            return None
        near = measure_closeness(
            self._sentence,
            [trial.units[0].text for trial in trials],
            [unit.text for unit in everything[:N_COMPARED]],
            similarities=self._similarities,
        )
        best = max(range(len(trials)), key=near.__getitem__)
        if near[best] < MIN_SAME_MEANING:
            return None
        return replace(trials[best], covered=near[best], failures=(), is_supported=True)

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
        own, others = self._shares_in(unit.folded), self._shares_in(other.folded)
        added = [
            word
            for word, here, there in zip(self.words, own, others, strict=True)
            if not word.is_capital and here > there
        ]
        if sum(word.weight for word in added) < _MIN_ADDED:
            return False
        longest = _LONGEST_NAME if added[0].forms else _LONGEST_HAN_NAME
        return added[-1].start + len(added[-1].text) - added[0].start > longest

    def _shares_in(self, folded: str) -> list[float]:
        """Return how much of each word a folded text holds; a sentence meets most texts often."""
        shares = self._shares.get(folded)
        if shares is None:
            shares = self._shares[folded] = [share_of(word, folded) for word in self.words]
        return shares

    def _covered_by(self, folded: Sequence[str]) -> float:
        if not self.weight:
            return 0.0
        best = zip(*map(self._shares_in, folded), strict=True)
        found = sum(w.weight * max(shares) for w, shares in zip(self.words, best, strict=True))
        return found / self.weight

    def _covered(self, units: Sequence[EvidenceUnit]) -> float:
        """Return the share of content in units, headings counted by half and neighbours a third."""
        if not self.weight + self._checked:
            return 0.0
        own = [self._shares_in(unit.folded) for unit in units]
        around = [self._shares_in(searchable(unit.around)) for unit in units]
        before = [self._shares_in(searchable(unit.before)) for unit in units]
        asked = self._shares_in(self._asked)
        found = sum(
            word.weight
            * max(
                *(shares[place] for shares in own),
                *(0.7 * shares[place] for shares in around),
                *(0.4 * shares[place] for shares in before),
                0.0 if word.is_capital else 0.3 * asked[place],
            )
            for place, word in enumerate(self.words)
        )
        return (found + self._checked) / (self.weight + self._checked)

    def _is_covered(self, units: Sequence[EvidenceUnit]) -> bool:
        own = self._covered_by([unit.folded for unit in units])
        least = MIN_COVERED if len(units) == 1 else MIN_COVERED_TOGETHER
        return own >= MIN_COVERED_LEAST and self._covered(units) >= least

    def _try(self, units: tuple[EvidenceUnit, ...]) -> Trial:
        failures = missing_facts(self.facts, facts_of(units, self._question), is_translated=False)
        failures += misplaced_words(self.words, units)
        failures += misplaced_numbers(self.facts, units)
        covered = self._covered(units)
        if not self._is_covered(units):
            failures.append(f"{1 - covered:.0%} of the words")
            return Trial(units, covered, tuple(failures), lacks_words_only=len(failures) == 1)
        return Trial(units, covered, tuple(failures), is_supported=not failures)

    def _scope(
        self, units: Sequence[EvidenceUnit], everything: Sequence[EvidenceUnit]
    ) -> Iterable[EvidenceUnit]:
        """Yield the unit of a section above that says what the question and the sentence name."""
        above, own = units[0].above, [unit.folded for unit in units]
        if not above:
            return
        for word in self.words:
            is_own = any(share_of(word, text) for text in own)
            if is_own or share_of(word, self._asked) < 1 or share_of(word, searchable(above)) < 1:
                continue
            yield from (u for u in everything if u.text in above and share_of(word, u.folded) == 1)
            return


def _is_unit(word: ContentWord) -> bool:
    return bool(measure_named(word.text) or measure_named(word.text.upper()))


def _words_beside_facts(facts: Facts) -> Sequence[ContentWord]:
    return [
        word
        for word in content_words(facts.text)
        if not any(start <= word.start < end for start, end in facts.ranges)
    ]


def _in_order(a: EvidenceUnit, b: EvidenceUnit) -> tuple[EvidenceUnit, ...]:
    return (a, b) if place_of(a) <= place_of(b) else (b, a)
