"""Which facts of a sentence the evidence lacks or contradicts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from citewell.answering.verification.antonyms import count_antonyms
from citewell.answering.verification.dates import Date
from citewell.answering.verification.facts import Facts
from citewell.answering.verification.han_names import unknown_han_names
from citewell.answering.verification.measures import measure_named
from citewell.answering.verification.names import Name
from citewell.answering.verification.negated import negation_conflicts
from citewell.answering.verification.opposites import negations, turned_words
from citewell.answering.verification.quantities import Quantity
from citewell.answering.verification.slots import replaced_names, replaced_words
from citewell.answering.verification.words import content_words, searchable
from citewell.lexical.stems import fold_text

_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|his|her|its|their|him|them|this|these|er|sie|es|sein\w*|ihr\w*|"
    r"dies\w*|o|onun|onlar\w*|bu|bunlar)\b"
    r"|他|她|它|该|其|这",
    re.IGNORECASE,
)
_GERMAN_NOUN = re.compile(
    r"(?:ung|heit|keit|schaft|tion|tät|nis|mus|ment|ling|chen|lich|isch|ig|er|en|e|es|ern|eln|end|el|or|ant|ent|anz|enz|ur|ik"
    r"|jahr|zeit|teil|land|stadt|fall|zahl|grund|art|ort|name|werk|hof|haus|kraft|recht|staat|volk"
    r"|druck|feind|mittel|netz|sign|back|ziel|buch|weg|amt|raum|punkt|stand|schutz|bau|tag|krieg|text|platz)s?\Z",
    re.IGNORECASE,
)
"""Endings of German nouns that are seldom names: other words may stand for them."""
_COMMON = re.compile(
    r"(?:ing|ed|ly|tion|tions|ment|ness|ers|ists|ity|ities|ies|dır|dir|ler|lar|lik|lık)\Z"
)


@dataclass(frozen=True, slots=True)
class EvidenceFacts:
    """What may support a sentence.

    Attributes:
        own: Facts of each supporting unit, its column names included.
        around: Facts of headings and title.
        before: The sentences just before, NFKC.
        above: What the sections say that hold its section; a name that is asked about may stand
            there.
        whole: The chunks of the units: a text names once what all of it is about.
        asked: The question.
    """

    own: tuple[Facts, ...]
    around: Facts
    before: str
    above: str = ""
    whole: str = ""
    asked: str = ""

    def is_in_scope(self, name: str) -> bool:
        """Whether the question asks about a name, and what is above the evidence is about it."""
        return name in self.above and name in self.asked

    def is_asked_nearby(self, name: str) -> bool:
        """Whether the question asks about a name that the evidence's surroundings hold."""
        return name in self.asked and (name in self.above or name in self.whole)

    @property
    def text(self) -> str:
        """The supporting units as one text."""
        return "\n".join(facts.text for facts in self.own)


def missing_facts(claim: Facts, evidence: EvidenceFacts, *, is_translated: bool) -> list[str]:
    """Return what the evidence does not say, in words for a log; empty if all facts hold.

    Args:
        claim: Of the sentence.
        evidence: That is to support it.
        is_translated: Whether they are in two languages, so that names and words differ.
    """
    return [
        *_missing_quantities(claim, evidence, is_translated=is_translated),
        *_missing_dates(claim, evidence),
        *_missing_codes(claim, evidence),
        *(() if is_translated else _missing_names(claim, evidence)),
        *(() if is_translated else _missing_han_names(claim, evidence)),
        *(() if is_translated else _replaced_names(claim, evidence)),
        *(() if is_translated else _missing_quoted(claim, evidence)),
        *_turned(claim, evidence, is_translated=is_translated),
    ]


def is_contradiction(failure: str) -> bool:
    """Return whether a failure says that the evidence has something else, not only less."""
    is_other = failure.startswith(("name", "negation", "opposite"))
    return is_other or failure.endswith(" in this place")


def _missing_quantities(
    claim: Facts, evidence: EvidenceFacts, *, is_translated: bool
) -> Iterator[str]:
    if not claim.quantities:
        return
    known = [quantity for facts in evidence.own for quantity in facts.quantities]
    years = {float(r.year) for f in evidence.own for d in f.dates for r in d.readings if r.year}
    around = evidence.around.numbers
    for quantity in claim.quantities:
        if _is_first(quantity, known) or any(_is_same(quantity, other) for other in known):
            continue
        is_plain = quantity.measure is None or _is_year(quantity)
        if is_plain and not years.union(around).isdisjoint(quantity.values):
            continue
        if _is_column_unit(quantity, evidence):
            continue
        if is_translated and _is_bare(quantity, known):  # 39 岁 is `at age 39`
            continue
        yield f"number {claim.text[quantity.start : quantity.end]}"


