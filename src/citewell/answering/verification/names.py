"""Names, codes and quoted words of a text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.answering.verification.words import is_function_word

_LETTER = r"[^\W\u3041-\u9fff\uac00-\ud7af]"
_CAPITALS = re.compile(rf"(?<!{_LETTER})(?![a-z\d_]){_LETTER}+(?:[.&'’-]{_LETTER}+)*")
_CODE = re.compile(
    r"(?<![\w/.@-])(?:https?://[^\s)>\]]+|[\w.+-]+@[\w-]+\.[\w.]+"
    r"|(?=[A-Za-z0-9_./:#-]*\d)(?=[A-Za-z0-9_./:#-]*[A-Za-z])[A-Za-z0-9]+(?:[._/:#-][A-Za-z0-9]+)*"
    r"|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+|[a-z]+[A-Z]\w+|--?[a-z][a-z-]+[a-z]|\d+(?:\.\d+){2,}|"
    r"v\d+(?:\.\d+)*)"
    r"(?![\w])",
    re.ASCII,
)
_UNIT_LIKE = re.compile(
    r"\d+-[a-z]+\Z|\d+(?:[.,]\d+)*(?:[A-Za-z]{1,3}|st|nd|rd|th)?s?\Z|(?:1[0-9]|20)\d0s\Z|"
    r"[a-z]+[23]\Z"
)
_QUOTED = re.compile(
    r"“([^“”]{2,120})”|„([^„“”]{2,120})[“”]|«([^«»]{2,120})»|\"([^\"]{2,120})\"|"
    r"「([^「」]{1,80})」|《([^《》]{1,80})》|“([^“”]{1,80})”|`([^`]{1,80})`"
)
_START = re.compile(r"(?:\A|[.!?:;…|\n]|[\"“„«(\[])\W*\Z")
_GERMAN_CAPITALS = "de"
_SINGULAR_VERB = re.compile(
    r" (?:ist|war|hat|hatte|wird|wurde|kann|konnte|soll|sollte|will|wollte|muss|musste|darf|durfte|"
    r"gilt|galt|heißt|hieß|liegt|lag|gab|gibt|kam|kommt|ging|geht|schrieb|gewann|verlor|führt|"
    r"[a-zäöüß]{3,}te)\b"
)
"""What follows a German subject of one: without an article before, it is a name."""
_NOT_TURKISH = re.compile(r"[qwx]|th|ph|ck|sh|gh|tz|sch|ou|ea|ee|oo|ie|ch", re.IGNORECASE)
"""Letters that Turkish words seldom have."""


@dataclass(frozen=True, slots=True)
class Name:
    """A word that is written as names are.

    Attributes:
        text: As written, without possessive.
        start: First character.
        is_certain: False at the start of a sentence, where every word has a capital, and for a
            German noun.
    """

    text: str
    start: int
    is_certain: bool


def find_names(text: str, language: str | None) -> list[Name]:
    """Return the words with a capital, in order.

    Args:
        text: NFKC.
        language: As guessed; in German every noun has a capital.
    """
    found: list[Name] = []
    matches = [m for m in _CAPITALS.finditer(text) if m[0][0].isupper() or m[0][0].istitle()]
    for place, match in enumerate(matches):
        word = re.sub(r"['’].*", "", match[0])
        is_acronym = word.isupper() and len(word) > 1
        if len(word) < 2 or (is_function_word(word) and not is_acronym):
            continue
        before = matches[place - 1] if place else None
        after = matches[place + 1] if place + 1 < len(matches) else None
        touches = bool(before and _touch(text, before.end(), match.start())) or bool(
            after and _touch(text, match.end(), after.start())
        )
        is_first = bool(_START.search(text, 0, match.start()))
        if language == _GERMAN_CAPITALS:
            is_pair = touches and not is_first and not _is_start(text, before)
            is_subject = is_first and bool(_SINGULAR_VERB.match(text, match.end()))
            is_certain = is_acronym or is_pair or is_subject
        else:
            has_ending = text[match.start() + len(word) : match.end()].startswith(("'", "’"))
            is_foreign = language == "tr" and bool(_NOT_TURKISH.search(word))
            is_certain = is_acronym or not is_first or touches or has_ending or is_foreign
        found.append(Name(word, match.start(), is_certain))
    return found


def _is_start(text: str, match: re.Match[str] | None) -> bool:
    return match is not None and bool(_START.search(text, 0, match.start()))


def _touch(text: str, end: int, start: int) -> bool:
    return text[end:start] in {" ", "-"}


def find_codes(text: str) -> list[tuple[str, int, int]]:
    """Return identifiers, addresses, versions and options, with their ranges."""
    return [
        (match[0], match.start(), match.end())
        for match in _CODE.finditer(text)
        if not _UNIT_LIKE.match(match[0])
    ]


def find_quoted(text: str) -> list[str]:
    """Return what stands between quotation marks or backticks."""
    return [next(group for group in match.groups() if group) for match in _QUOTED.finditer(text)]
