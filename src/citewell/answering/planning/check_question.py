"""Whether what a model wrote is the question that was asked, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citewell.answering.planning.follow_up import (
    CHINESE_ASKS,
    has_open_reference,
    without_marker,
)
from citewell.answering.planning.vocabulary import ASKING, AUXILIARIES, Language
from citewell.answering.planning.words import (
    content_words,
    language_of,
    names,
    occurs_in,
    plain,
    tokens,
)
from citewell.domain.conversation import Turn

MAX_GROWTH = 200
"""Characters that a question may grow by."""
KEPT_SHARE = 0.7
"""Of the words of content that a model must keep."""


def is_faithful_rewrite(text: str, question: str, history: Sequence[Turn]) -> bool:
    """Return whether a text is the question made whole from its history.

    It is a question in the same language, asks by the same word, keeps the names and most of the
    content, takes something from the history, a name if there is one, and nothing from elsewhere,
    no number from an answer, and leans on nothing any more.

    Args:
        text: What a model wrote.
        question: As asked, which leans on the history.
        history: Oldest first.
    """
    asked = " ".join(turn.question for turn in history)
    language = language_of(question, otherwise=language_of(asked))
    is_new = _folded(text) not in {
        _folded(other) for other in (question, *(turn.question for turn in history))
    }
    return (
        is_new
        and len(text) <= len(question) + MAX_GROWTH
        and language_of(text, otherwise=language) == language
        and asks_the_same_way(text, question)
        and keeps_content(text, question)
        and takes_only_from(text, f"{question} {asked}", (turn.answer for turn in history))
        and _takes_something(text, question, asked)
        and _takes_a_name(text, question, history)
        and not has_open_reference(text, language)
    )


def _takes_something(text: str, question: str, asked: str) -> bool:
    """Return whether a text has content, or a Chinese way of asking, that the question lacks."""
    language = language_of(text)
    if any(not occurs_in(word, question) for word in content_words(text, language)):
        return True
    ways = set(CHINESE_ASKS.findall(text)) - set(CHINESE_ASKS.findall(question))
    return any(way in asked for way in ways)


def _takes_a_name(text: str, question: str, history: Sequence[Turn]) -> bool:
    """Return whether a text about something named before names it, if the question does not."""
    if names(content_words(question, language_of(question))):
        return True
    asked = [turn.question for turn in history]
    named = [word for text in asked for word in names(content_words(text, language_of(text)))]
    answered = " ".join(turn.answer for turn in history)
    named_in_text = names(content_words(text, language_of(text)))
    return (
        not named
        or any(occurs_in(word, text) for word in named)
        or any(occurs_in(word, answered) for word in named_in_text)
    )


def asks_the_same_way(text: str, question: str) -> bool:
    """Return whether a text asks if the question does, by one of the same words.

    "How much" may become "what", if nothing of the content went with it.
    """
    if question.rstrip().endswith(("?", "？")) and not text.rstrip().endswith(("?", "？")):
        return False
    language = language_of(question)
    if language == "zh":
        return bool(CHINESE_ASKS.search(text)) or not CHINESE_ASKS.search(question)
    asking = _asking_words(without_marker(question, language), language)
    found = _asking_words(text, language)
    if not asking:
        return not found or not _wants_yes_or_no(question, language)
    if asking & found:
        return True
    return "how" in asking and "what" in found and keeps_content(text, question, share=1.0)


def _wants_yes_or_no(question: str, language: Language) -> bool:
    first = next((plain(match.group()) for match in tokens(question)), "")
    return first in AUXILIARIES[language]


def _asking_words(text: str, language: Language) -> frozenset[str]:
    return ASKING[language].intersection(plain(match.group()) for match in tokens(text))


def keeps_content(text: str, question: str, *, share: float = KEPT_SHARE) -> bool:
    """Return whether a text has all names and most of the content of a question."""
    words = content_words(question, language_of(question, otherwise=language_of(text)))
    kept = [occurs_in(word, text) for word in words]
    return keeps_names(text, question) and sum(kept) >= share * len(kept)


def keeps_names(text: str, question: str) -> bool:
    """Return whether a text has all names of a question."""
    words = content_words(question, language_of(question, otherwise=language_of(text)))
    return all(occurs_in(word, text) for word in names(words))


def takes_only_from(text: str, asked: str, answers: Iterable[str] = ()) -> bool:
    """Return whether all content occurs in what was asked; what has no digit, also in answers."""
    said = " ".join(answers)
    for word in content_words(text, language_of(text, otherwise=language_of(asked))):
        has_digit = any(c.isdecimal() for c in word.text)
        if not occurs_in(word, asked) and (has_digit or not occurs_in(word, said)):
            return False
    return True


def _folded(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())