def _is_bare(quantity: Quantity, known: list[Quantity]) -> bool:
    """Whether the evidence has the number without a unit that contradicts."""
    bare = [other for other in known if other.measure is None and not other.is_ordinal]
    return any(not set(quantity.values).isdisjoint(other.values) for other in bare)


def _is_first(quantity: Quantity, known: list[Quantity]) -> bool:
    """Whether it is `first`, which many words say, and the evidence has no other place."""
    is_first = quantity.is_ordinal and quantity.value == 1
    return is_first and not any(other.is_ordinal for other in known)


def _is_same(quantity: Quantity, other: Quantity) -> bool:
    if quantity.is_decade != other.is_decade:
        return False
    if quantity.is_decade and quantity.value < 100:
        return quantity.value == other.value % 100
    if quantity.measure is None:
        is_percent = other.measure is not None and other.measure.dimension == "percent"
        return not is_percent and not set(quantity.values).isdisjoint(other.values)
    if other.measure is None or other.measure.dimension != quantity.measure.dimension:
        return False
    return any(
        math.isclose(a * quantity.measure.factor, b * other.measure.factor, rel_tol=1e-6)
        for a in quantity.values
        for b in other.values
    )


def _is_column_unit(quantity: Quantity, evidence: EvidenceFacts) -> bool:
    """Whether a number without unit in the evidence gets the claim's from words around it."""
    if quantity.measure is None:
        return False
    bare = [q for f in evidence.own for q in f.quantities if q.measure is None and not q.is_ordinal]
    if all(set(quantity.values).isdisjoint(q.values) for q in bare):
        return False
    words = re.findall(r"[^\W\d_]+|[%°$€£¥]", f"{evidence.text}\n{evidence.around.text}")
    measures = {measure_named(word) for word in words} - {None}
    if quantity.measure in measures:
        return True
    same = {m for m in measures if m and m.dimension == quantity.measure.dimension}
    return _is_year(quantity) and not same


def _is_year(quantity: Quantity) -> bool:
    """Whether it is a year with its word, such as 1756年."""
    is_year = quantity.measure is not None and quantity.measure.dimension == "month"
    return is_year and 1000 <= quantity.value <= 2100


def _missing_dates(claim: Facts, evidence: EvidenceFacts) -> Iterator[str]:
    known = [d for facts in (*evidence.own, evidence.around) for d in facts.dates]
    readings = [reading for date in known for reading in date.readings]
    years = {
        value for f in (*evidence.own, evidence.around) for q in f.quantities for value in q.values
    }
    for date in claim.dates:
        if not any(
            _is_said(r, other, years, readings) for r in date.readings for other in readings
        ):
            yield f"date {claim.text[date.start : date.end]}"
    times = frozenset[int]().union(*(facts.times for facts in evidence.own))
    for minutes in sorted(claim.times - times):
        yield f"time {minutes // 60}:{minutes % 60:02}"
    weekdays = frozenset[int]().union(*(facts.weekdays for facts in evidence.own))
    for day in sorted(claim.weekdays - weekdays - evidence.around.weekdays):
        yield f"weekday {day}"


def _is_said(wanted: Date, known: Date, numbers: set[float], others: list[Date]) -> bool:
    """Whether a known date says all of a wanted one; the year may stand apart from it."""
    if wanted.month != known.month:
        return False
    if wanted.day is not None and wanted.day != known.day:
        return False
    if wanted.year is None or wanted.year == known.year:
        return True
    return known.year is None and (
        wanted.year in numbers or any(wanted.year == other.year for other in others)
    )


