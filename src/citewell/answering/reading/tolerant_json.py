"""Read an object that was meant as JSON."""

from __future__ import annotations

import re
from typing import Any

MAX_DEPTH = 40
"""Containers in one another; what is deeper is no reply to us."""

_CLOSING_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
_GAP = re.compile(r"(?:[\s,，;]|//[^\n]*|/\*.*?(?:\*/|\Z))*", re.DOTALL)
_COLON = re.compile(r"\s*(?:[:：=]>?)\s*")
_BARE_KEY = re.compile(r"[^\s\"'{}\[\]:：=,，]+")
_WORD = re.compile(r"([-+\w.]{1,40})(?=\s*(?:[,，}\]\n\"]|//|/\*|\Z))")
_BARE_VALUE = re.compile(r"[^,，}\]\n]*")
_INTEGER = re.compile(r"[-+]?\d+")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.)|\Z)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
# The last two: a comma is missing before the next key, or the line ends here.
_AFTER_VALUE = re.compile(
    r"\s*(?:[,，}\]:：]|//|/\*|```|\Z)|\s+\"[^\"\n]{0,60}\"\s*[:：]|[^\S\n]*\n\s*[\"'“}]"
)
_CONSTANTS: dict[str, object] = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "nan": None,
    "undefined": None,
}


class _TooDeepError(Exception):
    """Containers stand in one another more than `MAX_DEPTH` deep."""


def read_object(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """Return the object whose brace stands at `start`, and where it ends.

    It ends at its closing brace, or with the text. None if it is too deep.
    """
    reader = _Reader(text, start)
    try:
        return reader.read_object(1), reader.place
    except _TooDeepError:
        return None, len(text)


class _Reader:
    """Walks over a text once, from left to right.

    Attributes:
        place: Where it stands.
    """

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self.place = start

    def read_object(self, depth: int) -> dict[str, Any]:
        """Return the object at whose brace it stands."""
        found: dict[str, Any] = {}
        self.place += 1
        while self._skip_gap() and self._next() not in {"}", "]"}:
            key = self._read_key()
            if key is None or not self._skip(_COLON):
                continue
            if self._next() not in {"", "}", "]", ","}:
                found[key] = self._read_value(depth)
        self.place += 1
        return found

    def _read_key(self) -> str | None:
        """Return a key, or pass over what is none."""
        if self._next() in _CLOSING_QUOTES:
            return self._read_string()
        if bare := _BARE_KEY.match(self._text, self.place):
            self.place = bare.end()
            return bare[0]
        self.place += 1
        return None

    def _read_value(self, depth: int) -> Any:
        begins = self._next()
        if begins in {"{", "["} and depth == MAX_DEPTH:
            raise _TooDeepError
        if begins == "{":
            return self.read_object(depth + 1)
        if begins == "[":
            return self._read_array(depth + 1)
        if begins in _CLOSING_QUOTES:
            return self._read_string()
        return self._read_bare()

    def _read_array(self, depth: int) -> list[Any]:
        items: list[Any] = []
        self.place += 1
        while self._skip_gap() and self._next() not in {"]", "}"}:
            items.append(self._read_value(depth))
        # A brace here closes the object around: the array was left open.
        self.place += self._next() != "}"
        return items

    def _read_string(self) -> str:
        """Return a text; a quote within it ends it only if something follows as after a value."""
        closing = _CLOSING_QUOTES[self._next()]
        self.place += 1
        begin = self.place
        while (end := self._next_quote(closing)) < len(self._text):
            self.place = end + 1
            if _AFTER_VALUE.match(self._text, self.place):
                break
        else:
            self.place = len(self._text)
        return _unescaped(self._text[begin:end])

    def _next_quote(self, closing: str) -> int:
        """Return where the next such quote without a backslash stands, or the text's length."""
        place = self.place
        while place < len(self._text) and self._text[place] != closing:
            place += 2 if self._text[place] == "\\" else 1
        return min(place, len(self._text))

    def _read_bare(self) -> object:
        """Return a number or constant, or the words up to the next comma, brace or line."""
        bare = _WORD.match(self._text, self.place) or _BARE_VALUE.match(self._text, self.place)
        word = bare[0].strip() if bare else ""
        self.place = max(bare.end() if bare else 0, self.place + 1)
        if word.lower() in _CONSTANTS:
            return _CONSTANTS[word.lower()]
        if len(word) > 40 or not _NUMBER.fullmatch(word):
            return word
        return int(word) if _INTEGER.fullmatch(word) else float(word)

    def _skip_gap(self) -> bool:
        """Pass over spaces, commas and comments; return whether something follows."""
        return self._skip(_GAP) and self.place < len(self._text)

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        match = pattern.match(self._text, self.place)
        self.place = match.end() if match else self.place
        return match is not None

    def _next(self) -> str:
        return self._text[self.place : self.place + 1]


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    whole = _ESCAPE.sub(_unescape, text)
    return whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescape(escape: re.Match[str]) -> str:
    code, character = escape.groups()
    if code is not None:
        return chr(int(code, 16))
    return _ESCAPED.get(character or "", character or "")
