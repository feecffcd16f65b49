"""How much a decoding looks like text that someone wrote."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from citewell.adapters.converters.encodings.east_asia import ranks_of_encoding
from citewell.adapters.converters.encodings.languages import (
    LANGUAGES_OF_ENCODING,
    OLD_ENCODINGS,
    Language,
)

EAST_ASIAN_ENCODINGS = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949")
WIDE_ENCODINGS = ("utf_16_le", "utf_16_be")

_WORD = re.compile(
    r"[^\W\d_]+(?:[\u0300-\u036f\u0591-\u05c7\u064b-\u0655\u0e31-\u0e4e]+[^\W\d_]*)*"
)
_TYPOGRAPHY = frozenset(
    "“”‘’„‚«»–—…•·€£§°©®™²³½¼¾±×µ¿¡\u00a0‹›†¹ª№、。，？！：；（）「」『』《》“”・ー％～　【】"
)
_ODD = -1.5
_WRONG = -4.0
_OLD = 0.75
_SINGLE_LETTER = 0.3
_MIN_LETTERS_WITH_VOWEL = 4


def score_decoding(text: str, encoding: str) -> float:
    """Return how plausible `text` is as the meaning of bytes in `encoding`.

    Sums over the characters beyond ASCII, each weighted by the bytes that it took, so that the
    scores of two decodings of the same bytes can be compared. Above 0: plausible.
    """
    if encoding in LANGUAGES_OF_ENCODING:
        words = Counter(_WORD.findall(text))
        score = _score_symbols(text) - (_OLD if encoding in OLD_ENCODINGS else 0.0)
        return score + max(
            _score_words(words, language) for language in LANGUAGES_OF_ENCODING[encoding]
        )
    return _score_east_asian(text, encoding)


def _score_words(words: Counter[str], language: Language) -> float:
    score = 0.0
    for word, count in words.items():
        if not word.isascii():
            weight = _SINGLE_LETTER if len(word) == 1 else 1.0
            score += count * weight * _score_word(word, language)
        if word.lower() in language.words:
            score += 0.5 * count
    return score


def _score_word(word: str, language: Language) -> float:
    score = 0.0
    if language.vowels and len(word) >= _MIN_LETTERS_WITH_VOWEL:
        score += 0.0 if language.vowels.intersection(word.lower()) else _ODD
    previous = ""
    last = len(word) - 1
    for position, letter in enumerate(word):
        if not letter.isascii():
            score += _score_letter(letter, language)
            if letter in language.final and position != last:
                score += _ODD
        score += _score_neighbours(previous, letter)
        previous = letter
    return score


def _score_letter(letter: str, language: Language) -> float:
    lower = "i" if letter == "İ" and "ı" in language.common else letter.lower()
    case_weight = 1.0 if letter == lower else 0.7
    if lower in language.common or lower == "i":
        return case_weight
    return 0.3 * case_weight if lower in language.rare else _ODD


def _score_neighbours(previous: str, letter: str) -> float:
    """Penalise a capital after a small letter and a change of script inside a word."""
    if not previous or (previous.isascii() and letter.isascii()):
        return 0.0
    score = 0.0
    if previous.islower() and letter.isupper():
        score += _ODD
    if previous.isascii() != letter.isascii():
        other = letter if previous.isascii() else previous
        score += 0.0 if _is_latin(other) else _ODD
    return score


def _is_latin(letter: str) -> bool:
    return ord(letter) < 0x250 or 0x300 <= ord(letter) < 0x370 or 0x1E00 <= ord(letter) < 0x1F00


_LONE_IN_LATIN_WORD = re.compile(r"(?<=[A-Za-z])[\u3400-\u9fff\uac00-\ud7a3](?=[a-z])")
_THAI_MARK_ASTRAY = re.compile(
    r"(?<![\u0e01-\u0e2e\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]"
    r"|[\u0e40-\u0e44](?![\u0e01-\u0e2e])|[\u0e4f\u0e5a\u0e5b]"
)
_SYMBOL = re.compile(r"[^\x00-\x7f\w]|[ªº¹²³¼½¾]")


def _score_symbols(text: str) -> float:
    score = _ODD * len(_THAI_MARK_ASTRAY.findall(text))
    for found in _SYMBOL.finditer(text):
        symbol = found.group()
        inside_word = (
            text[found.start() - 1 : found.start()].isalpha()
            and text[found.end() : found.end() + 1].isalpha()
        )
        if symbol in _TYPOGRAPHY:
            score += _ODD if inside_word and symbol not in "’·—–\u00a0" else 0.3
        else:
            score += _score_other_symbol(symbol) + (_ODD if inside_word else 0.0)
    return score


def _score_other_symbol(symbol: str) -> float:
    category = unicodedata.category(symbol)
    if category in {"Cc", "Cn", "Co", "Cs"}:
        return _WRONG
    if category == "Mn" or "\u0e00" <= symbol <= "\u0e7f":
        return 0.0
    return -0.7 if "\u2500" <= symbol <= "\u25a0" else _ODD  # lines of a drawn table


def _score_east_asian(text: str, encoding: str) -> float:
    ranks = ranks_of_encoding(encoding)
    score = 0.0
    for character, count in Counter(text).items():
        if character.isascii():
            if encoding in WIDE_ENCODINGS and (character.isprintable() or character in "\r\n\t"):
                score += count
            continue
        if character in ranks.frequent:
            value = 1.0
        elif character in ranks.ordinary:
            value = 0.25
        elif character in _TYPOGRAPHY or "\uff01" <= character <= "\uff5e":
            value = 0.5
        else:
            value = _score_rare_character(character)
        score += 2 * count * value
    return score - 2.0 * len(_LONE_IN_LATIN_WORD.findall(text))


def _score_rare_character(character: str) -> float:
    category = unicodedata.category(character)
    if category in {"Cc", "Cn", "Co", "Cs"}:
        return _WRONG
    if category == "Lo" and (
        "\u4e00" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3"
    ):
        return -0.7
    return -1.0
