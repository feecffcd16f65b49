"""Numbers that are written in words: English, German, Turkish, Chinese and Japanese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_SMALL = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen",
    "de": "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "tr": "sıfır bir iki üç dört beş altı yedi sekiz dokuz on",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "tr": "yirmi otuz kırk elli altmış yetmiş seksen doksan",
}
SCALES: dict[str, int] = {
    "hundred": 100,
    "hundert": 100,
    "yüz": 100,
    "thousand": 10**3,
    "tausend": 10**3,
    "bin": 10**3,
    "million": 10**6,
    "millions": 10**6,
    "millionen": 10**6,
    "milyon": 10**6,
    "billion": 10**9,
    "billions": 10**9,
    "milliarde": 10**9,
    "milliarden": 10**9,
    "milyar": 10**9,
    "trillion": 10**12,
    "trillions": 10**12,
    "trilyon": 10**12,
    "billionen": 10**12,
}
"""Words that multiply the number before them; German `Billion` is read as English."""

_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "eleventh": 11,
    "twelfth": 12,
    "thirteenth": 13,
    "fourteenth": 14,
    "fifteenth": 15,
    "sixteenth": 16,
    "seventeenth": 17,
    "eighteenth": 18,
    "nineteenth": 19,
    "twentieth": 20,
    "ilk": 1,
    "birinci": 1,
    "ikinci": 2,
    "üçüncü": 3,
    "dördüncü": 4,
    "beşinci": 5,
    "altıncı": 6,
    "yedinci": 7,
    "sekizinci": 8,
    "dokuzuncu": 9,
    "onuncu": 10,
    "yirminci": 20,
}
_GERMAN_ORDINALS = {
    "erst": 1,
    "zweit": 2,
    "dritt": 3,
    "viert": 4,
    "fünft": 5,
    "sechst": 6,
    "siebt": 7,
    "acht": 8,
    "neunt": 9,
    "zehnt": 10,
    "elft": 11,
    "zwölft": 12,
    "dreizehnt": 13,
    "vierzehnt": 14,
    "fünfzehnt": 15,
    "sechzehnt": 16,
    "siebzehnt": 17,
    "achtzehnt": 18,
    "neunzehnt": 19,
    "zwanzigst": 20,
}
"""Without their endings."""
_GERMAN_ORDINAL = re.compile(r"(?P<stem>[a-zäöüß]+?t)(?:e[nrsm]?)\Z")
_ONES = frozenset({"one", "ein", "eins", "bir"})  # also articles: alone they count nothing
_JOINERS = frozenset({"and", "und"})
_ARTICLES = frozenset({"a", "eine", "one", "bir"})
_WORD = re.compile(r"[^\W\d_]+")
_CJK_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_CJK_SCALES = {"十": 10, "百": 100, "千": 1000}
_CJK_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_CJK_NUMERAL = "零〇一二三四五六七八九十百千万萬亿億两兩"
_CJK_RUN = re.compile(f"(?P<ordinal>第)?(?P<number>[{_CJK_NUMERAL}]+)(?!分之)")
_COUNTERS = re.compile(
    "(?:個|个|名|位|年|月|日|天|次|种|種|人|岁|歲|倍|条|條|件|项|項|家|座|所|支|部|篇|卷|册|"
    "届|世|层|級|级|号|米|"
    "元|美元|度|章|节|公里|小时|分钟|秒|周|款|架|辆|台|本|张|只|头|匹|群|套|双|场|大|者|分之|"
    "成|艘|代|期|点|時|つ|回)"
)


class NumberWords(NamedTuple):
    """A number in words.

    Attributes:
        start: First character.
        end: One past the last.
        value: At least 0.
        is_ordinal: Whether it counts a place, such as `third`.
    """

    start: int
    end: int
    value: float
    is_ordinal: bool


def _vocabulary() -> dict[str, tuple[int, str]]:
    """Return what each word below 100 is worth, and whether it is a unit or a ten."""
    words: dict[str, tuple[int, str]] = {"eins": (1, "small"), "dreissig": (30, "ten")}
    for text in _SMALL.values():
        words |= {word: (value, "small") for value, word in enumerate(text.split())}
    for text in _TENS.values():
        words |= {word: (10 * value, "ten") for value, word in enumerate(text.split(), 2)}
    words["on"] = (10, "ten")
    return words


_WORDS = _vocabulary()
_TURKISH_ONLY = frozenset({"on", "bin", "elli", "alt", "yüz"})
_GERMAN_COMPOUND = re.compile(
    r"(?:(?P<thousands>[a-zäöüß]*)tausend)?(?:(?P<hundreds>[a-zäöüß]*?)hundert)?(?:und)?"
    r"(?P<rest>[a-zäöüß]*)\Z"
)


def find_number_words(text: str, language: str | None) -> list[NumberWords]:
    """Return the numbers in words, in order.

    A lone `one`, which is an article too, is left out, and so is a lone Chinese numeral that no
    counter follows: it may be part of a name.

    Args:
        text: NFKC.
        language: As guessed; decides about words of two languages, such as `on` and `bin`.
    """
    return [*_spaced(text, language), *_chinese(text)]


def _spaced(text: str, language: str | None) -> Iterator[NumberWords]:
    words = [(m.start(), m.end(), m[0].casefold().replace("i̇", "i")) for m in _WORD.finditer(text)]
    index = 0
    while index < len(words):
        if not _may_begin(words[index][2], language):
            index += 1
            continue
        run = _Run(language)
        end = index
        while end < len(words) and _is_near(text, words, end, index) and run.take(words[end][2]):
            end += 1
        while end > index and words[end - 1][2] in _JOINERS:
            end -= 1
        if run.is_number and end > index:
            yield NumberWords(words[index][0], words[end - 1][1], run.value, run.is_ordinal)
        index = max(end, index + 1)


def _may_begin(word: str, language: str | None) -> bool:
    """Whether a number may begin with a word."""
    return word in SCALES or _value_of(word, language)[1] != ""


def _is_near(text: str, words: list[tuple[int, int, str]], place: int, first: int) -> bool:
    """Whether only a space or hyphen parts a word from the one before."""
    return place == first or text[words[place - 1][1] : words[place][0]] in {" ", "-", "\u2010"}


class _Run:
    """Words in a row that make one number."""

    def __init__(self, language: str | None) -> None:
        self._language = language
        self._total = 0
        self._current = 0
        self._last = ""
        self._n_numbers = 0
        self._word = ""
        self.is_ordinal = False

    @property
    def value(self) -> float:
        return self._total + self._current

    @property
    def is_number(self) -> bool:
        return self._n_numbers > 0 and not (self._n_numbers == 1 and self._word in _ONES)

    def take(self, word: str) -> bool:
        """Add a word, and return whether it goes on with the number."""
        if self.is_ordinal:
            return False
        if word in _TURKISH_ONLY and self._language != "tr":
            return False
        if word in _JOINERS:
            return self._last == "scale"
        if word in SCALES:
            return self._scale(SCALES[word])
        value, kind = _value_of(word, self._language)
        if kind == "" or not self._fits(kind):
            return False
        self._add(word, value, kind)
        return True

    def _fits(self, kind: str) -> bool:
        if kind == "whole":
            return not self._n_numbers
        if kind in {"small", "ordinal"}:
            return self._last in {"", "ten", "scale"}
        return self._last in {"", "scale"}

    def _add(self, word: str, value: int, kind: str) -> None:
        self._current += value
        self._last = kind
        self._word = word
        self._n_numbers += 1
        self.is_ordinal = kind == "ordinal"

    def _scale(self, factor: int) -> bool:
        if not self._n_numbers and factor not in {100, 1000}:
            return False
        if self._last == "whole" and factor < 10**6:
            return False
        self._n_numbers += 1
        self._word = ""
        self._last = "scale"
        if factor == 100:
            self._current = (self._current or 1) * 100
        else:
            self._total += (self._current or 1) * factor
            self._current = 0
        return True


@lru_cache(maxsize=4096)
def _value_of(word: str, language: str | None) -> tuple[int, str]:
    """Return the value of one word and its kind, or an empty kind."""
    if word in _WORDS:
        return _WORDS[word]
    if word in _ORDINALS:
        return _ORDINALS[word], "ordinal"
    if word.endswith("ieth") and word[:-4] + "y" in _WORDS:
        return _WORDS[word[:-4] + "y"][0], "ordinal"
    match = _GERMAN_ORDINAL.match(word)
    if match and match["stem"] in _GERMAN_ORDINALS and language not in {"en", "tr"}:
        return _GERMAN_ORDINALS[match["stem"]], "ordinal"
    if language not in {"en", "tr"} and len(word) > 5:
        value = _german(word)
        if value is not None:
            return value, "whole"
    return 0, ""


def _german(word: str) -> int | None:
    """Return the value of a German compound such as `zweihundertfünfunddreißig`."""
    if "und" not in word and "hundert" not in word and "tausend" not in word:
        return None
    match = _GERMAN_COMPOUND.match(word)
    if match is None:
        return None
    total = 0
    if match["thousands"] is not None:
        thousands = _german_below_thousand(match["thousands"] or "ein")
        if thousands is None:
            return None
        total += 1000 * thousands
    rest = word[match.start("hundreds") if match["hundreds"] is not None else match.start("rest") :]
    below = _german_below_thousand(rest) if rest else 0
    return None if below is None else total + below


def _german_below_thousand(word: str) -> int | None:
    head, hundert, tail = word.rpartition("hundert")
    total = 0
    if hundert:
        hundreds = _WORDS.get(head or "ein")
        if hundreds is None:
            return None
        total = 100 * hundreds[0]
    tail = tail.removeprefix("und") if hundert else tail
    if not tail:
        return total
    if tail in _WORDS:
        return total + _WORDS[tail][0]
    ones, und, tens = tail.partition("und")
    if not und or ones not in _WORDS or tens not in _WORDS or _WORDS[tens][1] != "ten":
        return None
    return total + _WORDS[ones][0] + _WORDS[tens][0]


def _chinese(text: str) -> Iterator[NumberWords]:
    if text.isascii():
        return
    for match in _CJK_RUN.finditer(text):
        numeral, is_ordinal = match["number"], match["ordinal"] is not None
        is_after_digit = match.start() > 0 and text[match.start() - 1].isdecimal()
        is_counted = bool(_COUNTERS.match(text, match.end()))
        is_alone = len(numeral) == 1 and not is_ordinal and (numeral == "一" or not is_counted)
        if is_after_digit or is_alone or not _CJK_DIGITS.keys() | {"十"} & set(numeral):
            continue
        value = read_chinese(numeral)
        if value is not None:
            yield NumberWords(match.start(), match.end(), value, is_ordinal)


def read_chinese(numeral: str) -> float | None:
    """Return the value of a Chinese numeral, such as 三百零五万 or 二〇二六, or None."""
    if all(c in _CJK_DIGITS for c in numeral):
        return float("".join(str(_CJK_DIGITS[c]) for c in numeral))
    total = section = digit = 0
    largest = 1
    for c in numeral:
        if c in _CJK_DIGITS:
            digit = _CJK_DIGITS[c]
        elif c in _CJK_SCALES:
            section += (digit or 1) * _CJK_SCALES[c]
            digit = 0
        else:
            scale = _CJK_MYRIADS[c]
            below = section + digit
            total = (total + below or 1) * scale if scale > largest else total + below * scale
            largest = max(largest, scale)
            section = digit = 0
    return float(total + section + digit)
