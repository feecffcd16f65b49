"""Make text that is shown the same everywhere: nothing in it becomes a link, an image or code."""

from __future__ import annotations

import re

from citewell.answering.output.find_links import TAG, URL, bare_url, find_links, readings
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


def plain_words(text: str) -> str:
    """Return `text` with every link, image and HTML in it as plain words.

    What cannot be seen goes, with terminal escapes. A Markdown link becomes its label and its
    target; targets and other URLs stand in backticks, where Markdown makes no link; a tag gets a
    blank that makes it none. Text without any of it stays as it is.
    """
    text = clean_text(_CONTROL.sub(" ", text))[0]
    if are_plain(text):
        return text
    text = readings(text)[-1]
    text = _MARKED.sub(_label_and_target, text)
    text = _AUTOLINK.sub(r"\1", text)
    text = TAG.sub("< ", text)
    text = _COMMAND.sub("", _BANG.sub("", text))
    text = _DEFINITION.sub(r"\1 :", text)
    text = _REFERENCE.sub("] ", text).replace("]  ", "] ")
    return "\n".join(_in_code(line) for line in text.split("\n"))


def are_plain(text: str) -> bool:
    """Return whether no link, image or HTML stands outside of code, and nothing is unseen."""
    outside = _CODE.sub(" ", text)
    if URL.search(text) and ("`" in outside or "\\`" in text):
        return False  # the code may begin elsewhere than it seems
    return not (find_links(outside) or _AUTOLINK.search(outside) or clean_text(text)[1])


def _label_and_target(found: re.Match[str]) -> str:
    label, target = found.group("label").strip(), found.group("target")
    if not label or label == target:
        return target
    return f"{label} ({target})" if target else label


def _in_code(line: str) -> str:
    """Put every URL that does not stand in backticks into them; single backticks go."""
    joined = ""
    end = 0
    for code in [*_CODE.finditer(line), None]:
        rest = line[end : code.start()] if code else line[end:]
        for part in (URL.sub(_quoted, rest.replace("`", "'")), code.group() if code else ""):
            gap = " " if joined.endswith(("`", "\\")) and part.startswith("`") else ""
            joined += gap + part
        end = code.end() if code else end
    return joined


def _quoted(found: re.Match[str]) -> str:
    url = found.group()
    bare = bare_url(url)
    is_escaped = found.string[: found.start()].endswith("\\")
    gap = " " if is_escaped else ""  # a backtick after a backslash would be no mark of code
    return f"{gap}`{bare}`{url[len(bare) :]}"
