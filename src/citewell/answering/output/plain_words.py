"""Make text that is shown the same everywhere: nothing in it becomes a link, an image or code."""

from __future__ import annotations

import re

from citewell.answering.output.find_links import TAG, URL, find_links, readings
from citewell.domain.visible_text import clean_text

_MARKED = re.compile(
    r"(!)?\[(?P<label>[^\]\n]{0,500})\]\s?\(\s?<?(?P<target>[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)>?"
    r"(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^)\n]*\)))?\s?\)"
)
_AUTOLINK = re.compile(r"<(?=[a-z][a-z0-9+.-]{1,30}:|[^\s<>@]+@)([^\s<>]*)>", re.IGNORECASE)
_BANG = re.compile(r"!+(?=\s?\[)")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_DEFINITION = re.compile(r"(\[[^\]\n]{1,100}\]):", re.MULTILINE)
_REFERENCE = re.compile(r"\](\s?)(?=[(\[])")
_COMMAND = re.compile(r"\\(?=(?:href|url|includegraphics)\b)")
_CODE = re.compile(r"(?<!`)(`+)(?!`)([^\n]+?)(?<!`)\1(?!`)")
_TRAILING = ".,;:!?)]}*_~'\""


def plain_words(text: str) -> str:
    """Return `text` with every link, image and HTML in it as plain words.

    What cannot be seen goes, with terminal escapes. A Markdown link becomes its label and its
    target; targets and other URLs stand in backticks, where Markdown makes no link; a tag gets a
    blank that makes it none. Text without any of it stays as it is.
    """
    text = clean_text(_CONTROL.sub(" ", text))[0]
    if not find_links(text) and not _AUTOLINK.search(text):
        return text
    text = readings(text)[-1]
    text = _MARKED.sub(_label_and_target, text)
    text = _AUTOLINK.sub(r"\1", text)
    text = TAG.sub("< ", text)
    text = _COMMAND.sub("", _BANG.sub("", text))
    text = _DEFINITION.sub(r"\1 :", text)
    text = _REFERENCE.sub("] ", text).replace("]  ", "] ")
    return _in_code(text)


def _label_and_target(found: re.Match[str]) -> str:
    label, target = found.group("label").strip(), found.group("target")
    if not label or label == target:
        return target
    return f"{label} ({target})" if target else label


def _in_code(text: str) -> str:
    """Put every URL that does not stand in backticks into them."""
    parts: list[str] = []
    end = 0
    for code in _CODE.finditer(text):
        parts += [_quote_urls(text[end : code.start()]), code.group()]
        end = code.end()
    return "".join([*parts, _quote_urls(text[end:])])


def _quote_urls(text: str) -> str:
    return URL.sub(_quoted, text.replace("`", "'") if URL.search(text) else text)


def _quoted(found: re.Match[str]) -> str:
    url = found.group()
    bare = url.rstrip(_TRAILING)
    before = found.string[: found.start()]
    gap = " " if before.endswith("\\") else ""  # a backtick after it would be no mark of code
    return f"{gap}`{bare}`{url[len(bare) :]}"
