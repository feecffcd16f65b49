"""Cutting prose into sentences, in any language."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Protocol, TypedDict, cast

if TYPE_CHECKING:
    from citewell.domain.document import Span


class _Boundary(TypedDict):
    start_index: int
    end_index: int


class _FindBoundaries(Protocol):
    def __call__(self, language: str, text: str, /) -> list[_Boundary]: ...


MAX_SENTENCE = 600
"""Characters from which on a "sentence" is cut at its clauses: it has no marks, or is no prose."""

_WORD = re.compile(r"[^\W\d_]+")
_ORDINAL = re.compile(r"(?:^|\s)\d{1,2}\.\Z")
_INITIAL = re.compile(r"(?:^|[\s.(])(?P<letter>[^\W\d_])\.\Z")
_DOTTED = re.compile(r"(?:^|[\s(])[^\W\d_]\.\s?[^\W\d_]\.\Z")
_ONLY_MARKS = re.compile(r"\W*\d{0,3}\W*\Z")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_UKRAINIAN = re.compile("[іїєґІЇЄҐ]")
_CLAUSE_END = re.compile(r"\n|[;；](?=\s|\Z)|；|[,:](?=\s)|[，、：،؛]| (?=\S)")
_CLAUSE_RANK = {"\n": 0, ";": 1, "；": 1, "؛": 1, ",": 2, ":": 2, "，": 2, "、": 2, "：": 2, "،": 2}

# Words so frequent that a few sentences hold some, and that tell a language from its neighbours.
_LANGUAGE_OF_WORD = {
    word: language
    for language, words in {
        "en": "the and of to is are was for with that this by from it be",
        "de": "der die das und ist sind wurde mit für von auf den dem nicht ein eine im",
        "fr": "le les des est et dans pour une avec sur qui du au sont",
        "es": "el los las y es en para una con por del se que fue",
        "it": "il gli della è per una con che nel sono di dei",
        "pt": "os as da do é para uma com não em dos foi ao",
        "nl": "het een van en is zijn voor met op niet aan werd",
        "pl": "się jest na w z że do nie oraz przez",
        "tr": "ve bir bu ile için olarak da olan daha tarafından",
        "sv": "och att är som en för av på med det inte",
        "da": "og at er som en for af på med det ikke",
        "cs": "a je se na v že s do pro byl jsou",
        "fi": "ja on oli että se ei tai kun ovat",
        "hu": "az és egy hogy nem is volt meg",
    }.items()
    for word in words.split()
}
_LANGUAGES_WITH_ORDINAL_DOTS = frozenset({"de", "tr", "pl", "sv", "da", "cs", "fi", "hu"})
_LANGUAGE_SAMPLE = 1_000  # characters that are looked at


def sentence_spans(text: str) -> list[Span]:
    """Return where the sentences of prose stand, in order, without white space around them.

    Line breaks inside a sentence do not end it. Nothing but white space lies between sentences.
    A sentence of more than `MAX_SENTENCE` characters is cut at clauses or spaces.
    """
    language = _language_of(text)
    spans: list[Span] = []
    for start, end in _boundaries(text, language):
        if spans and _belongs_together(text, spans[-1], (start, end), language):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return [piece for span in spans for piece in cut_at_clauses(text, span)]


def cut_at_clauses(text: str, span: Span, *, max_length: int = MAX_SENTENCE) -> list[Span]:
    """Return a span in pieces of at most `max_length` characters, cut where a reader would pause.

    The last line break is preferred, then the last semicolon, comma and space in the second half
    of what fits; where there is none, the cut falls inside a word.
    """
    pieces: list[Span] = []
    start, end = trim(text, span)
    while end - start > max_length:
        cut = _best_cut(text, start, start + max_length)
        pieces.append(trim(text, (start, cut)))
        start, end = trim(text, (cut, end))
    return [*pieces, (start, end)] if start < end else pieces


def trim(text: str, span: Span) -> Span:
    """Return a span without white space at its ends; an empty one lies at its start."""
    piece = text[span[0] : span[1]]
    body = piece.strip()
    start = span[0] + len(piece) - len(piece.lstrip()) if body else span[0]
    return start, start + len(body)


def _boundaries(text: str, language: str) -> list[Span]:
    import sentencex  # pyright: ignore[reportMissingTypeStubs] - it has none

    find = cast("_FindBoundaries", sentencex.get_sentence_boundaries)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - compiled, without types
    spans: list[Span] = []
    for boundary in find(language, text):
        span = trim(text, (boundary["start_index"], boundary["end_index"]))
        if span[0] < span[1]:
            spans.append(span)
    return spans


def _belongs_together(text: str, left: Span, right: Span, language: str) -> bool:
    """Whether a boundary splits a date, a name, an abbreviation or a number from its sentence."""
    before = text[left[0] : left[1]]
    after = text[right[0] : right[1]]
    if _ONLY_MARKS.match(before) or not any(c.isalnum() for c in after):
        return True
    if not before.endswith("."):
        return False
    initial = _INITIAL.search(before)
    if after[0].islower() or (initial and initial["letter"].isupper()):
        return True
    if language in _LANGUAGES_WITH_ORDINAL_DOTS and _ORDINAL.search(before):
        return True
    return language != "en" and bool(_DOTTED.search(before))


def _language_of(text: str) -> str:
    """Return a language whose rules for abbreviations fit; English if nothing tells."""
    sample = text[:_LANGUAGE_SAMPLE]
    if _CYRILLIC.search(sample):
        return "uk" if _UKRAINIAN.search(sample) else "ru"
    votes = Counter[str]()
    for word in _WORD.findall(sample.casefold()):
        if language := _LANGUAGE_OF_WORD.get(word):
            votes[language] += 1
    return max(votes, key=lambda language: (votes[language], language == "en"), default="en")


def _best_cut(text: str, start: int, limit: int) -> int:
    """Return where to cut, after `start` and at most at `limit`."""
    half = start + (limit - start) // 2
    best = (len(_CLAUSE_RANK), limit)
    for match in _CLAUSE_END.finditer(text, half, limit):
        rank = _CLAUSE_RANK.get(match[0], 3)
        if rank <= best[0]:
            best = (rank, match.end())
    return best[1]
