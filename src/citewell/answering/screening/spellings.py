"""The ways in which a message can be read: as written, joined, in leetspeak, decoded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from citewell.answering.screening.decode import decodings
from citewell.answering.screening.fold_text import (
    FLAG_WITH_TAGS,
    TAGS,
    fold_text,
    latinize,
    plain_letters,
    with_tags_read,
)

Reading = Literal["words", "leet", "squeezed"]

_LEET = str.maketrans("013456789@$!|+€£¡¢", "oieasgtbgasiiteiic")
_LEET_IN_WORD = re.compile(
    r"[a-z][013456789@$!|+€£¡¢]{1,3}[a-z]|(?<![^\W_])[013456789@$|€£]{1,2}[a-z]{2}|[a-z][013457@$]"
)
_LETTER = re.compile("[a-z]")
_WORD = re.compile(r"\S+")
_SPACED_WORD = re.compile(r"(?<![^\W_])(?:[^\W_][ .\-*|~/,]{1,2}){3,}[^\W_](?![^\W_])")
_SEPARATORS = re.compile(r"[\W_]+")
_WIDE_GAP = re.compile(r"\s{2,}|\s*[/|]\s+")
_MIN_SPACED = 0.6
_SINGLE_BLANK = re.compile(r"(?<=\S) (?=\S)")
_MIN_LEET_WORDS = 3
_MAX_DECODED = 8


@dataclass(frozen=True, slots=True)
class Spelling:
    """A text that a message can be read as.

    Attributes:
        text: Folded.
        reading: `leet` has i for l, `squeezed` also lacks all that is no letter or digit.
        origin: What was done: `plain`, `hidden`, or a name of a decoding.
    """

    text: str
    reading: Reading
    origin: str


@lru_cache(maxsize=16)  # one message is screened by several rules, one after the other
def spellings(message: str) -> tuple[Spelling, ...]:
    """Return every reading of the message, the plain one first, each once."""
    found: dict[tuple[str, Reading], Spelling] = {}
    for text, origin in _texts(message):
        for spelling in _readings(text, origin):
            found.setdefault((spelling.text, spelling.reading), spelling)
    return tuple(found.values())


def _texts(message: str) -> Iterator[tuple[str, str]]:
    """Yield the message and what it hides, with where each comes from."""
    yield message, "plain"
    hidden = with_tags_read(message)
    if TAGS.search(FLAG_WITH_TAGS.sub("", message)):
        yield hidden, "hidden"
        yield with_tags_read(message, border="\n"), "hidden"
    pending = list(dict.fromkeys((message, plain_letters(message), hidden)))
    n_decoded = 0
    while pending and n_decoded < _MAX_DECODED:
        for decoded, origin in decodings(pending.pop(0)):
            n_decoded += 1
            pending.append(decoded)
            yield decoded, origin


def _readings(text: str, origin: str) -> Iterator[Spelling]:
    folded = fold_text(text)
    yield Spelling(folded, "words", origin)
    parted = fold_text(text, unseen=" ")
    if parted != folded:
        yield Spelling(parted, "words", origin)
    latin = latinize(folded)
    if latin != folded:
        yield Spelling(latin, "words", origin)
    joined = latin
    for written in dict.fromkeys((folded, latin)):
        for joined in _joined(written):
            yield Spelling(joined, "words", origin)
    if is_spaced(latin):
        yield _squeezed(latin, origin)
    if _LEET_IN_WORD.search(joined):
        yield Spelling(_from_leet(joined), "leet", origin)


def _join(spaced: re.Match[str]) -> str:
    """Return the words that were written letter by letter; wide gaps part them."""
    words = _WIDE_GAP.split(spaced.group())
    return " ".join(_SEPARATORS.sub("", word) for word in words)


def _joined(text: str) -> Iterator[str]:
    """Yield the text with words that are written letter by letter as words, if there are any."""
    if is_spaced(text):
        yield _SINGLE_BLANK.sub("", text)
    joined = _SPACED_WORD.sub(_join, text)
    if joined != text:
        yield joined


def is_spaced(text: str) -> bool:
    """Return whether most of the text is written letter by letter."""
    words = _SEPARATORS.split(text.strip())
    return sum(len(word) == 1 for word in words) > _MIN_SPACED * len(words)


def _squeezed(latin: str, origin: str) -> Spelling:
    """Return the text without any gaps: those of words cannot be told from those of letters."""
    letters = _SEPARATORS.sub("", latin.translate(_LEET))
    return Spelling(letters.replace("l", "i"), "squeezed", origin)


def _from_leet(text: str) -> str:
    """Return the text with digits and signs in words read as letters.

    If several words are spelled so, those of digits alone are words too.
    """
    is_habit = len(_LEET_IN_WORD.findall(text)) >= _MIN_LEET_WORDS
    spelled = text.translate(_LEET) if is_habit else _WORD.sub(_word_from_leet, text)
    return spelled.replace("l", "i")


def _word_from_leet(found: re.Match[str]) -> str:
    word = found.group()
    return word.translate(_LEET) if _LETTER.search(word) else word
