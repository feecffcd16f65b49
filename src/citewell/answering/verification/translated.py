"""Whether units in another language support a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citewell.answering.verification.compare_facts import missing_facts
from citewell.answering.verification.evidence import EvidenceUnit
from citewell.answering.verification.facts import Facts, read_facts
from citewell.answering.verification.tables import cells_with_numbers
from citewell.answering.verification.translations import (
    MIN_CLOSENESS,
    Similarities,
    measure_closeness,
)
from citewell.answering.verification.trial import Trial, badness, facts_of, place_of
from citewell.lexical.languages import is_in_other_language

N_TRANSLATIONS = 12
"""Units in another language whose meaning is compared at most; each costs some 10 ms."""
N_COMPARED = 16
"""Other units that are compared beside them."""
_MAX_TOGETHER = 4
"""Units that follow each other which a sentence in another language may sum up."""


@dataclass(frozen=True, slots=True)
class Translation:
    """A sentence that may say what units in another language say.

    Attributes:
        sentence: As its meaning is compared.
        facts: Of the sentence.
        question: As asked.
        is_compound: Whether it may sum up several units.
        similarities: Compares texts of two languages.
    """

    sentence: str
    facts: Facts
    question: str
    is_compound: bool
    similarities: Similarities

    def try_units(
        self, units: Sequence[EvidenceUnit], everything: Sequence[EvidenceUnit]
    ) -> Trial | None:
        """Return units in another language that say the same, or the closest that do not."""
        languages = {unit.language for unit in units}
        others = {one for one in languages if is_in_other_language(self.facts.text, one)}
        foreign = [unit for unit in units if unit.language in others]
        if not foreign:
            return None
        alone = sorted((self._translated((unit,)) for unit in foreign), key=badness)
        alone = alone[:N_TRANSLATIONS]
        tried = {place_of(trial.units[0]) for trial in alone}
        rest = [unit.text for unit in everything if place_of(unit) not in tried]
        usual = [*map(self._text_of, alone), *rest[:N_COMPARED]]
        single = self._closest(alone, usual)
        if single.is_supported or not self.is_compound:
            return single
        groups = [self._translated(group) for group in _neighbours(single.units[0], foreign)]
        together = self._closest(groups, usual) if groups else single
        return together if together.is_supported else single

    def _closest(self, trials: Sequence[Trial], usual: Sequence[str]) -> Trial:
        """Return the trial with the nearest meaning of those without failure, if there are any."""
        near = measure_closeness(
            self.sentence,
            [self._text_of(trial) for trial in trials],
            usual,
            similarities=self.similarities,
        )
        best = max(range(len(trials)), key=lambda i: (not trials[i].failures, near[i]))
        failures = list(trials[best].failures)
        if near[best] < MIN_CLOSENESS:
            failures.append(f"meaning (closeness {near[best]:.2f})")
        units, covered = trials[best].units, max(0.0, near[best])
        return Trial(units, covered, tuple(failures), is_supported=not failures)

    def _text_of(self, trial: Trial) -> str:
        return "\n".join(cells_with_numbers(self.facts, unit) for unit in trial.units)

    def _translated(self, units: tuple[EvidenceUnit, ...]) -> Trial:
        """Return units in another language with the facts that they lack."""
        told = [read_facts(cells_with_numbers(self.facts, u), u.language) for u in units]
        evidence = replace(facts_of(units, self.question), own=tuple(told))
        failures = missing_facts(self.facts, evidence, is_translated=True)
        return Trial(units, 0.0, tuple(failures))


def _neighbours(
    unit: EvidenceUnit, others: Sequence[EvidenceUnit]
) -> list[tuple[EvidenceUnit, ...]]:
    """Return groups of units that follow each other in a chunk, each with a given one in it."""
    beside = [other for other in others if other.chunk is unit.chunk]
    at = next(place for place, other in enumerate(beside) if other is unit)
    return [
        tuple(beside[start : start + size])
        for size in range(2, _MAX_TOGETHER + 1)
        for start in range(max(0, at - size + 1), at + 1)
        if start + size <= len(beside)
    ]
