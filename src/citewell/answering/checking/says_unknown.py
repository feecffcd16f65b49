"""Recognising a sentence in which a model says that the passages do not answer."""

from __future__ import annotations

import re

_SOURCES = (
    r"(?:(?:the|these|this|any|provided|given|available|supplied)\s+)*"
    r"(?:passages?|texts?|documents?|sources?|context|excerpts?|information|content|materials?)"
)
_NOT = r"(?:(?:do|does|did|is|are|was|were|has|have|can|could)\s*(?:not|n['’]t)|cannot|never)"
_SAY = (
    r"(?:\w+\s+){0,2}(?:say|state|mention|contain|specif|provide|includ|answer|tell|give|indicate|"
    r"describe|discuss|address|cover|explicit|offer|reveal|clarif|have)"
)
_PATTERNS = (
    r"\bnot\s+in\s+(?:the\s+)?passages?\b",
    rf"\b{_SOURCES}(?:\s+\w+){{0,3}}\s+{_NOT}\s+{_SAY}",
    (
        r"\b(?:is|are|was|were|has|have)(?:\s+been)?\s*(?:not|n['’]t)\s+(?:\w+\s+){0,2}"
        r"(?:mention|specif|state|provid|given|found|includ|contain|discuss|describ|explicit|available"
        rf"|answer)\w*\s+(?:\w+\s+){{0,2}}(?:in|by|from|within)\s+{_SOURCES}"
    ),
    rf"\bthere\s+(?:is|are)\s+no\s+(?:\w+\s+){{0,4}}(?:in|within|from)\s+{_SOURCES}",
    (
        rf"\bno\s+(?:\w+\s+){{0,3}}(?:is|are|was|were)\s+(?:\w+\s+){{0,2}}(?:given|provided|mentioned"
        rf"|found|available|specified|stated)(?:\s+in\s+{_SOURCES})?"
    ),
    (
        r"\b(?:i|we)\s+(?:do\s*(?:not|n['’]t)\s+(?:know|have\s+(?:\w+\s+){0,3}(?:information|answer))"
        r"|(?:can\s*not|can['’]t|am\s+unable\s+to|are\s+unable\s+to|could\s+not|couldn['’]t)\s+"
        r"(?:\w+\s+)?(?:find|answer|determine|provide))"
    ),
    r"\b(?:cannot|can\s*not|can['’]t)\s+be\s+(?:\w+\s+)?(?:determined|answered|found|inferred)\b",
    r"\bnot\s+(?:enough|sufficient)\s+information\b|\binsufficient\s+information\b",
    (
        r"不知道|无法(?:确定|回答|得知|找到|从)|(?:没有|未|并未|没|沒有|未曾)(?:\w{0,4})"
        r"(?:提到|提及|说明|說明|提供|包含|明确|找到|给出|给到|涉及|相关信息|记载)"
    ),
    (
        r"\b(?:steht|stehen|findet|wird|werden|ist|sind)\b.{0,40}\bnicht\b.{0,30}"
        r"\b(?:text|textstellen|passagen?|dokument\w*|quellen?|erwähnt|angegeben|enthalten|genannt)"
    ),
    r"\b(?:passagen?|texte?|dokumente?|quellen?|textstellen)\b.{0,30}\b(?:nicht|keine?\w?)\b",
    r"\bich\s+wei(?:ß|ss)\s+(?:es\s+)?nicht\b",
    (
        r"\b(?:metin|metinler|pasaj|belge|kaynak|bağlam)\w*\b.{0,60}"
        r"(?:belirtilme|yer\s+alma|geçme|bulunma|söylenme|bahsedilme|yok)"
    ),
    r"\bbilmiyorum\b|\bbilgi\s+(?:yok|bulunma|verilme)",
    r"\bне\s+(?:указан|упомина|сказан|содерж|знаю|найден|говорит)",
)
_UNKNOWN = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE)


def says_unknown(sentence: str) -> bool:
    """Return whether a sentence speaks about the passages' silence instead of about their matter.

    Such a sentence is no fact that a passage could support, however it is worded; what a document
    says about its own gaps ("the manual does not cover X") is lost with it, which abstention
    covers.
    """
    return bool(_UNKNOWN.search(sentence))
