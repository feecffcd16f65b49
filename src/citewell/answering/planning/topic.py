"""What earlier questions were about, and how a question that leans on them takes it along."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citewell.answering.planning.follow_up import leans_on_history
from citewell.answering.planning.vocabulary import PREPOSITIONS, Language
from citewell.answering.planning.words import (
    Word,
    content_words,
    is_alike,
    language_of,
    names,
    plain,
    tokens,
)
from citewell.domain.answer import CANONICAL_ABSTENTION
from citewell.domain.conversation import Turn

MAX_TERMS = 12
"""Words that a question takes along; more would outweigh its own."""
_MAX_ANSWER_NAMES = 3
_PERSON = re.compile(
    r"\b(?:he|she|him|his|her|they|them|their|er|ihn|ihm|sie|ihre?)\b|[他她]", re.IGNORECASE
)
_MARKED = re.compile(r"\[\d+\]|\[s\.[^\]]*\]")
_SHAPE = re.compile(r"(?P<letters>[A-Za-z]+[-_]?)(?P<digits>\d+)\Z")


def topic_terms(question: str, history: Sequence[Turn]) -> tuple[str, ...]:
    """Return the words of the last turns that a question leaning on them needs, in order.

    They come from the last question, and from those before it as long as each leans on the one
    before; names in the last answer are added if the question speaks of a person or the last
    question named nothing. What the new question says itself, or says instead, is left out.

    Args:
        question: The new question.
        history: Oldest first.
    """
    language = language_of(question, otherwise=_language_of(history))
    own = content_words(question, language)
    terms: list[Word] = []
    for position in range(len(history) - 1, -1, -1):
        earlier = history[position].question
        terms = [*_lasting_words(earlier, question, _language_of(history)), *terms]
        if not leans_on_history(earlier, otherwise=_language_of(history)):
            break
    if history and (_PERSON.search(question) or not terms):
        terms += _names_in_answer(history[-1])
    kept: list[str] = []
    for word in terms:
        known = [*kept, *(other.text for other in own)]
        if not any(_is_same(word.text, text) for text in known):
            kept.append(word.text)
    return tuple(kept[:MAX_TERMS])


def join_topic(question: str, terms: Sequence[str]) -> str:
    """Return a question with the terms it leans on in parentheses."""
    if not terms:
        return question
    if language_of(question) == "zh":
        return f"{question}（{' '.join(terms)}）"
    return f"{question} ({' '.join(terms)})"


def _language_of(history: Sequence[Turn]) -> Language:
    return language_of(" ".join(turn.question for turn in history))


def _lasting_words(earlier: str, question: str, language: Language) -> list[Word]:
    """Return the content of an earlier question without what the new one puts in its place."""
    words = content_words(earlier, language_of(earlier, otherwise=language))
    replaced = _replaced_by_preposition(earlier, question, language)
    shapes = {
        match["letters"].casefold()
        for word in content_words(question, language)
        if (match := _SHAPE.match(word.text))
    }
    return [
        word
        for word in words
        if not (replaced and replaced[0] <= word.start < replaced[1])
        and not ((match := _SHAPE.match(word.text)) and match["letters"].casefold() in shapes)
    ]


def _replaced_by_preposition(
    earlier: str, question: str, language: Language
) -> tuple[int, int] | None:
    """Return where "in Brazil" stands that "And in Germany?" replaces."""
    prepositions = PREPOSITIONS[language_of(question, otherwise=language)]
    spoken = [plain(match.group()) for match in tokens(question)[:3]]
    first = next((word for word in spoken if word in prepositions), None)
    if first is None or len(tokens(question)) > 6:
        return None
    words = content_words(earlier, language)
    for match in tokens(earlier):
        if plain(match.group()) == first:
            following = [word for word in words if word.start >= match.end()]
            phrase = _adjacent(following, earlier)
            return (match.start(), phrase[-1].end) if phrase else None
    return None


def _adjacent(words: Sequence[Word], text: str) -> list[Word]:
    """Return the first words that only articles and white space keep apart."""
    run: list[Word] = []
    for word in words:
        if run and text[run[-1].end : word.start].strip():
            break
        run.append(word)
    return run


def _names_in_answer(turn: Turn) -> list[Word]:
    if turn.answer.strip() == CANONICAL_ABSTENTION:
        return []
    answer = _MARKED.sub(" ", turn.answer)
    found = names(content_words(answer, language_of(answer, otherwise="en")))
    return [word for word in found if any(c.isalpha() for c in word.text)][:_MAX_ANSWER_NAMES]


def _is_same(one: str, other: str) -> bool:
    return one in other or is_alike(one, other)
