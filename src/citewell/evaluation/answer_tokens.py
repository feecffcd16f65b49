"""Answers as comparable tokens: words without case, articles and marks, numbers by their value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

_TOKEN = re.compile(
    r"\d+(?:[.,]\d+)*(?:(?:st|nd|rd|th)\b)?(?!\d|s\b)"  # a number, also an ordinal; no decade
    r"|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"  # no spaces: a character
    r"|[^\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
    r"|[%$€£¥]"
)
_MARKER = re.compile(r"\[\d{1,2}(?:\s*,\s*\d{1,2})*\]")
_PERCENT = re.compile(r"\bper ?cent\b")
_THIN_GROUPS = re.compile(r"(?<=\d)[\u00a0\u2009\u202f'’](?=\d{3}(?!\d))")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?")
_ARTICLES = frozenset({"a", "an", "the"})
_SCALES = {
    "hundred": 2,
    "thousand": 3,
    "million": 6,
    "millions": 6,
    "billion": 9,
    "billions": 9,
    "trillion": 12,
    "十": 1,
    "百": 2,
    "千": 3,
    "万": 4,
    "萬": 4,
    "亿": 8,
    "億": 8,
}
_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
_TENS = ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBER_WORDS = {word: Decimal(n) for n, word in enumerate(_WORDS)} | {
    word: Decimal(10 * n) for n, word in enumerate(_TENS, 3)
}
_CHINESE_DIGITS = {digit: Decimal(n) for n, digit in enumerate("零一二三四五六七八九")} | {
    "两": Decimal(2),
    "兩": Decimal(2),
}


def answer_tokens(text: str) -> list[str]:
    """Return the tokens by which answers are compared.

    As SQuAD's evaluation does, case, punctuation and the English articles go (Rajpurkar et al.,
    2016); in Han and kana each character is a token, as in CMRC's (Cui et al., 2019). Besides,
    citation markers go, and a number is written one way: `3,000`, `3 000` with a thin space, `three
    thousand`, `3千` and `3000` are the same, so are `50%` and `50 percent`, `25th` and `25`.
    """
    bare = _MARKER.sub(" ", _THIN_GROUPS.sub("", text))
    folded = _PERCENT.sub("%", unicodedata.normalize("NFKC", bare).casefold())
    return list(_joined(_TOKEN.findall(folded)))


def numbers_of(tokens: list[str]) -> set[str]:
    """Return the tokens that are numbers."""
    return {token for token in tokens if token[0].isdecimal()}


def _joined(raw: list[str]) -> Iterator[str]:
    """Yield tokens; a number and the scales that follow it are one."""
    value: Decimal | None = None
    for token in raw:
        if value is not None and token in _SCALES:
            value = value.scaleb(_SCALES[token])
            continue
        if value is not None:
            yield _written(value)
            value = None
        number = _value_of(token)
        if number is not None:
            value = number
        elif token not in _ARTICLES:
            yield token
    if value is not None:
        yield _written(value)


def _value_of(token: str) -> Decimal | None:
    if token in _NUMBER_WORDS:
        return _NUMBER_WORDS[token]
    if token in _CHINESE_DIGITS:
        return _CHINESE_DIGITS[token]
    digits = re.sub(r"(?:st|nd|rd|th)$", "", token)
    if not digits or not all(character in "0123456789.," for character in digits):
        return None
    if _GROUPED.fullmatch(digits):
        is_continental = digits.count(".") > 1
        digits = digits.replace("." if is_continental else ",", "")
    return Decimal(digits.replace(",", ".")) if digits.replace(",", ".").count(".") <= 1 else None


def _written(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
