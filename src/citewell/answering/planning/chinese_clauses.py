"""Where one Chinese sentence asks twice: "X 是什么，怎么安装？"."""

from __future__ import annotations

import re
from itertools import islice

from citewell.answering.planning.clauses import MAX_CONNECTORS
from citewell.answering.planning.sentences import is_request, mask_quotes
from citewell.answering.planning.words import content_words, size_of

_ASKS = re.compile(
    "什么|甚么|多少|几(?!乎)|怎么|怎样|如何|为何|谁|哪|吗|多久|多长|多大|多高|多远|何时|何处|是否|能不能|可不可以|"
    "有没有|是不是|会不会|要不要|需不需要|能否|可否"
)
_CONNECTOR = re.compile(
    "[，,；;]\\s*(?:以及|还有|并且|另外|同时|此外|然后|而且|和|与|及|并|又|再|而)?|以及|还有|并且|另外|和|与|及|并(?!非|发|行|购|列)"
)
_ASKS_FOR_MORE = re.compile("(?:要|需要|得|是|由|给|向)?(?:多久|多少钱|多长时间|几[天个]|谁|哪)")
"""A clause without content that asks for a fact of its own, unlike "怎么办"."""
_LOOSE = frozenset("和与及")
_CONDITION = re.compile("无论|不管|任何|不论|如果|要是|一旦")
_CIRCUMSTANCE = re.compile("[下时后前中里间]\\s*\\Z")


def split_chinese_clauses(sentence: str) -> list[str]:
    """Return the clauses of a sentence that ask on their own, in order; one if there is one."""
    masked = mask_quotes(sentence)
    parts: list[str] = []
    start = 0
    for connector in islice(_CONNECTOR.finditer(masked), MAX_CONNECTORS):
        left, right = masked[start : connector.start()], masked[connector.end() :]
        if not _both_ask(left, right, is_loose=connector.group() in _LOOSE):
            continue
        parts.append(sentence[start : connector.start()].strip())
        start = connector.end()
    return [*parts, sentence[start:].strip()]


def _both_ask(left: str, right: str, *, is_loose: bool) -> bool:
    if is_request(left, "zh") and is_request(right, "zh"):
        return True
    asked, asked_next = _ASKS.search(left), _ASKS.search(right)
    if asked is None or asked_next is None:
        return False
    if _CONDITION.search(left[: asked.start()]) or _CIRCUMSTANCE.search(left):
        return False
    words = content_words(left, "zh")
    if is_loose and not any(word.start < asked.start() for word in words):
        return False
    says_something = content_words(right, "zh") or _ASKS_FOR_MORE.match(right.strip())
    return size_of(words) >= 1 and bool(says_something)
