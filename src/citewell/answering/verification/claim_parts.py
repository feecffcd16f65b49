"""Cutting a sentence into what is to be supported part by part."""

from __future__ import annotations

import re

from citewell.answering.quoting.sentences import sentence_spans

_SOURCE = (
    r"(?:passages?|texts?|tables?|lists?|contexts?|documents?|sources?|information|articles?|data)"
)
_QUELLE = (
    r"(?:Text|Dokument|Passage|Abschnitt|Quelle|Artikel|Tabelle|Liste|Angaben|Informationen)\w*"
)
_KAYNAK = r"(?:metin|metn|belge|pasaj|kayna[kğ]|tablo|liste|bilgi)\w*"
_LAIYUAN = "(?:文段|段落|文本|文章|文件|资料|材料|文档|信息|上下文|内容|表格|列表|数据|文中|表中)"
_LEAD = re.compile(
    r"\A(?:according to (?:the|this|these) [\w-]+(?: \d+| \[\d+\])?[,:]?"
    rf"|(?:according to|based on|as (?:stated|shown|listed|given) in|from|in)"
    rf" (?:the |this |these )?(?:[\w-]+ )??{_SOURCE}"
    r"(?: \d+| \[\d+\])?(?: (?:provided|given|above|below))?[,:]"
    r"|(?:it is (?:also )?(?:stated|said|noted|mentioned|reported)"
    rf"|(?:the|this|these) {_SOURCE} (?:also )?"
    r"(?:says?|states?|mentions?|notes?|reports?|explains?|indicates?|shows?))(?: that|:)"
    rf"|(?:(?:laut|gemäß)(?: dem| der| den)?|nach (?:dem|der|den)) {_QUELLE}(?: gilt:|,|:)?"
    rf"|(?:im|in der|in dem) {_QUELLE} (?:steht|heißt es)(?:, dass|:)"
    rf"|{_KAYNAK} göre,?|(?:belgede|metinde) (?:şöyle )?(?:yazıyor|belirtiliyor):"
    rf"|(?:根据|依据|按照)(?:所给|所提供|提供|给定|上述|以上|该|此|这些|这个)?的?{_LAIYUAN}(?:中|里|内)?"
    r"的?(?:所述|提供的|给出的)?(?:信息|内容|数据|规定|说明)?[，,:：]?"
    rf"|(?:从|在)?(?:文中|表中|文[章档件段]|段落|资料|表格)(?:中|里|内)?(?:指出|提到|说明|称|表示|显示|可以看出|可知)[，,:：]?)\s*",
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
