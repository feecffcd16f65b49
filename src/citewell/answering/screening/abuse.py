"""Rate by rule whether a message abuses someone; a word that it asks about abuses nobody."""

from __future__ import annotations

import re

from citewell.answering.screening.fold_text import fold_exactly
from citewell.answering.screening.injection import GREY, Rating
from citewell.answering.screening.mention import without_mentioned, without_quoted
from citewell.answering.screening.phrase_book import Match, PhraseBook, phrase_books
from citewell.answering.screening.spellings import Spelling, spellings

ABUSE = 1.0
"""The score from which the rule alone decides."""

_ADDRESSED = 12
_ADDRESSED_IDEOGRAPHS = 3
_CALLED = re.compile(
    r"\b(?:is|are|was|were|such|ist|sind|war)\W+(?:\w+\W+){0,2}$|(?:是|就是)[个一这]?个?$"
)
_CLAUSE_END = re.compile("[.?!,;]")


def rate_abuse(message: str) -> Rating:
    """Return how much the message abuses, threatens or swears, in any reading of it.

    A word that is only asked about counts nothing, and no judge is to be asked: a small one takes
    the word for the deed.
    """
    rating = _rate(message)
    if rating.score >= GREY:
        outside = without_quoted(message)
        rest = _rate(without_mentioned(message if outside is None else outside))
        if rest.score < rating.score:
            return rest
    return rating


def _rate(message: str) -> Rating:
    signals: dict[str, float] = {}
    plain = spellings(message)
    decoded = [spelling for spelling in plain if spelling.origin != "plain"]
    exact = [Spelling(fold_exactly(message), "words", "plain"), *decoded]
    for book in phrase_books("abuse_phrases"):
        for spelling in exact if book.is_exact else plain:
            for name, weight in _signals(book, spelling).items():
                signals[name] = max(signals.get(name, 0.0), weight)
    reasons = sorted(signals, key=lambda name: -signals[name])
    return Rating(max(signals.values(), default=0.0), tuple(reasons))


def _signals(book: PhraseBook, spelling: Spelling) -> dict[str, float]:
    if spelling.reading == "squeezed" or not book.may_speak(spelling.text):
        return {}
    signals: dict[str, float] = {}
    for group in ("profane", "slur", "threat"):
        if book.find(group, spelling.text, spelling.reading):
            signals[group] = 1.0
    insults = book.find("insult", spelling.text, spelling.reading)
    if insults and _is_addressed(book, spelling, insults):
        signals["insult"] = 1.0
    elif insults and _is_said_of_someone(spelling, insults):
        signals["insult of others"] = GREY
    return signals


def _is_addressed(book: PhraseBook, spelling: Spelling, insults: list[Match]) -> bool:
    """Return whether "you" stands right before an insult, or right behind it."""
    most = _ADDRESSED_IDEOGRAPHS if book.language == "zh" else _ADDRESSED
    yours = book.find("you", spelling.text, spelling.reading)
    return any(_addresses(spelling.text, you, insult, most) for insult in insults for you in yours)


def _is_said_of_someone(spelling: Spelling, insults: list[Match]) -> bool:
    """Return whether someone is stated, not asked, to be what insults."""
    if "?" in spelling.text:
        return False
    return any(_CALLED.search(spelling.text[: insult.start][-40:]) for insult in insults)


def _addresses(text: str, you: Match, insult: Match, most: int) -> bool:
    if 0 <= you.start - insult.end <= 2:
        return True
    between = text[you.end : insult.start]
    return 0 <= insult.start - you.end <= most and not _CLAUSE_END.search(between)
