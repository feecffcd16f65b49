"""What of a passage is put in a prompt: its words as data, without the marks of prompts."""

from __future__ import annotations

import re

from citewell.domain.visible_text import clean_text

_NUMBER = re.compile(r"[\[【［]\s{0,2}(\d{1,4}(?:\s?[,;–-]\s?\d{1,4}){0,9})\s{0,2}[\]】］]")
_TEMPLATE = re.compile(r"<(?=\|)|(?<=\|)>|<<(?=/?SYS>>)|\[(?=/?INST\])", re.IGNORECASE)
_MARK = re.compile(
    r"<(?=\s{0,3}/?\s{0,3}(?:passages?|context|question|message|system|user|assistant|documents?|answer"
    r"|instructions?|history|conversation|sources?|quotes?|text|query)\b)",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^(\s*)(source|heading|score|content|system|user|assistant|human)(\s?):",
    re.IGNORECASE | re.MULTILINE,
)


def clean_passage_text(text: str) -> str:
    """Return the text as a model may read it.

    What no reader sees goes. What would pass for a part of the prompt is changed so that it reads
    the same and is none: numbers in square brackets, which cite, get round ones; marks of passages
    and of chat templates lose their bracket; a label of a passage at the start of a line gets a
    dash before it.
    """
    text = clean_text(text)[0]
    text = _NUMBER.sub(r"(\1)", text)
    text = _TEMPLATE.sub("", text)
    text = _MARK.sub("\u2039", text)
    return _LABEL.sub(r"\1- \2\3:", text)
