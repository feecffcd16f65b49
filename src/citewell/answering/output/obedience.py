"""Find in an answer the signs that the model obeyed a text instead of answering."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from citewell.answering.screening.fold_text import fold_text
from citewell.answering.screening.forged_verdict import forges_verdict
from citewell.answering.screening.injection import INJECTION, rate_injection
from citewell.answering.screening.phrase_book import phrase_books

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})", re.MULTILINE)
_OBJECT = re.compile(r"^\s*[\[{]\s*[\"'\[{}\]]|[\"']\w+[\"']\s*:\s*[\"'\[{\d]")
_NOT_WORDS = re.compile(r"[\W_]+")
_PROMPT_WORDS = 8
_ORDERS = frozenset({"override", "override_phrase", "extraction", "template", "hidden", "role"})


def sign_of_obedience(sentence: str, *, quotes: Sequence[str]) -> str | None:
    """Return what shows that a sentence of an answer obeys or passes on orders, or None.

    What stands word for word in a quote is the document's to say.

    Returns:
        `verdict`, `structured`, `obeyed` or `orders`.
    """
    if stands_in(sentence, quotes):
        return None
    if forges_verdict(sentence):
        return "verdict"
    if looks_structured(sentence):
        return "structured"
    folded = fold_text(sentence)
    if any(book.find("obeyed", folded, "words") for book in phrase_books()):
        return "obeyed"
    rating = rate_injection(sentence)
    return "orders" if rating.score >= INJECTION and _ORDERS & set(rating.reasons) else None


def looks_structured(text: str) -> bool:
    """Return whether the text is JSON or a code block where an answer is sentences."""
    if _FENCE.search(text):
        return True
    if not _OBJECT.search(text):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return text.count('":') + text.count('" :') >= 2 or text.lstrip().startswith(('{"', "[{"))


def stands_in(text: str, quotes: Sequence[str]) -> bool:
    """Return whether a quote holds the text, marks and letter case aside."""
    words = _NOT_WORDS.sub(" ", fold_text(text)).strip()
    return any(words in _NOT_WORDS.sub(" ", fold_text(quote)) for quote in quotes)


def repeats_prompt(text: str, prompts: Sequence[str], *, passages: Sequence[str] = ()) -> bool:
    """Return whether the text repeats eight words in a row of a prompt that no passage has."""
    own = _runs(text)
    return bool(own) and any(
        own & _runs(prompt) - set[tuple[str, ...]]().union(*map(_runs, passages))
        for prompt in prompts
    )


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _NOT_WORDS.sub(" ", fold_text(text)).split()
    return {tuple(words[at : at + _PROMPT_WORDS]) for at in range(len(words) - _PROMPT_WORDS + 1)}
