"""Phrases of many languages, from the files beside, as patterns for each way to read a message."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from citewell.answering.screening.fold_text import strip_marks
from citewell.answering.screening.sought_pattern import SoughtPattern
from citewell.answering.screening.spellings import Reading

_WORDS_BETWEEN = re.compile(r"\(\?:\\[wS]\+ \)\{0,(\d)\}")
_LETTER_FIRST = re.compile(r"(?:\(\?:)*(?:\\w|\w)")
_MAX_MATCHES = 50
_SCRIPTS = {
    "zh": "[\u4e00-\u9fff]",
    "ja": "[\u3040-\u30ff\u4e00-\u9fff]",
    "ko": "[\uac00-\ud7af]",
    "ar": "[\u0600-\u06ff]",
    "hi": "[\u0900-\u097f]",
    "ru": "[\u0400-\u04ff]",
    "el": "[\u0370-\u03ff]",
}


@dataclass(frozen=True, slots=True)
class Match:
    """Where a phrase stands, and which of its group it is."""

    start: int
    end: int
    phrase: int


class PhraseBook:
    """The phrases of one language by group."""

    def __init__(
        self,
        language: str,
        groups: Mapping[str, Sequence[str]],
        *,
        bounded: bool = True,
        exact: bool = False,
    ) -> None:
        """Take the phrases by group.

        Args:
            language: Code of the language.
            groups: Regular expressions; a space stands for any gap between words.
            bounded: Words begin and end where letters do.
            exact: Accents tell words apart: phrases are compared with theirs.
        """
        self.language = language
        self.is_bounded = bounded
        self.is_exact = exact
        self._groups = groups
        self._script = re.compile(_SCRIPTS.get(language, "[a-z]"))
        self._patterns: dict[tuple[str, Reading], SoughtPattern] = {}

    @property
    def groups(self) -> Set[str]:
        """Names of the groups that the language has phrases of."""
        return self._groups.keys()

    def may_speak(self, text: str) -> bool:
        """Return whether the text has letters of the language."""
        return self._script.search(text) is not None

    def find(self, group: str, text: str, reading: Reading) -> list[Match]:
        """Return where phrases of the group stand, in order, at most 50."""
        if group not in self._groups:
            return []
        found: list[Match] = []
        for match in self._pattern(group, reading).finditer(text):
            found.append(Match(match.start(), match.end(), match.lastindex or 0))
            if len(found) == _MAX_MATCHES:
                break
        return found

    def may_hold(self, group: str, text: str, reading: Reading) -> bool:
        """Return False if a text surely holds no phrase of the group."""
        return group in self._groups and self._pattern(group, reading).may_match(text)

    def source(self, group: str, reading: Reading) -> str:
        """Return a pattern of the group's phrases without borders, for use in a larger one."""
        return "|".join(
            _source(phrase, reading, exact=self.is_exact) for phrase in self._groups[group]
        )

    def _pattern(self, group: str, reading: Reading) -> SoughtPattern:
        key = (group, reading)
        if key not in self._patterns:
            is_bounded = self.is_bounded and reading != "squeezed"
            sources = [
                _source(phrase, reading, exact=self.is_exact) for phrase in self._groups[group]
            ]
            if is_bounded:
                whole = group in _WORD_GROUPS
                sources = [_bounded(source, whole=whole) for source in sources]
            joined = "|".join(f"({source})" for source in sources)
            self._patterns[key] = SoughtPattern(joined)
        return self._patterns[key]


_WORD_GROUPS = frozenset(
    {
        "override",
        "earlier",
        "instructions",
        "reveal",
        "your",
        "prompt",
        "secret",
        "insult",
        "profane",
        "slur",
    }
)


def _bounded(source: str, *, whole: bool) -> str:
    """Return the pattern so that it begins a word, and ends one if it is for `whole` words."""
    begins = "" if source.startswith("(?:^") or not _LETTER_FIRST.match(source) else r"(?<!\w)"
    return f"{begins}(?:{source})" + (r"(?!\w)" if whole else "")


def _source(phrase: str, reading: Reading, *, exact: bool) -> str:
    """Return the regular expression of a phrase; nothing in it can repeat without end."""
    source = phrase if exact else strip_marks(phrase)
    if reading == "squeezed":
        source = _WORDS_BETWEEN.sub(r"\\w{0,24}", source).replace(r"\b", "").replace(" ?", "")
        source = source.replace(" ", "")
    else:
        source = source.replace(" ?", r"\W{0,8}").replace(" ", r"\W{1,8}")
    source = source.replace(r"\w+", r"\w{1,30}").replace(r"\w*", r"\w{0,30}")
    source = source.replace(r"\S+", r"\S{1,30}").replace(r"\S*", r"\S{0,30}")
    return source if reading == "words" else source.replace("l", "i")


@cache
def phrase_books(folder: str = "phrases") -> tuple[PhraseBook, ...]:
    """Return the books of a folder, by language."""
    books: list[PhraseBook] = []
    entries = files("citewell.answering.screening").joinpath(folder).iterdir()
    for entry in sorted(entries, key=lambda entry: entry.name):
        if not entry.name.endswith(".toml"):
            continue
        groups = tomllib.loads(entry.read_text("utf-8"))
        language = entry.name.removesuffix(".toml")
        bounded, exact = groups.pop("boundaries", True), groups.pop("exact", False)
        books.append(PhraseBook(language, groups, bounded=bool(bounded), exact=bool(exact)))
    return tuple(books)