def _missing_codes(claim: Facts, evidence: EvidenceFacts) -> Iterator[str]:
    if not claim.codes:
        return
    known = f"{evidence.text}\n{evidence.around.text}\n{evidence.before}".casefold()
    bare = _letters(known)
    for code in claim.codes:
        if code.casefold() not in known and _letters(code) not in bare:
            yield f"code {code}"


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _missing_names(claim: Facts, evidence: EvidenceFacts) -> Iterator[str]:
    if not claim.names:
        return
    own, around = searchable(evidence.text), searchable(evidence.around.text)
    before = searchable(evidence.before)
    missing = [n for n in claim.names if _is_name(n, claim) and not _names(n, own, evidence.text)]
    missing = [n for n in missing if not _names(n, around, evidence.around.text)]
    if not missing:
        return
    said = searchable(claim.text)
    unsaid = [
        n for f in evidence.own for n in f.names if n.is_certain and not _names(n, said, claim.text)
    ]
    may_refer = bool(_PRONOUN.search(evidence.text)) or not unsaid
    for name in missing:
        is_before = may_refer and _names(name, before, evidence.before)
        if not is_before and not evidence.is_asked_nearby(name.text):
            yield f"name {name.text}"


def _missing_han_names(claim: Facts, evidence: EvidenceFacts) -> Iterator[str]:
    if claim.text.isascii():
        return
    near = f"{evidence.text}\n{evidence.around.text}"
    if _PRONOUN.search(evidence.text):
        near += f"\n{evidence.before}"
    for name in unknown_han_names(claim.text, near):
        if not evidence.is_asked_nearby(name):
            yield f"name {name}"


def _replaced_names(claim: Facts, evidence: EvidenceFacts) -> Iterator[str]:
    is_german = claim.language == "de"
    texts = dict.fromkeys(facts.words_alone for facts in evidence.own)
    for known in dict.fromkeys((*texts, "\n".join(texts))):
        for name in replaced_names(claim.words_alone, known, nouns_are_capital=is_german):
            if not evidence.is_in_scope(name):
                yield f"{name} in this place"
    for said, known in replaced_words(claim.text, evidence.text):
        is_number = said.isdecimal() and known.isdecimal()
        if is_number or turned_words(said, known) or _are_opposites(said, known, claim.language):
            yield f"{'number' if is_number else 'word'} {said} in this place"


def _are_opposites(said: str, known: str, language: str | None) -> bool:
    words = tuple(searchable(said).split())
    return bool(count_antonyms(words, searchable(known), language))


def _is_name(name: Name, claim: Facts) -> bool:
    """Whether a word with a capital is to be found as it is."""
    if name.is_certain:
        return True
    if claim.language == "de":
        return not _GERMAN_NOUN.search(name.text)
    return claim.language != "tr" and not _COMMON.search(name.text)


def _names(name: Name, folded: str, text: str) -> bool:
    """Whether folded text holds a name, in another form or by its initials."""
    word = fold_text(name.text)
    if word in folded or _stands_in(word, folded):
        return True
    return name.text.isupper() and len(name.text) > 1 and _has_initials(name.text, text)


def _stands_in(word: str, folded: str) -> bool:
    """Whether all but the ending of a word starts a word of the text."""
    bare = word.strip()
    length = max(4, math.ceil(len(bare) * 0.75)) if len(bare) > 4 else len(bare)
    place = folded.find(f" {bare[:length]}")
    while place >= 0:
        end = folded.find(" ", place + 1)
        other = folded[place + 1 : end]
        if len(bare) > 3 or len(other) <= len(bare) + 3:
            return True
        place = folded.find(f" {bare[:length]}", place + 1)
    return False


def _has_initials(acronym: str, text: str) -> bool:
    words = re.findall(r"[^\W\d_]+", text)
    initials = "".join(word[0] for word in words if word[0].isupper())
    return acronym in initials


def _missing_quoted(claim: Facts, evidence: EvidenceFacts) -> Iterator[str]:
    if not claim.quoted:
        return
    known = _letters(f"{evidence.text}{evidence.around.text}{evidence.before}")
    for quoted in claim.quoted:
        if _letters(quoted) not in known:
            yield f"quoted words {quoted}"


def _turned(claim: Facts, evidence: EvidenceFacts, *, is_translated: bool) -> Iterator[str]:
    for name in turned_words(claim.text, evidence.text):
        yield f"opposite of {name}"
    if not is_translated:
        said = tuple(word.text for word in content_words(claim.words_alone))
        if count_antonyms(said, searchable(evidence.text), claim.language):
            yield "opposite of a word"
    if is_translated:
        said, known = bool(negations(claim.text)), bool(negations(evidence.text))
        if said != known:
            yield "negation" if said else "negation left out"
        return
    yield from negation_conflicts(claim.text, evidence.text)
