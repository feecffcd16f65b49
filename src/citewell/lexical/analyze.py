"""Text to hashed terms: words, stems, prefixes, identifiers and character pairs.

Pure and deterministic: the same text gives the same terms in every process. A change of the terms
that any text gives must change `ANALYZER_VERSION`: documents and questions meet only in the terms.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import add
from zlib import crc32

from citewell.lexical.stems import fold_word, word_forms

ANALYZER_VERSION = 1

# Scripts without spaces between words. Hangul has spaces, but its words carry their particles.
_PAIRED = (
    "\u3005-\u3007\u3041-\u3096\u3099-\u30fa\u30fc-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_TRIPLED = "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u1049\u1780-\u17d3"  # Thai, Lao, Burmese, Khmer
# Vowel signs, points and accents, which `\w` leaves out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0966-\u0dff"
)
_WORD = rf"(?:[^\W{_PAIRED}{_TRIPLED}{_MARKS}]+|[{_MARKS}]+)+"
_ASCII_WORD = "[A-Za-z0-9_]+"
_JOINED = r"{0}(?:(?:[-.&@/]|(?<=[0-9]),(?=[0-9])){0})*(?:\+\+|#)?"
_MORE_JOINERS = "\u2010-\u2013"
_WIDE_JOINED = _JOINED.replace("[-.", f"[-{_MORE_JOINERS}.")
_TOKEN = re.compile(_WIDE_JOINED.format(_WORD))
_UNMARKED_TOKEN = re.compile(_WIDE_JOINED.format(r"\w+"))
_ASCII_TOKEN = re.compile(_JOINED.format(_ASCII_WORD))
_RUNS_OR_MARKS = re.compile(f"[{_PAIRED}{_TRIPLED}{_MARKS}]")
_PAIRED_RUN = re.compile(f"[{_PAIRED}]+")
_TRIPLED_RUN = re.compile(f"[{_TRIPLED}]+")
CHARACTER_RUN = re.compile(f"[{_PAIRED}]+|[{_TRIPLED}]+")
"""Text of which groups of characters are terms; what touches it is a word of its own."""
_UNSEEN = "\u00ad\u200b-\u200f\u2060\ufeff"
_INVISIBLE = re.compile(f"[{_UNSEEN}]+")
_PART_OF_TOKENS = re.compile(rf"[\w{_PAIRED}{_TRIPLED}{_MARKS}{_MORE_JOINERS}{_UNSEEN}]")
_ASCII = bytes(range(128))
_PLAIN = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]{2,}s?|[0-9]+)\Z")
_JOINERS = re.compile("[-_.,&@/\u2010-\u2013]+")
_HYPHENS = re.compile("[-_\u2010-\u2013]+")
_SUBPART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_GROUPED_NUMBER = re.compile(
    r"[0-9]{1,3}(?:(?:,[0-9]{3})+(?:\.[0-9]+)?|(?:\.[0-9]{3})+(?:,[0-9]+)?)\Z"
)
_KANA = re.compile("[\u3041-\u30ff]")

_MAX_TOKEN_LENGTH = 64  # longer runs are base64 or minified code
_MAX_SUBPARTS = 5  # more is a hash or a serial number, not a name made of words
_CACHE_SIZE = 200_000  # tokens


def analyze(text: str) -> dict[int, int]:
    """Return how often each term occurs in `text`.

    Returns:
        Hashed term (unsigned 32 bit, CRC-32 of the term in UTF-8) to frequency, at least 1.
    """
    return Counter(chain.from_iterable(map(term_ids_of, find_tokens(text))))


def explain_terms(text: str) -> dict[str, int]:
    """Return what `analyze` counts, with the terms spelled out."""
    frequencies: dict[str, int] = {}
    for token in find_tokens(text):
        for term in _terms(token):
            frequencies[term] = frequencies.get(term, 0) + 1
    return frequencies


def hash_term(term: str) -> int:
    """Return the id of a term, an unsigned 32-bit integer."""
    return crc32(term.encode("utf-8", "replace"))


def find_tokens(text: str) -> Iterable[str]:
    """Return words, identifiers and character groups as they are written, with repetition."""
    if text.isascii():
        return _ASCII_TOKEN.findall(text)
    if not _may_matter(_beyond_ascii(text)):
        return _ASCII_TOKEN.findall(text)
    normalized = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    if not _RUNS_OR_MARKS.search(_beyond_ascii(normalized)):
        return _UNMARKED_TOKEN.findall(normalized)
    return chain(_TOKEN.findall(normalized), _character_groups(normalized))


def split_token(token: str) -> list[str]:
    """Return the words that a token is joined of; none for a group of characters."""
    if _PAIRED_RUN.search(token) or _TRIPLED_RUN.search(token):
        return []
    return [part for part in _JOINERS.split(token.rstrip("+#")) if part]


def _beyond_ascii(text: str) -> str:
    return text.encode("utf-8", "replace").translate(None, _ASCII).decode()


def _may_matter(beyond_ascii: str) -> bool:
    """Return whether characters may be part of a token; quotes, bullets and signs are not."""
    return bool(_PART_OF_TOKENS.search(beyond_ascii)) or not unicodedata.is_normalized(
        "NFKC", beyond_ascii
    )


def _character_groups(text: str) -> Iterator[str]:
    """Yield pairs and single characters (CJK), and triples (South-East Asian), within runs."""
    runs = _PAIRED_RUN.findall(text)
    if runs:
        joined = " ".join(runs)
        yield from map(add, joined, joined[1:])
        yield from joined
    runs = _TRIPLED_RUN.findall(text)
    if runs:
        joined = " ".join(runs)
        yield from map(add, map(add, joined, joined[1:]), joined[2:])
        yield from (run for run in runs if len(run) < 3)


class _TermIds(dict[str, tuple[int, ...]]):
    """The hashed terms of tokens seen before; works out those that are missing."""

    def __missing__(self, token: str) -> tuple[int, ...]:
        term_ids = tuple(hash_term(term) for term in _terms(token))
        if len(token) <= _MAX_TOKEN_LENGTH:
            if len(self) >= _CACHE_SIZE:
                self.clear()
            self[token] = term_ids
        return term_ids


term_ids_of = _TermIds().__getitem__


def _terms(token: str) -> tuple[str, ...]:
    """Return the terms of one token, each once."""
    if _PLAIN.match(token) and len(token) <= _MAX_TOKEN_LENGTH:
        return word_forms(token.lower())
    if token.isspace() or _PAIRED_RUN.search(token) or _TRIPLED_RUN.search(token):
        is_noise = " " in token or (len(token) == 1 and _KANA.match(token))
        return () if is_noise else (token,)
    return tuple(dict.fromkeys(_compound_terms(token)))


def _compound_terms(token: str) -> list[str]:
    """Return the whole of an identifier, then the forms of its parts and of their parts."""
    parts = split_token(token)
    is_compound = len(parts) > 1 or token.endswith(("+", "#"))
    terms = [_whole(token)] if is_compound and len(token) <= _MAX_TOKEN_LENGTH else []
    for part in parts:
        folded = fold_word(part)
        if len(part) > _MAX_TOKEN_LENGTH:
            terms.append(folded)
            continue
        terms.extend(word_forms(folded))
        subparts = _SUBPART.findall(part) if part.isascii() else []
        if 1 < len(subparts) <= _MAX_SUBPARTS:
            for subpart in subparts:
                if len(subpart) > 1 or subpart.isdecimal():
                    terms.extend(word_forms(subpart.lower()))
    return terms


def _whole(token: str) -> str:
    """Return the term of a joined token: `e-mail` is `email`, `1.200,5` is `1200.5`."""
    if _GROUPED_NUMBER.match(token):
        decimal_mark = max(token.rfind(","), token.rfind("."))
        if len(set(token) & {",", "."}) == 2:
            integer, fraction = token[:decimal_mark], token[decimal_mark + 1 :]
            return f"{_JOINERS.sub('', integer)}.{fraction}"
        return _JOINERS.sub("", token)
    folded = fold_word(token)
    if any(c.isalpha() for c in folded):
        return _HYPHENS.sub("", folded)
    return folded.replace(",", ".")
