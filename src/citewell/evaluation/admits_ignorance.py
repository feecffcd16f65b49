"""Whether a text that a model wrote freely says that it does not know.

Generous on purpose: it judges the plain model that Citewell is compared with, whose doubts must not
count as wrong answers.
"""

from __future__ import annotations

import re

_SOURCE = r"\b(?:passage|text|context|article|document|paragraph|source|information|excerpt)s?\b"
_TELL = "|".join(
    (
        r"address\w*|answer\w*|clarif\w+|confirm\w*|contain\w*|cover\w*|describ\w+|detail\w*",
        r"discuss\w*|explain\w*|giv\w+|have|identif\w+|includ\w+|indicat\w+|list\w*|mention\w*",
        r"name\w*|offer\w*|provid\w+|refer\w*|reveal\w*|say\w*|specif\w+|stat\w+|talk\w*|tell\w*",
    )
)
_KNOWN = "|".join(
    (
        r"addressed|answered|available|clear|contained|described|discussed|found|given|included",
        r"indicated|known|listed|mentioned|named|possible|provided|specified|stated",
    )
)
_FIND = "answer|determin|find|found|identif|provid|say|tell"
_ENGLISH = (
    rf"{_SOURCE}[^.!?]{{0,80}}(?:n['’]t|\bnot|\bnever|\bno|\bneither)\b[^.!?]{{0,25}}\b(?:{_TELL})",
    rf"\bno (?:\w+ ){{0,3}}(?:{_SOURCE}|mention|answer|evidence|record|indication)",
    r"\b(?:do|does|did|would|could)(?:n['’]t| not) (?:\w+ )?know\b",
    rf"\b(?:is|are|was|were)(?:n['’]t| not) (?:\w+ ){{0,3}}(?:{_KNOWN})\b",
    rf"\b(?:can|could)(?:['’]t|n['’]t| ?not) (?:\w+ ){{0,2}}(?:{_FIND})",
    rf"\b(?:unable|not able) to (?:\w+ ){{0,2}}(?:{_FIND})",
    r"\b(?:insufficient|not enough|lack of|lacks?) (?:\w+ )?(?:information|context|detail|data)",
    r"\b(?:unknown|unclear|not sure|unanswerable|no idea)\b",
    r"^\W*(?:i['’]m sorry|sorry|none|n/a)\b",
)
_CHINESE = (
    "不知道|不清楚|不详|并未|並未",
    "无法(?:从|根据|确定|回答|得知|判断|找到|提供)",
    "未(?:提及|提到|说明|给出|包含|涉及|明确|提供|找到)",
    "没有(?:提及|提到|说明|给出|包含|涉及|明确|提供|找到|相关|答案|关于|任何|足够)",
)
_GERMAN = (
    r"weiß (?:ich |es )?(?:leider )?nicht|unbekannt|nicht bekannt",
    r"keine (?:angabe|information|antwort|hinweis|auskunft)",
    r"nicht (?:\w+ ){0,2}(?:erwähnt|enthalten|angegeben|genannt|hervor|beantwort)",
    r"enth(?:ä|a)lt(?:en)? (?:\w+ ){0,2}(?:kein|nicht)",
)
_TURKISH = (
    r"bilmiyorum|bilinmiyor|belirtilm[ei]|bahsedilm[ei]|yer alm[aı]",
    r"(?:bilgi|cevap|yanıt)\w* (?:yok|bulunm|verilm|içerm)",
)
_OTHERS = (
    r"не знаю|неизвестно|не (?:указан|упомина|упомян|содерж|сказан|говорит|приведен)",
    r"нет (?:информаци|ответ|данных|сведени)",
    r"je ne sais pas|ne (?:\w+ )?(?:mentionn|contien|précis|fourni)\w* pas",
    r"no lo sé|no sé|no (?:se )?(?:menciona|contiene|indica|especifica|proporciona)",
)
_PHRASE = re.compile(
    "|".join((*_ENGLISH, *_CHINESE, *_GERMAN, *_TURKISH, *_OTHERS)), re.IGNORECASE | re.MULTILINE
)


def admits_ignorance(text: str) -> bool:
    """Return whether the text says anywhere that the answer is not there, or says nothing.

    English, Chinese, German, Turkish, Russian, French and Spanish.
    """
    return not text.strip() or _PHRASE.search(text) is not None
