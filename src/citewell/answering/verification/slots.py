"""Words that stand where the evidence has others: a sentence copied but for a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from citewell.answering.verification.han_slots import MIN_ALIKE, replaced_han_names
from citewell.answering.verification.words import is_function_word
from citewell.domain.document import Span
from citewell.lexical.stems import PREFIX_LENGTH, fold_word

_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile("\\d+|[^\\W\\d_\u3400-\u9fff]+|[\u3400-\u9fff]")
_HAN = re.compile("[\u3400-\u9fff]")
_MAX_SLOT = 5
"""Words up to which what differs is one thing."""
_MAX_WORDS = 3


@dataclass(frozen=True, slots=True)
class _Token:
    key: str
    text: str


def replaced_names(claim: str, evidence: str, *, nouns_are_capital: bool) -> Iterator[str]:
    """Yield what the claim says in the place of a name of the evidence.

    Both sides of the place are alike, the evidence has a name there that the claim leaves out,
    and the claim has something else.

    Args:
        claim: NFKC.
        evidence: NFKC.
        nouns_are_capital: Whether a capital does not tell a name, as in German.
    """
    if _HAN.search(claim):
        yield from replaced_han_names(claim, evidence)
        return
    is_name = _are_capitals if nouns_are_capital else _has_capital
    yield from _replaced(
        _words(claim),
        _words(evidence),
        lambda said, known: is_name(said) and is_name(_without(known, claim)),
    )


def replaced_words(claim: str, evidence: str) -> Iterator[tuple[str, str]]:
    """Yield what the claim says in a place, and what the evidence says there, if it is a near copy.

    Words and numbers of up to three; signs of Chinese come with their neighbours.
    """
    said, known = _TOKEN.findall(claim), _TOKEN.findall(evidence)
    for (i1, i2), (j1, j2) in _replacements(said, known):
        if max(i2 - i1, j2 - j1) <= _MAX_WORDS:
            yield _joined(said, i1, i2), _joined(known, j1, j2)


def _joined(tokens: Sequence[str], start: int, end: int) -> str:
    if not _HAN.match(tokens[start]):
        return " ".join(tokens[start:end])
    return "".join(tokens[max(0, start - 1) : end + 1])


def _replacements(claim: Sequence[str], evidence: Sequence[str]) -> list[tuple[Span, Span]]:
    """Return where the claim has other words than the evidence; none if it is no near copy."""
    matcher = SequenceMatcher(None, claim, evidence, autojunk=False)
    alike = sum(block.size for block in matcher.get_matching_blocks())
    if alike < MIN_ALIKE * len(claim):
        return []
    codes = matcher.get_opcodes()
    return [((i1, i2), (j1, j2)) for tag, i1, i2, j1, j2 in codes if tag == "replace"]


def _words(text: str) -> list[_Token]:
    return [_Token(_key(m[0]), m[0]) for m in _WORD.finditer(text) if not is_function_word(m[0])]


def _key(word: str) -> str:
    """Return what words are alike by: their start, as endings differ."""
    return fold_word(word)[: PREFIX_LENGTH + 2]


def _replaced(
    claim: Sequence[_Token],
    evidence: Sequence[_Token],
    is_other: Callable[[list[str], list[str]], bool],
) -> Iterator[str]:
    keys = [token.key for token in claim], [token.key for token in evidence]
    for (i1, i2), (j1, j2) in _replacements(*keys):
        if max(i2 - i1, j2 - j1) > _MAX_SLOT:
            continue
        left = [token.text for token in claim[i1:i2]]
        right = [token.text for token in evidence[j1:j2]]
        if is_other(left, right):
            yield " ".join(left)


def _without(words: list[str], claim: str) -> list[str]:
    """Return the words that the claim does not say anywhere."""
    said = {token.key for token in _words(claim)}
    return [word for word in words if _key(word) not in said]


def _has_capital(words: list[str]) -> bool:
    return any(word[0].isupper() for word in words)


def _are_capitals(words: list[str]) -> bool:
    return bool(words) and all(word[0].isupper() for word in words)
