"""Numbers of a text with their scale, sign and unit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from citewell.answering.verification.measures import PREFIXES, Measure, find_measure, measure_named
from citewell.answering.verification.number_words import SCALES, find_number_words

if TYPE_CHECKING:
    from citewell.domain.document import Span

_NUMBER = re.compile(
    r"(?<![\w.,])(?:\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*)"
    r"|(?<=[\u3041-\u9fff\uac00-\ud7af])\d+(?:[.,]\d+)*"
)
_VERSION = re.compile(r"\d+(?:\.\d+){2,}\Z")
_GROUPED = re.compile(r"\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3})+\Z")
_SCALE = re.compile(
    r"[\s-]?(?P<word>hundred|thousand|millions?|billions?|trillions?|tausend|millionen|million|"
    r"milliarden?|billionen|tsd\.?|mio\.?|mrd\.?|bin(?=\s|\Z)|milyon|milyar|trilyon|bn|"
    r"mn)(?![^\W\d_])"
    r"|\s?(?P<chinese>百万|千万|十亿|百亿|千亿|万亿|百萬|万|萬|亿|億|千|百)"
    r"|(?P<letter>[kKM])(?![^\W_])",
    re.IGNORECASE,
)
_SHORT_SCALES = {
    "tsd": 10**3,
    "k": 10**3,
    "mio": 10**6,
    "mn": 10**6,
    "m": 10**6,
    "mrd": 10**9,
    "bn": 10**9,
    "百": 100,
    "千": 10**3,
    "万": 10**4,
    "萬": 10**4,
    "百万": 10**6,
    "百萬": 10**6,
    "千万": 10**7,
    "亿": 10**8,
    "億": 10**8,
    "十亿": 10**9,
    "百亿": 10**10,
    "千亿": 10**11,
    "万亿": 10**12,
}
_PREFIX = re.compile(rf"(?:{'|'.join(map(re.escape, PREFIXES))})\s?\Z")
_PERCENT_BEFORE = re.compile(r"(?:%|yüzde\s|百分之)\Z", re.IGNORECASE)
_MINUS = re.compile(r"(?:(?:\A|[\s(:|])[-−]|(?:minus|eksi)\s|负)\Z", re.IGNORECASE)
_ORDINAL = re.compile(
    r"(?:st|nd|rd|th)\b|['’]?(?:inci|ıncı|üncü|uncu|nci|ncı|ncü|ncu)\b|\.(?=\s+[^\W\d_])"
)
_DECADE = re.compile(r"['’]?s\b|er\b|['’]l[ae]r|\s?年代")
_RANGE = re.compile(
    r"\s?(?:to|and|or|bis|und|oder|ile|ve|veya|-|–|—|~|至|到|和|或|、)\s?(?:US\$|[$€£¥₺])?\Z",
    re.IGNORECASE,
)
_POINT_LANGUAGES = frozenset({"en", "han", "kana", "hangul", "thai", "hebrew"})
_COMMA_LANGUAGES = frozenset(
    {
        "de",
        "tr",
        "fr",
        "es",
        "pt",
        "it",
        "nl",
        "pl",
        "cs",
        "ro",
        "hu",
        "da",
        "sv",
        "fi",
        "id",
        "vi",
        "cyrillic",
    }
)
_PERCENT = Measure("percent", 1.0)
_GAP = re.compile(r"[\s\u00a0-]?")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as a text says it.

    Attributes:
        start: First character of the number.
        end: One past its unit.
        values: What it may mean, scale and sign included; `1.200` has two readings where the
            language of the text is not known.
        measure: Its unit, or None.
        is_ordinal: Whether it counts a place, such as `3rd`.
        is_decade: Whether it means ten years, such as `1980s`.
    """

    start: int
    end: int
    values: tuple[float, ...]
    measure: Measure | None = None
    is_ordinal: bool = False
    is_decade: bool = False

    @property
    def value(self) -> float:
        """The likeliest reading."""
        return self.values[0]


def find_quantities(
    text: str, language: str | None, *, taken: Sequence[Span] = ()
) -> list[Quantity]:
    """Return the numbers of a text, in order.

    Args:
        text: NFKC.
        language: As guessed; decides what `1.200` means.
        taken: Ranges to leave out, such as dates.
    """
    found = [
        _read_digits(text, match, language)
        for match in _NUMBER.finditer(text)
        if not _VERSION.match(match[0]) or _GROUPED.match(match[0])
    ]
    found += [
        _with_surroundings(text, Quantity(w.start, w.end, (w.value,), is_ordinal=w.is_ordinal))
        for w in find_number_words(text, language)
    ]
    kept: list[Quantity] = []
    for quantity in sorted(found, key=lambda q: (q.start, -q.end)):
        span = (quantity.start, quantity.end)
        is_inside = kept and quantity.start < kept[-1].end
        if not is_inside and not any(span[0] < end and start < span[1] for start, end in taken):
            kept.append(quantity)
    return _share_units(text, kept)


