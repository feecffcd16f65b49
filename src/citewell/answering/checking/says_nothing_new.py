"""Whether a sentence only repeats its question."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.answering.verification.facts import read_facts
from citewell.answering.verification.words import ContentWord, content_words, searchable, share_of
from citewell.lexical.question_words import asks_for_something, drop_question_words

_NOTHING_NEW = 0.9
"""Share of a sentence's content in the question from which on it adds none."""
_WHOLE = 0.7
"""Share of the question's content in a sentence from which on it is no choice among it."""


def says_nothing_new(sentence: str, question: str) -> bool:
    """Return whether a sentence says what the question says, and no more.

    "ACME will pay for the firm" answers "How much will ACME pay for the firm?" in no way, though
    passages support it. "Yes" and a choice among what is asked are answers, and so is a sentence
    that leaves out some of the question.
    """
    if not asks_for_something(question):
        return False
    asked = drop_question_words(question)
    said, known = content_words(sentence), content_words(asked)
    new_facts = read_facts(sentence).numbers - read_facts(question).numbers
    closed = "".join(asked.split())  # without 何时, what was apart stands together
    if new_facts or _share(said, f"{question}\n{closed}") < _NOTHING_NEW:
        return False
    return _share(known, sentence) >= _WHOLE


def _share(words: Sequence[ContentWord], text: str) -> float:
    """Return how much of the words a text holds, in [0, 1]; 1 of none."""
    folded = searchable(text)
    whole = sum(word.weight for word in words)
    return sum(word.weight * share_of(word, folded) for word in words) / whole if whole else 1.0
