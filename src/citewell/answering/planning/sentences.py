"""A question as the sentences that ask something, each with the statements that belong to it."""

from __future__ import annotations

import re

from citewell.answering.planning.vocabulary import Language
from citewell.answering.planning.words import content_words, tokens

_QUOTED = re.compile(
    r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|『[^』]*』|《[^》]*》|‘[^’]*’|`[^`]*`|"
    r"\([^()]*\)|（[^（）]*）|"
    r"(?<!\w)'[^']*'(?!\w)"
)
_END = re.compile(r"[?？]+[!！?？]*|[!！。]+|\.(?=\s)|\n+")
_REQUESTS: dict[Language, str] = {
    "en": r"(?:and |also |then |please |now |can you |could you |"
    r"i(?:'d| would) like to know |i want to know )*"
    r"(?:explain|describe|list|name|tell|give|show|summari[sz]e|compare|outline)\b|"
    r"(?:i(?:'d| would) like to know|i want to know)\b",
    "de": r"(?:und |auch |dann |bitte |kannst du |können sie )*"
    r"(?:erkläre?|beschreibe?|liste|nenne?|"
    r"zeige?|sage?|gib|vergleiche?|fasse?|erläutere?)(?:n sie)?\b",
    "tr": r".*\b(?:açıkla|anlat|listele|sırala|söyle|karşılaştır|özetle)(?:yın|yin|r mısın|r misin|"
    r"yınız|yiniz)?\W*\Z",
    "zh": r"(?:请|并|再|然后|麻烦|帮我|你?能|[，,])*"
    r"(?:介绍|说明|解释|列出|列举|告诉|描述|总结|比较|对比|讲讲|说说)",
}
_REQUEST = {code: re.compile(text, re.IGNORECASE) for code, text in _REQUESTS.items()}
_TAG = re.compile(
    r"(?:right|correct|ok(?:ay)?|yes|no|true|isn't it|oder|richtig|stimmt's?|nicht wahr|korrekt|"
    r"değil mi|doğru mu|tamam mı|[对是好行]吗|对不对|是不是|可以吗|没错吧)\W*\Z",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"(?:hello|hi|hey|good (?:morning|afternoon|evening)|how are you|hallo|"
    r"guten (?:tag|morgen|abend)|wie geht(?:'s| es (?:dir|ihnen))|merhaba|selam|nasılsın(?:ız)?|"
    r"iyi günler|[你您]好|早上好|下午好|"
    r"[\s,，!！.]|there|all|zusammen)+[?？!！.。]*\Z",
    re.IGNORECASE,
)
_TRAILER = re.compile(r"(?<=[?？])\s*(?:\([^()]*\)|（[^（）]*）)\s*\Z")


def mask_quotes(text: str) -> str:
    """Return a text of the same length in which what is quoted or bracketed has no words."""
    return _QUOTED.sub(lambda match: "\u00b7" * len(match.group()), text)


def is_request(text: str, language: Language) -> bool:
    """Return whether a sentence asks without being a question: "Explain …"."""
    return bool(_REQUEST[language].match(text.strip()))


def detach_trailer(question: str) -> tuple[str, str]:
    """Return a question, and what stands in parentheses after it and holds for all of it."""
    trailer = _TRAILER.search(question)
    if trailer is None:
        return question, ""
    return question[: trailer.start()], trailer.group().strip()


def asking_sentences(question: str, language: Language) -> list[str]:
    """Return the sentences that ask, in order; statements go with the next one that asks.

    A sentence without content ("Why?", "Right?") goes with the one before it, as do statements
    at the end. Greetings go.
    """
    parts: list[str] = []
    waiting = ""
    for sentence in _sentences(question):
        if _GREETING.match(sentence):
            continue
        text = f"{waiting} {sentence}".strip()
        asks = sentence.endswith(("?", "？")) or is_request(sentence, language)
        if parts and asks and not waiting and _adds_nothing(sentence, language):
            parts[-1] = f"{parts[-1]} {sentence}"
        elif asks:
            parts.append(text)
            waiting = ""
        else:
            waiting = text
    if waiting:
        if not parts:
            return [waiting]
        parts[-1] = f"{parts[-1]} {waiting}"
    return parts


def _sentences(text: str) -> list[str]:
    masked = mask_quotes(text)
    sentences: list[str] = []
    start = 0
    for end in _END.finditer(masked):
        sentences.append(text[start : end.end()].strip())
        start = end.end()
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if any(c.isalnum() for c in sentence)]


def _adds_nothing(sentence: str, language: Language) -> bool:
    if _TAG.match(sentence.strip()):
        return True
    return not content_words(sentence, language) and len(tokens(sentence)) <= 2
