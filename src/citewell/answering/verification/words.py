"""The content of a text word by word, and how much of it another text holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from citewell.lexical.analyze import CHARACTER_RUN
from citewell.lexical.stems import fold_text, fold_word, word_forms

_FUNCTION_WORD_LIST = """
    a an the and or but if then than so as of in on at by for with from to into onto about
    over under between through during is are was were be been being am do does did done has
    have had having will would shall should can could may might must it its this that these
    those there here he she they them his her their him we our you your i me my who whom
    whose which what when where why how also too very such own same other another some any
    each every both all more most much many not no nor never only just up down out off again
    further once because while until although though however therefore thus according called
    known named s t
    der die das den dem des ein eine einen einem einer eines und oder aber wenn dann als so
    wie von vom in im an am auf bei beim für mit aus zu zum zur über unter zwischen durch
    während ist sind war waren sei wird wurde wurden worden werden hat hatte hatten haben
    kann können konnte soll sollte muss müssen darf es er sie ihr ihre ihren ihrem ihrer
    sein seine seinen seinem seiner dies diese dieser dieses diesen diesem jene welche
    welcher welches auch sehr nicht kein keine nur noch schon bereits sich um dass da dort
    hier man nach vor seit bis gegen ohne etwa sowie beide alle mehr
    ve veya ya da ama fakat ile bir bu şu o için olarak olan oldu olduğu olduğunu olur
    olmuştur edildi etti eder ettiği eden gibi kadar daha en çok de ki mi mı ise değil sonra
    önce göre üzerinde içinde tarafından arasında her hem ne idi iken ancak bunun onun onlar
    bunlar kendi var yok vardır
    le la les de des du un une et est dans que qui pour sur par el los las y con il lo di
    che e
"""
_FUNCTION_WORDS = frozenset(_FUNCTION_WORD_LIST.split())
_FUNCTION_SIGNS = frozenset(
    "的了是在和与為为于於有被其之以及也而等将將把就都对對从從到中上下这那這該该他她它们們所由或个個"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_POSSESSIVE = re.compile(r"['’].*\Z")
_PIECE = 4
_NEAR = 0.6
"""Share of a word's pieces from which on a text holds the word, in another form."""


@dataclass(frozen=True, slots=True)
class ContentWord:
    """A word that says something, or a pair of Chinese characters.

    Attributes:
        text: Folded.
        weight: Above 0; longer words and names say more.
        forms: As found in folded text with a space before: the start of any is enough.
        pieces: Groups of four characters, the word's borders included.
        start: First character in the text.
        is_capital: Whether it is written with a capital, inside the text.
    """

    text: str
    weight: float
    forms: tuple[str, ...]
    pieces: tuple[str, ...]
    start: int
    is_capital: bool


@lru_cache(maxsize=4096)
def content_words(text: str) -> tuple[ContentWord, ...]:
    """Return the words of a text that say something, each once, in order."""
    found: dict[str, ContentWord] = {}
    for match in _WORD.finditer(CHARACTER_RUN.sub(_blank, text)):
        bare = _POSSESSIVE.sub("", match[0])
        folded = fold_word(bare)
        if folded and not folded.isdecimal() and bare.casefold() not in _FUNCTION_WORDS:
            is_capital = bare[0].isupper()
            found.setdefault(folded, _spaced_word(folded, match.start(), is_capital=is_capital))
    for run in CHARACTER_RUN.finditer(text):
        for pair, start in _pairs(run[0], run.start()):
            found.setdefault(pair, _pair_word(pair, start))
    return tuple(sorted((w for w in found.values() if w.weight), key=lambda word: word.start))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _pairs(run: str, start: int) -> list[tuple[str, int]]:
    if len(run) == 1:
        return [(run, start)]
    return [(run[i : i + 2], start + i) for i in range(len(run) - 1)]


def _pair_word(pair: str, start: int) -> ContentWord:
    weight = _pair_weight(pair)
    return ContentWord(pair, weight, forms=(), pieces=(pair,), start=start, is_capital=False)


def _pair_weight(pair: str) -> float:
    n_function = sum(c in _FUNCTION_SIGNS for c in pair)
    return (0.5, 0.15, 0.0)[n_function] if len(pair) == 2 else 0.3 * (not n_function)


def _spaced_word(folded: str, start: int, *, is_capital: bool) -> ContentWord:
    marked = f" {folded} "
    pieces = tuple(
        dict.fromkeys(marked[i : i + _PIECE] for i in range(max(1, len(marked) - _PIECE + 1)))
    )
    weight = min(1.0, 0.4 + 0.1 * len(folded)) * (1.4 if is_capital else 1.0)
    forms = tuple(f" {form}" for form in word_forms(folded) if len(form) > 4)
    return ContentWord(folded, weight, (*forms, f" {folded} "), pieces, start, is_capital)


def is_function_word(word: str) -> bool:
    """Return whether a word says nothing alone, such as `the`."""
    return word.casefold() in _FUNCTION_WORDS


@lru_cache(maxsize=8192)
def searchable(text: str) -> str:
    """Return a text as words are looked for in it: folded, a space around runs of Chinese."""
    folded = fold_text(text)
    return folded if folded.isascii() else CHARACTER_RUN.sub(r" \g<0> ", folded)


def share_of(word: ContentWord, folded: str) -> float:
    """Return how much of a word folded text holds, in [0, 1]."""
    for form in word.forms:
        if form in folded:
            return 1.0
    if not word.forms:
        return float(word.text in folded)
    if word.pieces[0] not in folded:
        return 0.0  # the others alone are less than half
    are_found = [piece in folded for piece in word.pieces]
    leading = len(are_found) if all(are_found) else are_found.index(False)
    share = (sum(are_found) + leading) / (2 * len(are_found))
    return share if share >= _NEAR else 0.0
