"""When two questions ask the same, so that one answer serves both.

Every rule here may only miss that two questions are the same, never the other way round. So words
are neither stemmed nor left out for being common, and case counts: "US" is not "us", "Polish" not
"polish", and in German and Turkish the endings and small words tell who does what to whom.
"""

from __future__ import annotations

import re
import unicodedata

_WIDTHS = ("<wide>", "<narrow>")
_END = re.compile(r"[\s?？؟.。]+\Z")
_ASKING = re.compile(
    "(?:What|Which|Who|Whom|Whose|When|Where|Why|How"
    "|Wer|Wann|Warum|Welche[rsmn]?"
    "|Nedir|Neden|Nasıl|Hangi|Nerede)(?= )"
)
_MARKS = re.compile(r"[,;:](?=\s|\Z)")
_POLITE_START = re.compile(
    r"(?:(?:hi|hello|hallo|merhaba) )?(?:(?:(?:can|could|would) you )?(?:please )?tell me "
    r"|sag mir (?:bitte )?|(?:请问|請問)[，,]? ?)?(?=\S)",
    re.IGNORECASE,
)
_COURTESIES = frozenset({"please", "the", "bitte", "lütfen", "acaba"})
_NOT = re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|must|should|could|would)n['’]t\b")


def normalise_question(question: str) -> str:
    """Return a question as it is compared with others.

    Folded are: wide and narrow forms of a character (as East Asian keyboards give them), composed
    and decomposed accents, runs of white space, question marks and full stops at the end, and the
    capital letter of a question word at the start. Compatibility forms are kept, since NFKC would
    make "102" of "10²".
    """
    text = "".join(map(_of_one_width, question))
    text = " ".join(unicodedata.normalize("NFC", text).split())
    text = _END.sub("", text) or text
    asking = _ASKING.match(text)
    return text[0].lower() + text[1:] if asking else text


def sense_of(question: str) -> str:
    """Return what must be the same in a similar question: all its words, in order.

    Only what cannot change what is asked is left out: courtesies, the English article in small
    letters, commas and colons after a word, and whether "not" is contracted. Numbers, names, dates,
    negations, question words and every other word stay.
    """
    text = _MARKS.sub("", normalise_question(question))
    text = _POLITE_START.sub("", text, 1)
    text = _NOT.sub(r"\1 not", normalise_question(text)).replace("cannot", "can not")
    words = text.split()
    if words and words[0].lower() in _COURTESIES:  # elsewhere a capital makes it a name or a noun
        del words[0]
    return " ".join(word for word in words if word not in _COURTESIES) or text


def _of_one_width(character: str) -> str:
    if unicodedata.decomposition(character).startswith(_WIDTHS):
        return unicodedata.normalize("NFKC", character)
    return character
