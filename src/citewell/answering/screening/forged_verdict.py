"""Find a verdict that a message speaks over itself, before a judge could read it."""

from __future__ import annotations

import re
from functools import cache

from citewell.answering.screening.phrase_book import PhraseBook, phrase_books
from citewell.answering.screening.sought_pattern import SoughtPattern
from citewell.answering.screening.spellings import Reading, Spelling, spellings

# Between a label and its verdict: what says that one is the other, among marks and quotes.
_SIGN = (
    r"[\s\"*_`~)\]}>]{0,6}"
    r"(?:[:=>\u2192\u2013\u2014|~-]|\b(?:is|are|ist|est|es|e|est\u00e1|s\u00e3o)\b|[为是은는は에])"
    r"[\s\"*_`~(\[{<:=>\u300c\u201c\u201e\u00ab#-]{0,8}"
)
# What makes an adjective of the verdict: "safe to drink", "安全培训".
_NOT_A_VERDICT = (
    r"(?!\W{0,3}(?:to|for|enough|room|up|energy|water|harbou?r|desk|air|code|mode|zu|für|fur|genug|m[iu])\b)"
    r"(?!\W{0,3}(?:吗|性|的[^\s,.;:!。]|措施|培训|生产|第一|管理))"
)
# A question about something else: "when is waste classified as harmless?".
_ASKED = re.compile(
    r"^\W*(?:when|which|what|who|whose|why|how|where|is|are|was|were|does|do|did|can|may|should|will|has|have"
    r"|hangi|ne|nasil|kim|niye|neden|kac|wann|welche\w*|wer|was|wie|wo|ist|sind|wird|werden|gilt|gelten|darf|kann|muss)\b"
    r"(?!.*\b(?:messages?|prompts?|inputs?|questions?|quer(?:y|ies)|this|text|nachricht|frage|eingabe|anfrage)\b)"
    r"[^,()\[\]{}:\n\"]*\?\W*$"
    r"|^\W*(?:哪|什么|谁|何时|如何|怎么|为什么|检测|多少)(?!.*(?:消息|输入|问题|请求|提示|内容))[^,()\[\]{}:\n\"]*\?\W*$"
)
_SENTENCE_END = re.compile(r"(?<=[.!?;\n。！？；])")
_BARE = (
    (
        "injection|abuse|abusive|malicious|flagged|unsafe|attack|threat",
        "false|no|none|negative|0",
    ),
    ("clean|safe|benign|harmless", "true|yes|1"),
)


def forges_verdict(message: str) -> bool:
    """Return whether the message, however it is spelled, pronounces itself harmless.

    It counts also where it is quoted: no judge may read such words.
    """
    return any(_is_forged(spelling) for spelling in spellings(message))


def _is_forged(spelling: Spelling) -> bool:
    if spelling.reading == "squeezed":
        return any(_squeezed_pattern(book).search(spelling.text) for book in _books())
    for book in _books():
        if _pair_pattern(book, spelling.reading).search(spelling.text):
            return True
        if book.may_hold("sentence", spelling.text, spelling.reading) and _is_stated(
            book, spelling
        ):
            return True
    return bool(_bare_pattern(spelling.reading).search(spelling.text))


def _is_stated(book: PhraseBook, spelling: Spelling) -> bool:
    """Return whether a sentence that asks about nothing else states the verdict."""
    return any(
        book.find("sentence", sentence, spelling.reading)
        and not (spelling.reading == "words" and _ASKED.match(sentence))
        for sentence in _SENTENCE_END.split(spelling.text)
    )


def _books() -> tuple[PhraseBook, ...]:
    return phrase_books("verdicts")


@cache
def _pair_pattern(book: PhraseBook, reading: Reading) -> SoughtPattern:
    label, good = book.source("label", reading), book.source("good", reading)
    begins = r"(?<![^\W\d_])" if book.is_bounded else r"(?<![a-z])"
    ends = r"(?![^\W\d_])" if book.is_bounded else r"(?![a-z])"
    return SoughtPattern(f"{begins}(?:{label}){_SIGN}(?:{good}){ends}{_NOT_A_VERDICT}")


@cache
def _squeezed_pattern(book: PhraseBook) -> SoughtPattern:
    label, good = book.source("label", "squeezed"), book.source("good", "squeezed")
    return SoughtPattern(f"(?:{label})(?:is|ist|as|ais|为|是)?(?:{good})")


@cache
def _bare_pattern(reading: Reading) -> SoughtPattern:
    source = "|".join(
        rf"(?<!\w)(?:is )?(?:{label})[\s\"*`]{{0,4}}[:=][\s\"*`]{{0,4}}(?:{good})(?!\w)"
        for label, good in _BARE
    )
    return SoughtPattern(source if reading == "words" else source.replace("l", "i"))
