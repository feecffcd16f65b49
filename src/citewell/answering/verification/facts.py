"""The hard facts of a text: what a sentence may not say unless its passage does."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from citewell.answering.verification.dates import (
    DateMention,
    find_dates,
    find_times,
    find_weekdays,
)
from citewell.answering.verification.measures import measure_named
from citewell.answering.verification.names import Name, find_codes, find_names, find_quoted
from citewell.answering.verification.quantities import Quantity, find_quantities
from citewell.domain.document import Span
from citewell.lexical.languages import guess_language

_FRACTION = re.compile("(?P<whole>\\d*)(?P<fraction>[¼-¾⅐-⅞])")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Facts:
    """What can be checked exactly.

    Attributes:
        text: NFKC, fractions as decimals.
        language: As `guess_language` says.
        quantities: Numbers with their units, in order.
        dates: With at least a month.
        times: Minutes after midnight.
        weekdays: From 1, Monday.
        names: Words with a capital.
        codes: Identifiers, versions, addresses.
        quoted: Words between quotation marks.
        ranges: Where dates, times, codes and numbers with their units stand.
    """

    text: str
    language: str | None
    quantities: tuple[Quantity, ...]
    dates: tuple[DateMention, ...]
    times: frozenset[int]
    weekdays: frozenset[int]
    names: tuple[Name, ...]
    codes: tuple[str, ...]
    quoted: tuple[str, ...]
    ranges: tuple[Span, ...]

    @property
    def words_alone(self) -> str:
        """The text with a space in the place of each date, time, code and number."""
        return blank(self.text, self.ranges)

    @property
    def numbers(self) -> frozenset[float]:
        """Every value that a number or a part of a date may have."""
        values = {value for quantity in self.quantities for value in quantity.values}
        for date in self.dates:
            for reading in date.readings:
                values |= {float(part) for part in reading if part is not None}
        return frozenset(values)


def normalize(text: str) -> str:
    """Return a text with one form for each character, and fractions as decimals."""
    plain = _FRACTION.sub(_decimal, text) if not text.isascii() else text
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", plain.replace("\u2212", "-")))


def _is_unit(name: Name) -> bool:
    """Whether a word is a unit or a day of the week."""
    return measure_named(name.text) is not None or bool(find_weekdays(name.text))


def blank(text: str, ranges: Sequence[Span]) -> str:
    """Return a text with spaces in the place of ranges."""
    if not ranges:
        return text
    characters = list(text)
    for start, end in ranges:
        characters[start:end] = " " * (end - start)
    return "".join(characters)


def _decimal(match: re.Match[str]) -> str:
    value = int(match["whole"] or 0) + unicodedata.numeric(match["fraction"])
    return f"{value:.4f}".rstrip("0")


@lru_cache(maxsize=2048)
def read_facts(text: str, language: str | None = None) -> Facts:
    """Return the facts of a text.

    Args:
        text: As written.
        language: Of the text around it, where that is known better.
    """
    plain = normalize(text)
    language = language or guess_language(plain)
    dates = find_dates(plain)
    times = find_times(plain)
    codes = find_codes(plain)
    taken = [
        *((d.start, d.end) for d in dates),
        *((t.start, t.end) for t in times),
        *((start, end) for _, start, end in codes),
    ]
    quantities = find_quantities(plain, language, taken=taken)
    taken += [(quantity.start, quantity.end) for quantity in quantities]
    return Facts(
        text=plain,
        language=language,
        quantities=tuple(quantities),
        dates=tuple(dates),
        times=frozenset(t.minutes for t in times),
        weekdays=find_weekdays(plain),
        names=tuple(n for n in find_names(blank(plain, taken), language) if not _is_unit(n)),
        codes=tuple(dict.fromkeys(code for code, _, _ in codes)),
        quoted=tuple(find_quoted(plain)),
        ranges=tuple(taken),
    )
