"""Rate by rule how much a message looks like orders to the assistant instead of a question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from citewell.answering.screening.mention import without_quoted
from citewell.answering.screening.phrase_book import Match, PhraseBook, phrase_books
from citewell.answering.screening.sought_pattern import SoughtPattern
from citewell.answering.screening.spellings import Spelling, spellings

INJECTION = 1.0
"""The score from which the rule alone decides."""

GREY = 0.4
"""The score from which a judge is asked."""

_NEAR = 70
_NEAR_IDEOGRAPHS = 24
_LONG = 1_500
_MAX_PAIRS = 50
# Marks with which prompts are built: nobody asks documents in them.
_TEMPLATE = SoughtPattern(
    r"<\|?(?:im[_ ]start|im[_ ]end|system|endoftext)\|?>"
    r"|<\|?(?:begin[_ ]of[_ ]text|start[_ ]header[_ ]id|eot[_ ]id)\|?>"
    r"|<\|(?:assistant|user)\|>|\[/?inst\]|<</?sys>>"
    r"|\[/?(?:system|sys|admin|developer)(?: ?(?:message|prompt|note|override))?\]"
    r"|</?(?:system|instructions?|passages?|context|documents?|question|assistant)>"
    r"|<(?:\w+ )?mode>"
    r"|(?:^|\n)[\s>*#\-]*(?:system|assistant|developer)(?: (?:message|prompt|note))?\s*:"
    r"|#{2,}\s*(?:system|instructions?|response|assistant|new task)\b"
    r"|(?:begin|end|start|stop) of (?:system )?prompt|user message terminat"
    r"|system (?:instruction|message)s? begins?"
)


@dataclass(frozen=True, slots=True)
class Weight:
    """What the first match of a group adds, each further phrase of it, and at most."""

    first: float
    further: float
    most: float


_WEIGHTS: Mapping[str, Weight] = {
    "override_phrase": Weight(1.0, 0.0, 1.0),
    "extraction": Weight(1.0, 0.0, 1.0),
    "role": Weight(0.6, 0.3, 1.0),
    "unbound": Weight(0.3, 0.25, 1.2),
    "authority": Weight(0.7, 0.2, 1.0),
    "output": Weight(0.2, 0.15, 0.6),
}
_ORDERS = frozenset({"override", "extraction", "role", "override_phrase", "reveal"})
_BORDER = re.compile(r"[.!?;,:()\[\]\n\u2013\u2014\u3002\u2026]")
_ASKED_ABOUT = 0.4
"""What is left of an order that the sentence asks about instead of giving it."""


@dataclass(frozen=True, slots=True)
class Rating:
    """How a rule rates a message.

    Attributes:
        score: At least 0; from 1 on the rule is sure.
        reasons: Names of the groups that were found, the weightiest first.
    """

    score: float
    reasons: tuple[str, ...]


def rate_injection(message: str) -> Rating:
    """Return how much the message looks like orders to the assistant, in any reading of it."""
    rating = _rate(message)
    if rating.score >= GREY:
        outside = without_quoted(message)
        if outside is not None:
            rest = _rate(outside)
            return Rating(min(rating.score, rest.score + _ASKED_ABOUT), rating.reasons)
    return rating


def _rate(message: str) -> Rating:
    signals: dict[str, float] = {}
    for spelling in spellings(message):
        for name, weight in _signals(spelling).items():
            signals[name] = max(signals.get(name, 0.0), weight)
    if len(message) > _LONG:
        signals["length"] = 0.2
    reasons = sorted(signals, key=lambda name: -signals[name])
    return Rating(round(sum(signals.values()), 3), tuple(reasons))


def _signals(spelling: Spelling) -> dict[str, float]:
    signals: dict[str, float] = {}
    if _TEMPLATE.search(spelling.text):
        signals["template"] = 1.0
    if spelling.origin == "hidden":
        signals["hidden"] = 0.6
    elif spelling.origin != "plain":
        signals["encoded"] = 0.4
    for book in phrase_books():
        if book.may_speak(spelling.text):
            for name, weight in _signals_of_book(book, spelling).items():
                signals[name] = max(signals.get(name, 0.0), weight)
    return signals


def _signals_of_book(book: PhraseBook, spelling: Spelling) -> dict[str, float]:
    text, reading = spelling.text, spelling.reading
    signals: dict[str, float] = {}
    for group, weight in _WEIGHTS.items():
        found = book.find(group, text, reading)
        if found:
            kinds = len({match.phrase for match in found})
            points = min(weight.first + weight.further * (kinds - 1), weight.most)
            signals[group] = _unless_asked(group, points, found, book=book, spelling=spelling)
    override = book.find("override", text, reading)
    if override:
        signals |= _override(book, spelling, override)
    reveal = book.find("reveal", text, reading)
    if reveal:
        signals |= _reveal(book, spelling, reveal)
    return signals


def _override(book: PhraseBook, spelling: Spelling, verbs: Sequence[Match]) -> dict[str, float]:
    instructions = book.find("instructions", spelling.text, spelling.reading)
    pairs = _near(book, verbs, instructions)
    if not pairs:
        return {}
    earlier = book.find("earlier", spelling.text, spelling.reading)
    whole = _near(book, pairs, earlier, within=True)
    return {
        "override": _unless_asked("override", 1.0, whole, book=book, spelling=spelling)
        if whole
        else 0.4
    }


def _reveal(book: PhraseBook, spelling: Spelling, verbs: Sequence[Match]) -> dict[str, float]:
    text, reading = spelling.text, spelling.reading
    signals: dict[str, float] = {}
    secrets = _near(book, verbs, book.find("secret", text, reading))
    prompts = _near(book, verbs, book.find("prompt", text, reading))
    if not secrets and not prompts:
        return signals
    yours = book.find("your", text, reading)
    whole = _near(book, prompts, yours, within=True)
    if whole:
        signals["reveal"] = _unless_asked("reveal", 0.6, whole, book=book, spelling=spelling)
    if secrets:
        signals["secret"] = 1.0 if _near(book, secrets, yours, within=True) else 0.3
    return signals


def _near(
    book: PhraseBook, left: Sequence[Match], right: Sequence[Match], *, within: bool = False
) -> list[Match]:
    """Return the spans of pairs that stand near each other in either order, at most 50.

    `within` says that the right one may also stand in the span of the left one.
    """
    most = _NEAR_IDEOGRAPHS if book.language in ("zh", "ja") else _NEAR
    pairs = (
        Match(min(a.start, b.start), max(a.end, b.end), a.phrase)
        for a in left
        for b in right
        if max(a.start, b.start) - min(a.end, b.end) <= most and (within or not _holds(a, b))
    )
    return list(islice(pairs, _MAX_PAIRS))


def _holds(a: Match, b: Match) -> bool:
    return a.start <= b.start and b.end <= a.end


def _unless_asked(
    name: str, points: float, found: Sequence[Match], *, book: PhraseBook, spelling: Spelling
) -> float:
    """Return the points of orders, or less if each stands in a clause that asks about it."""
    if name not in _ORDERS or spelling.reading == "squeezed" or points <= _ASKED_ABOUT:
        return points
    text = spelling.text
    asked = all(
        book.find("asked", clause, "words")
        for clause in {_clause_of(text, match) for match in found}
    )
    return _ASKED_ABOUT if asked else points


def _clause_of(text: str, match: Match) -> str:
    """Return the text around a match, from the border before it to the one behind it."""
    start = max((border.end() for border in _BORDER.finditer(text, 0, match.start + 1)), default=0)
    end = _BORDER.search(text, match.end)
    return text[start : end.start() + 1 if end else len(text)]
