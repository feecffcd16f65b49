"""Codes that a question names: an answer about another code is no answer."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[A-Za-z][\w./-]*\d|\d[\w./-]*[A-Za-z]\w*", re.ASCII)
_NUMBER = re.compile(r"\d{3,}")


def missing_codes(question: str, texts: Iterable[str]) -> list[str]:
    """Return the question's codes whose numbers occur in none of the texts, in order.

    A code is a word of letters and digits with at least three digits in a row, such as `ERR-4711`
    or `TLS1024`. Only its numbers must occur, since letters are written in many ways (`FY2023` is
    `fiscal 2023`). Plain numbers and short names such as `P1` are no codes.
    """
    codes = {
        match[0]: numbers
        for match in _WORD.finditer(question)
        if (numbers := _NUMBER.findall(match[0]))
    }
    if not codes:
        return []
    known = {number for text in texts for number in _NUMBER.findall(text)}
    return [code for code, numbers in codes.items() if not known.issuperset(numbers)]