def _read_digits(text: str, match: re.Match[str], language: str | None) -> Quantity:
    values = _readings(match[0], language)
    return _with_surroundings(text, Quantity(match.start(), match.end(), values))


def _readings(digits: str, language: str | None) -> tuple[float, ...]:
    """Return what a number in digits may mean, the likeliest first."""
    marks = [c for c in digits if not c.isdecimal()]
    if not marks:
        return (float(digits),)
    grouped = float("".join(c for c in digits if c.isdecimal()))
    if set(marks) <= set("'’\u00a0\u202f "):
        return (grouped,)
    if len(set(marks)) > 1:
        whole, _, fraction = digits.rpartition(marks[-1])
        return (float("".join(c for c in whole if c.isdecimal()) + "." + fraction),)
    if len(marks) > 1:
        return (grouped,)
    return _read_one_mark(digits, marks[0], language)


def _read_one_mark(digits: str, mark: str, language: str | None) -> tuple[float, ...]:
    """Return what a number with one point or comma may mean."""
    decimal, grouped = float(digits.replace(mark, ".")), float(digits.replace(mark, ""))
    if not _GROUPED.match(digits):
        return (decimal,)
    if language in _POINT_LANGUAGES:
        return (grouped,) if mark == "," else (decimal,)
    if language in _COMMA_LANGUAGES:
        return (grouped,) if mark == "." else (decimal,)
    return (grouped, decimal)


def _with_surroundings(text: str, quantity: Quantity) -> Quantity:
    """Add what stands before and after a number: sign, currency, scale, unit."""
    start, end = quantity.start, quantity.end
    if quantity.is_ordinal or _is_ordinal(text, quantity):
        return replace(quantity, is_ordinal=True)
    if _is_decade(text, quantity):
        return replace(quantity, is_decade=True)
    prefix = _PREFIX.search(text, max(0, start - 4), start)
    factor, end = _scale_at(text, end)
    measure, end = _measure_around(text, (start, end), prefix)
    before = prefix.start() if prefix else start
    sign = -1 if _MINUS.search(text, max(0, before - 7), before) else 1
    values = tuple(round(sign * value * factor, 9) for value in quantity.values)
    return replace(quantity, end=end, values=values, measure=measure)


def _is_ordinal(text: str, quantity: Quantity) -> bool:
    return quantity.value < 1000 and bool(_ORDINAL.match(text, quantity.end))


def _is_decade(text: str, quantity: Quantity) -> bool:
    return quantity.value % 10 == 0 and bool(_DECADE.match(text, quantity.end))


def _scale_at(text: str, end: int) -> tuple[float, int]:
    """Return the factor that follows a number, and where it ends."""
    factor = 1.0
    while match := _SCALE.match(text, end):
        word = match[0].strip(" -.").casefold()
        if match["letter"] == "m":  # metres
            break
        step = SCALES.get(word) or _SHORT_SCALES.get(word)
        if step is None:
            break
        factor *= step
        end = match.end()
    return factor, end


def _measure_around(
    text: str, span: Span, prefix: re.Match[str] | None
) -> tuple[Measure | None, int]:
    start, end = span
    if _PERCENT_BEFORE.search(text, max(0, start - 6), start):
        return _PERCENT, end
    if prefix:
        return measure_named(prefix[0].strip()), end
    gap = _GAP.match(text, end)
    found = find_measure(text, gap.end() if gap else end)
    return found or (None, end)


def _share_units(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Give the first numbers of a range or row the unit of the last: `5 to 10 GB`."""
    shared = list(quantities)
    for place in range(len(shared) - 2, -1, -1):
        this, following = shared[place], shared[place + 1]
        if _is_range(text, this, following):
            scale = _scale_at(text, following.start + _digits_length(text, following))[0]
            scaled = tuple(value * scale for value in this.values if scale != 1)
            values = tuple(dict.fromkeys((*scaled, *this.values)))
            shared[place] = replace(this, values=values, measure=following.measure)
    return shared


def _is_range(text: str, this: Quantity, following: Quantity) -> bool:
    """Whether two numbers are one range of which only the second has a unit or scale."""
    is_open = this.measure is None and not this.is_ordinal and not following.is_ordinal
    return is_open and bool(_RANGE.fullmatch(text, this.end, following.start))


def _digits_length(text: str, quantity: Quantity) -> int:
    match = _NUMBER.match(text, quantity.start)
    return len(match[0]) if match else 0
