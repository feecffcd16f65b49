"""Tell what a message quotes to ask about it from what it says itself."""

from __future__ import annotations

import re

from citewell.answering.screening.fold_text import fold_exactly, fold_text, strip_marks
from citewell.answering.screening.phrase_book import phrase_books
from citewell.answering.screening.spellings import is_spaced
from citewell.domain.visible_text import clean_text

_LENGTH = r"{1,300}"
_PAIRS = (
    "\u201c\u201d",
    "\u201e\u201c",
    "\u201e\u201d",
    "\u00ab\u00bb",
    "\u300c\u300d",
    "\u300e\u300f",
    "\u2018\u2019",
)
_QUOTED = re.compile(
    "|".join(f"{left}[^{left}{right}\n]{_LENGTH}{right}" for left, right in _PAIRS)
    + rf"|\"[^\"\n]{_LENGTH}\"|`[^`\n]{_LENGTH}`|(?<!\w)'[^'\n]{_LENGTH}'(?!\w)"
)
_LEFT_OUT = " \u2026 "


def without_quoted(message: str) -> str | None:
    """Return the message without what it quotes, if it asks about words at all; else None.

    A message in disguise asks about nothing.
    """
    message = strip_marks(clean_text(message)[0])
    if is_spaced(message):
        return None
    outside, n_quoted = _QUOTED.subn(_LEFT_OUT, message)
    if not n_quoted:
        return None
    folded = fold_text(outside)
    groups = ("about", "asked")
    asks = any(book.find(group, folded, "words") for book in phrase_books() for group in groups)
    return outside if asks else None


def without_mentioned(message: str) -> str:
    """Return the message without the words that it names as words: "the word …"."""
    folded = fold_exactly(message)
    for book in phrase_books("abuse_phrases"):
        for match in reversed(book.find("mentioned", folded, "words")):
            folded = folded[: match.start] + _LEFT_OUT + folded[match.end :]
    return folded
