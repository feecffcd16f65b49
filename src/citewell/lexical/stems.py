"""One word to its comparable forms: case, accents, and endings.

No language is detected: a question of five words does not carry enough evidence, and a question and
its passage that were taken for different languages would never meet. Script decides instead.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import Protocol, cast

import Stemmer

PREFIX_LENGTH = 4
"""Letters of the prefix that stands in for a stemmer of the word's own language; measured."""

_STEMMED_SCRIPTS = (
    ("english", re.compile(r"[a-z]+\Z")),
    ("russian", re.compile("[\u0400-\u04ff]+\\Z")),
    ("arabic", re.compile("[\u0621-\u064a\u066e-\u06d3]+\\Z")),
    ("greek", re.compile("[\u0370-\u03ff]+\\Z")),
    ("hindi", re.compile("[\u0900-\u0963]+\\Z")),
    ("tamil", re.compile("[\u0b80-\u0bff]+\\Z")),
    ("armenian", re.compile("[\u0530-\u058f]+\\Z")),
)
_LETTER_FORMS = str.maketrans(
    {
        "ı": "i",
        "ł": "l",
        "đ": "d",
        "ø": "o",
        "æ": "ae",
        "œ": "oe",
        "أ": "ا",
        "إ": "ا",
        "آ": "ا",
        "ى": "ي",
        "ـ": "",
    }
)
_KEPT_MARKS = frozenset({"\u0306"})  # й is a letter of its own, not an accented и
_INDIC = re.compile("[\u0900-\u0dff]")
_ACCENTS = re.compile(
    "[\u0300-\u0305\u0307-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]+"
)
# Vowel signs of scripts from India to Cambodia are no word characters to `re`, but part of words.
_BETWEEN_WORDS = re.compile(
    "(?:[^\\w\u0306\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]|_)+"
)
_STEMMER_LOCK = Lock()  # a stemmer has internal state


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


def fold_word(word: str) -> str:
    """Return the word in one case, without accents, vowel points or variants of a letter.

    Marks of Indic scripts stay: they are vowels. `word` is NFKC.
    """
    folded = word.casefold()
    if folded.isdecimal():
        return "".join(str(unicodedata.decimal(digit)) for digit in folded)
    if folded.isascii() or _INDIC.search(folded):
        return folded
    decomposed = unicodedata.normalize("NFD", folded)
    kept = (c for c in decomposed if c in _KEPT_MARKS or not unicodedata.combining(c))
    return unicodedata.normalize("NFC", "".join(kept)).translate(_LETTER_FORMS)


def fold_text(text: str) -> str:
    """Return the words of a text, folded as words are, with one space before, between and after."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    if not folded.isascii():
        bare = _ACCENTS.sub("", unicodedata.normalize("NFD", folded))
        folded = unicodedata.normalize("NFC", bare).translate(_LETTER_FORMS)
    return _BETWEEN_WORDS.sub(" ", f" {folded} ")


def word_forms(folded: str) -> tuple[str, ...]:
    """Return the terms of one folded word: its stem and, for longer words, its prefix.

    The stem joins inflections where the script tells the language; the prefix joins them in the
    other languages of that script. Both are plain terms, so a short word meets the prefix of a
    longer one.
    """
    stem = folded
    for algorithm, letters in _STEMMED_SCRIPTS:
        if letters.match(folded):
            with _STEMMER_LOCK:
                stem = _stemmer(algorithm).stemWord(folded)
            break
    prefix = folded[:PREFIX_LENGTH]
    return (stem,) if len(folded) <= PREFIX_LENGTH or prefix == stem else (stem, prefix)


@lru_cache
def _stemmer(algorithm: str) -> _Stemmer:
    make = cast(
        "Callable[[str, int], _Stemmer]",
        Stemmer.Stemmer,  # pyright: ignore[reportUnknownMemberType] - the library ships no types
    )
    return make(algorithm, 0)
