"""How much of a question a passage holds, counting words that are written alike.

A stem decides between same and other, which suits neither compounds nor languages whose words take
many endings. So a word is looked for in pieces of four characters, its ends marked: a passage with
`protestanların` holds most of `protestanlığı`. Half of what a word counts goes by all its pieces,
half by those that follow from its start.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from citewell.domain.chunk import SparseVector
from citewell.lexical.analyze import (
    CHARACTER_RUN,
    find_tokens,
    split_token,
    term_ids_of,
)
from citewell.lexical.languages import guess_language
from citewell.lexical.question_words import drop_question_words
from citewell.lexical.stems import fold_text

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_PIECE = 4


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """A word of a question, or a group of characters where words are not spaced.

    Attributes:
        weight: Of its rarest term, above 0.
        pieces: To be looked for in folded text; at least one.
    """

    weight: float
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PassageWords:
    """A passage, sentence by sentence, as words are looked for in it.

    Attributes:
        sentences: Folded text of each sentence or line; roughly cut, as abbreviations do no harm.
        context: Folded title and headings, which hold for each sentence.
        language: As `guess_language` says.
    """

    sentences: tuple[str, ...]
    context: str
    language: str | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares of a question's weight, each in [0, 1].

    Attributes:
        passage: What occurs anywhere in the passage.
        sentence: What occurs in the one sentence that holds most of it; unlike `passage` it does
            not grow with the length of the passage.
    """

    passage: float
    sentence: float


def read_question(question: str, query: SparseVector) -> tuple[QuestionWord, ...]:
    """Return the words of a question that have a weight, each once.

    Args:
        question: As asked.
        query: As from `weigh_query`, with the weight of terms that occur nowhere.
    """
    weights = dict(zip(query.indices, query.values, strict=True))
    words: list[QuestionWord] = []
    for token in dict.fromkeys(find_tokens(drop_question_words(question))):
        weight = max((weights.get(term_id, 0.0) for term_id in term_ids_of(token)), default=0.0)
        pieces = _pieces(token) if weight > 0 else ()
        if pieces:
            words.append(QuestionWord(weight, pieces))
    return tuple(words)


def read_passage(text: str, *, context: str = "") -> PassageWords:
    """Return a passage as words are looked for in it.

    Args:
        text: Of the passage.
        context: Its title and headings.
    """
    return PassageWords(
        sentences=tuple(_fold(part) for part in _SENTENCE_END.split(text) if part),
        context=_fold(context),
        language=guess_language(text),
    )


def cover_question(words: Sequence[QuestionWord], passage: PassageWords) -> Coverage:
    """Return how much of a question's weight a passage makes up."""
    whole = sum(word.weight for word in words)
    if not whole > 0:
        return Coverage(0.0, 0.0)
    everything = "\n".join((passage.context, *passage.sentences))
    found = {piece for word in words for piece in word.pieces if piece in everything}
    words = [word for word in words if not found.isdisjoint(word.pieces)]
    known = {piece for piece in found if piece in passage.context}
    rest = found - known
    best = max(
        (
            _weight(words, known.union(piece for piece in rest if piece in sentence))
            for sentence in passage.sentences
        ),
        default=0.0,
    )
    return Coverage(passage=_weight(words, found) / whole, sentence=best / whole)


def _fold(text: str) -> str:
    """Return folded text in which a number or name between Chinese characters has its ends."""
    folded = fold_text(text)
    return folded if folded.isascii() else CHARACTER_RUN.sub(r" \g<0> ", folded)


def _weight(words: Sequence[QuestionWord], found: Set[str]) -> float:
    return sum(word.weight * _found_share(word.pieces, found) for word in words)


def _found_share(pieces: Sequence[str], found: Set[str]) -> float:
    """Return the mean of the share found, and of the share found before the first one missing."""
    are_found = [piece in found for piece in pieces]
    n_leading = next((n for n, is_found in enumerate(are_found) if not is_found), len(pieces))
    return (sum(are_found) + n_leading) / (2 * len(pieces))


def _pieces(token: str) -> tuple[str, ...]:
    """Return what a token is looked for by: a group of characters as it is, words in pieces."""
    parts = split_token(token)
    if not parts:
        return (token,)
    pieces: list[str] = []
    for part in parts:
        marked = fold_text(part)
        pieces += [marked[i : i + _PIECE] for i in range(max(1, len(marked) - _PIECE + 1))]
    return tuple(dict.fromkeys(pieces))
