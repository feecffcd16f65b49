"""Cutting a sentence into what is to be supported part by part."""

from __future__ import annotations

import re

from citewell.answering.quoting.sentences import sentence_spans

_LEAD = re.compile(
    r"\A(?:according to (?:the|this|these) [\w-]+(?: \d+| \[\d+\])?[,:]?"
    r"|(?:it is (?:also )?(?:stated|said|noted|mentioned|reported)|(?:the|this) (?:text|"
    r"document|passage|source|article|context)s? "
    r"(?:also )?(?:says?|states?|mentions?|notes?|reports?|explains?|indicates?))(?: that|:)"
    r"|(?:laut|gemäß|nach) (?:dem|der|den) (?:Text|Dokument|Passage|Abschnitt|Quelle|Artikel|"
    r"Dokumenten)\w*(?: gilt:|,|:)?"
    r"|(?:im|in der|in dem) (?:Text|Dokument|Passage|Abschnitt|Quelle) (?:steht|"
    r"heißt es)(?:, dass|:)"
    r"|(?:metne|belgeye|belgelere|pasaja|kaynağa) göre,?|(?:belgede|"
    r"metinde) (?:şöyle )?(?:yazıyor|belirtiliyor):"
    r"|(?:根据|依据|按照)(?:上述|该|此|这些|以上)?(?:文档|文件|文本|文章|段落|资料|材料|"
    r"上下文|文中)(?:内容|所述|中的信息)?[，,:：]?"
    r"|(?:文中|文章|文档|文件|资料)(?:中)?(?:指出|提到|说明|称|表示)[，,:：]?)\s*",
    re.IGNORECASE,
)
_PART_END = re.compile(r"\s*[;；]\s*")
_LINK_WORD = re.compile(
    r"\A(?:(?:moreover|furthermore|in addition|additionally|also|however|therefore|thus|and|but"
    r"|außerdem|ferner|zudem|jedoch|ayrıca|ancak|bununla birlikte)\b|(?:此外|另外|同时|但是|因此))"
    r"[,:，：]?\s*",
    re.IGNORECASE,
)
_MIN_PART = 12


def strip_lead(sentence: str) -> str:
    """Return a sentence without words such as `According to the document,`."""
    return _LEAD.sub("", sentence.strip(), 1) or sentence


def split_claim(sentence: str) -> list[str]:
    """Return the parts of a sentence that are each to be supported, at least one.

    Parts stand between semicolons, or are sentences; one that is very short stays with its
    neighbour.
    """
    parts: list[str] = []
    bare = strip_lead(sentence)
    sentences = [bare[start:end] for start, end in sentence_spans(bare)]
    for piece in (piece for text in sentences for piece in _PART_END.split(text)):
        part = _LINK_WORD.sub("", piece.strip(), 1) or piece.strip()
        if parts and (len(part) < _MIN_PART or len(parts[-1]) < _MIN_PART):
            parts[-1] += f"; {part}"
        elif part:
            parts.append(part)
    return parts or [sentence]
