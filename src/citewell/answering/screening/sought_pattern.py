"""Regular expressions that are searched for only in texts that may hold what they match.

Hundreds of phrases are looked for in each message and each sentence, and nearly all are absent.
Whether a text holds one of a few words of a phrase is told in a hundredth of the time of a search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

_QUANTIFIER = re.compile(r"(?P<least>[?*+]|\{\d*(?:,\d*)?\})[?+]?")
_GROUP = re.compile(r"\((?P<kind>\?(?::|P<\w+>|<?[=!]))?")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|(?P<literal>[^\w])|.)", re.DOTALL)
_ANY = ".^$"

_Needed = tuple[str, ...]
"""Texts of which one is needed; none if nothing can be told."""


class SoughtPattern:
    """A regular expression, compiled when a text may hold what it matches for the first time."""

    def __init__(self, source: str) -> None:
        """Take the regular expression; it is compiled with `re.MULTILINE`."""
        self._source = source
        self._needed = needed_texts(source)

    def may_match(self, text: str) -> bool:
        """Return False if a text surely holds nothing that matches."""
        for needed in self._needed:
            if needed in text:
                return True
        return not self._needed

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match, as `re.Pattern.search`."""
        return self._pattern.search(text) if self.may_match(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Return all matches, as `re.Pattern.finditer`."""
        return self._pattern.finditer(text) if self.may_match(text) else iter(())

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self._source, re.MULTILINE)


def needed_texts(source: str) -> _Needed:
    """Return texts of which everything that a regular expression matches holds at least one.

    Args:
        source: Case counts; flags, comments and references to groups are not known.

    Returns:
        None of them holds another one; empty if nothing can be told.

    Raises:
        ValueError: The expression has something that is not known.
    """
    reader = _Reader(source)
    needed = reader.read_alternatives()
    if not reader.is_at_end:
        raise ValueError(f"an unexpected bracket closes in {source!r}")
    kept: list[str] = []
    for text in sorted(needed, key=len):
        if not any(other in text for other in kept):
            kept.append(text)
    return tuple(kept)


class _Reader:
    """Reads an expression from its start, for what matches of it need."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._source)

    def read_alternatives(self) -> _Needed:
        """Read up to the bracket that closes the group, or the end."""
        alternatives = [self._read_sequence()]
        while self._source.startswith("|", self._at):
            self._at += 1
            alternatives.append(self._read_sequence())
        if not all(alternatives):
            return ()
        return tuple(text for needed in alternatives for text in needed)

    def _read_sequence(self) -> _Needed:
        """Return the best of what stands one after the other: all of it is needed."""
        best: _Needed = ()
        run = ""
        while not self.is_at_end and self._source[self._at] not in "|)":
            literal, needed = self._read_item()
            is_needed, is_once = self._read_quantifier()
            run += literal if is_needed else ""
            if literal and is_once:
                continue
            best = _better(_better(best, (run,)), needed if is_needed else ())
            run = ""
        return _better(best, (run,))

    def _read_item(self) -> tuple[str, _Needed]:
        """Return the character that must stand here, or else what is needed of a group."""
        if group := _GROUP.match(self._source, self._at):
            return "", self._read_group(group)
        for pattern in (_CLASS, _ESCAPE):
            if found := pattern.match(self._source, self._at):
                self._at = found.end()
                return found.groupdict().get("literal") or "", ()
        character = self._source[self._at]
        if character in "?*+":  # behind a bracket: a group of another kind
            raise ValueError(f"a kind of group that is not known in {self._source!r}")
        self._at += 1
        return ("", ()) if character in _ANY else (character, ())

    def _read_group(self, group: re.Match[str]) -> _Needed:
        self._at = group.end()
        needed = self.read_alternatives()
        if not self._source.startswith(")", self._at):
            raise ValueError(f"a group that does not end in {self._source!r}")
        self._at += 1
        is_looked_at = (group["kind"] or "").endswith(("=", "!"))
        return () if is_looked_at else needed

    def _read_quantifier(self) -> tuple[bool, bool]:
        """Return whether the item must stand at all, and whether exactly once."""
        found = _QUANTIFIER.match(self._source, self._at)
        if found is None:
            return True, True
        self._at = found.end()
        return found["least"].startswith(("+", *(f"{{{n}" for n in range(1, 10)))), False


def _better(a: _Needed, b: _Needed) -> _Needed:
    """Return what is rarer in texts: the longer ones."""
    return b if min(map(len, b), default=0) > min(map(len, a), default=0) else a
