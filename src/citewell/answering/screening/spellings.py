"""The ways in which a message can be read: as written, joined, in leetspeak, decoded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from citewell.answering.screening.decode import decodings
from citewell.answering.screening.fold_text import fold_text, hidden_words, latinize

Reading = Literal["words", "leet", "squeezed"]

_LEET = str.maketrans("013456789@$!|+€£¡¢", "oieasgtbgasiiteiic")
_LEET_SIGN = re.compile(r"[013456789@$!|+€£¡¢]")
_LETTER = re.compile("[a-z]")
_WORD = re.compile(r"\S+")
_SPACED_WORD = re.compile(r"(?<![^\W_])(?:[^\W_][ .\-*|~/,]{1,2}){3,}[^\W_](?![^\W_])")
_SEPARATORS = re.compile(r"[\W_]+")
_WIDE_GAP = re.compile(r"\s{2,}|\s*[/|]\s+")
_MAX_WORD = 16
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


def spellings(message: str) -> list[Spelling]:
    """Return every reading of the message, the plain one first, each once."""
    found: dict[tuple[str, Reading], Spelling] = {}
    for text, origin in _texts(message):
        for spelling in _readings(text, origin):
            found.setdefault((spelling.text, spelling.reading), spelling)
    return list(found.values())


def _texts(message: str) -> Iterator[tuple[str, str]]:
    """Yield the message and what it hides, with where each comes from."""
    yield message, "plain"
    hidden = hidden_words(message)
    if hidden.strip():
        yield hidden, "hidden"
    pending = [message, hidden]
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
    joined = _SPACED_WORD.sub(_join, latin)
    if joined != latin:
        yield Spelling(joined, "words", origin)
        yield from _squeezed(latin, origin)
    if _LEET_SIGN.search(joined):
        yield Spelling(_from_leet(joined), "leet", origin)


def _join(spaced: re.Match[str]) -> str:
    """Return the words that were written letter by letter; wide gaps part them."""
    words = _WIDE_GAP.split(spaced.group())
    return " ".join(_SEPARATORS.sub("", word) for word in words)


def _squeezed(latin: str, origin: str) -> Iterator[Spelling]:
    """Yield without any gaps what was written letter by letter without gaps of words."""
    for found in _SPACED_WORD.finditer(latin):
        letters = _SEPARATORS.sub("", found.group().translate(_LEET))
        if len(letters) > _MAX_WORD:
            yield Spelling(letters.replace("l", "i"), "squeezed", origin)


def _from_leet(text: str) -> str:
    return _WORD.sub(_word_from_leet, text).replace("l", "i")


def _word_from_leet(found: re.Match[str]) -> str:
    word = found.group()
    return word.translate(_LEET) if _LETTER.search(word) else word
