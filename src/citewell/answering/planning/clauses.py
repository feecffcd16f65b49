"""Where one sentence asks twice: "What is X and how do I install it?"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from citewell.answering.planning.sentences import is_request, mask_quotes
from citewell.answering.planning.vocabulary import (
    ASKING,
    AUXILIARIES,
    LIGHT_WORDS,
    PREPOSITIONS,
    Language,
)
from citewell.answering.planning.words import content_words, plain, tokens

MAX_CONNECTORS = 12
"""Of a sentence that are looked at; one with more is a list."""
_CONNECTORS: dict[Language, str] = {
    "en": r"(?:[,;]\s*)?\b(?:and|plus|as well as|but)\b"
    r"(?:\s+(?:also|then|secondly|finally|please)\b)?|[,;](?=\s)(?:\s*(?:also|then)\b)?",
    "de": r"(?:[,;]\s*)?\b(?:und|sowie|aber)\b(?:\s+(?:auch|außerdem|dann|zweitens|bitte)\b)?|"
    r"[,;](?=\s)(?:\s*(?:außerdem|dann)\b)?",
    "tr": r"(?:[,;]\s*)?\b(?:ve|ayrıca|bir de)\b(?:\s+(?:ayrıca|de)\b)?|[,;](?=\s)",
}
_CONNECTOR = {code: re.compile(text, re.IGNORECASE) for code, text in _CONNECTORS.items()}
_PERSONS_EN = "i we you they it he she there"
_PERSONS_DE = "ich wir man es sie er ihr dafür dazu"
_SUBJECTS_EN = f"{_PERSONS_EN} the a an my our your this these"
_SUBJECTS_DE = f"{_PERSONS_DE} der die das ein eine mein meine unser unsere"
_PERSONS = {"en": frozenset(_PERSONS_EN.split()), "de": frozenset(_PERSONS_DE.split())}
_SUBJECTS = {"en": frozenset(_SUBJECTS_EN.split()), "de": frozenset(_SUBJECTS_DE.split())}
_LINKING_VERBS = (
    "is are was were am has have had ist sind war waren hat haben hatte wird werden wurde"
)
_LINKING = frozenset(_LINKING_VERBS.split())
_DEGREE_WORDS = (
    "much many long often far old big soon quickly large high fast late early deep wide viel viele "
    "lange oft weit groß hoch schnell alt teuer"
)
_DEGREES = frozenset(_DEGREE_WORDS.split())
_PARTICIPLE = re.compile(r"(?:end|ig|lich|isch)(?:e|er|en|es|em)\Z")
_CONTRACTED = re.compile("(?<=^what|^when)'s\\Z|(?<=^where)'s\\Z|(?<=^who|^how)'s\\Z")
_RELATIVE = {
    "en": re.compile(r"\w\W+(?:that|which|who|whom|whose)\s", re.IGNORECASE),
    "de": re.compile(
        r",\s*(?:\w+\s+)?(?:der|die|das|dem|den|deren|dessen|welche\w*)\s", re.IGNORECASE
    ),
}
_TURKISH_PREDICATE = re.compile(
    r"(?:yor|[ıiuüae]r|d[ıiuü]|t[ıiuü]|m[ıiuü]ş|[ae]ca[kğ]|m[ae]l[ıi]|d[ıiuü]r|t[ıiuü]r|[ıi]l[ıi]r)"
    r"(?:[ıiuü]m|s[ıiuü]n|[ıiuü]z|l[ae]r|k)?\Z"
)


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A clause as plain words."""

    text: str
    words: tuple[str, ...]
    language: Language

    @property
    def size(self) -> int:
        return len(content_words(self.text, self.language))

    @property
    def asks(self) -> bool:
        asking = ASKING[self.language]
        return any(word in asking for word in self.words) or is_request(self.text, self.language)


def split_clauses(sentence: str, language: Language) -> list[str]:
    """Return the clauses of a sentence that ask on their own, in order; one if there is one.

    Args:
        sentence: One that asks, in a language with spaces.
        language: `en`, `de` or `tr`.
    """
    masked = mask_quotes(sentence)
    parts: list[str] = []
    start = 0
    for connector in islice(_CONNECTOR[language].finditer(masked), MAX_CONNECTORS):
        left = _spoken(
            sentence[start : connector.start()], masked[start : connector.start()], language
        )
        right = _spoken(sentence[connector.end() :], masked[connector.end() :], language)
        joint = connector.group().strip()
        if not _both_ask(left, right, joint):
            continue
        parts.append(_with_shared_predicate(left, right))
        start = connector.end()
    return [*parts, sentence[start:].strip()]


def _spoken(text: str, masked: str, language: Language) -> _Spoken:
    """Read a clause; a capital inside it marks a name, which asks nothing ("Doctor Who")."""
    words: list[str] = []
    for match in tokens(masked):
        is_name = bool(words) and match.group()[:1].isupper() and match.group() != "I"
        words.append(match.group() if is_name else _CONTRACTED.sub("", plain(match.group())))
    return _Spoken(text.strip(), tuple(words), language)


def _both_ask(left: _Spoken, right: _Spoken, joint: str) -> bool:
    if not left.words or not right.words or not left.size:
        return False
    if left.language == "tr":
        return _both_ask_in_turkish(left, right)
    if left.words[-1] in ASKING[left.language] | PREPOSITIONS[left.language]:
        return False
    if not _is_question_so_far(left):
        return False
    return _begins_question(left, right, joint)


def _is_question_so_far(left: _Spoken) -> bool:
    """Return whether what stands before a connector asks, not only says when or if."""
    language = left.language
    if is_request(left.text, language):
        return True
    last_phrase = re.split(r"[,:]\s+", left.text)[-1]
    words = tuple(plain(match.group()) for match in tokens(last_phrase))
    return any(_asks_first(phrase, language) for phrase in (left.words, words) if phrase)


def _asks_first(words: tuple[str, ...], language: Language) -> bool:
    """Return whether a phrase begins as a question does, perhaps after a preposition."""
    first, second = (*words, "")[:2]
    if first in AUXILIARIES[language]:
        return True
    asking = second if first in PREPOSITIONS[language] else first
    return asking in ASKING[language] and not _is_subordinate(words, language)


def _is_subordinate(words: Sequence[str], language: Language) -> bool:
    """Return whether "when the server is down" only says when."""
    if language != "en" or words[0] not in {"when", "where", "whenever"}:
        return False
    return len(words) < 2 or words[1] not in AUXILIARIES["en"]


def _begins_question(left: _Spoken, right: _Spoken, joint: str) -> bool:
    language, words = right.language, right.words
    if is_request(right.text, language):
        return len(words) > 1
    begin = 1 if words[0] in PREPOSITIONS[language] and len(words) > 1 else 0
    first, rest = words[begin], words[begin + 1 :]
    if first in ASKING[language] or (first == "whether" and is_request(left.text, "en")):
        return bool(rest) and _asks_anew(left, right, first=first, rest=rest)
    if begin or joint in {",", ";"} or not rest or first not in AUXILIARIES[language]:
        return False
    if right.size < 1 or rest[0] in _PERSONS[language]:
        return right.size >= 1
    if left.size < 2 or first in _LINKING:
        return False
    return rest[0] in _SUBJECTS[language] or _has_bare_subject(right, joint)


def _has_bare_subject(right: _Spoken, joint: str) -> bool:
    """Return whether an auxiliary is followed by a noun: a name, or another after a comma.

    Without a comma it may be a second verb: "who can read and can change records".
    """
    if right.language != "en" or right.words[0].endswith("n't"):
        return False
    second = tokens(right.text)[1].group()
    return second[:1].isupper() or (joint.startswith(",") and right.size >= 2)


def _asks_anew(left: _Spoken, right: _Spoken, *, first: str, rest: tuple[str, ...]) -> bool:
    """Return whether a clause that begins with an asking word is a question of its own."""
    language = right.language
    if language == "de":
        return _asks_anew_in_german(left, right, first=first, rest=rest)
    following = rest[0] if rest else ""
    has_verb = not AUXILIARIES["en"].isdisjoint(rest)
    inverted = following in AUXILIARIES["en"]
    is_embedded = is_request(left.text, "en")
    if first in {"which", "who", "whom", "whose"}:
        if (inverted and first == "which") or _RELATIVE["en"].search(left.text):
            return False
        return right.size > 0 and (first != "which" or has_verb or right.size > 1)
    if first == "how":
        return (
            (inverted and len(rest) > 1)
            or (following == "to" and right.size > 0)
            or (following in _DEGREES and has_verb)
            or (is_embedded and right.size > 0)
        )
    if first == "what":
        has_subject_verb = following.endswith("s") and not following.endswith("ss")
        is_whole = (has_verb and right.size > 0) or (has_subject_verb and right.size > 0)
        return (inverted and len(rest) > 1) or is_whole or is_embedded
    return (inverted and len(rest) > 1) or (is_embedded and right.size > 0)


def _asks_anew_in_german(
    left: _Spoken, right: _Spoken, *, first: str, rest: tuple[str, ...]
) -> bool:
    """Return whether the verb comes second, as in a question, or the left clause wants no verb."""
    if first.startswith("welch") and _RELATIVE["de"].search(left.text):
        return False
    if is_request(left.text, "de"):
        return right.size > 0
    light = LIGHT_WORDS["de"] - AUXILIARIES["de"]
    n_phrase = 1 if rest[0] in _DEGREES else 0
    while n_phrase < len(rest) and rest[n_phrase][:1].isupper():
        n_phrase += 1
    verb = rest[n_phrase] if n_phrase < len(rest) else ""
    is_verb = bool(verb) and verb not in light and not _PARTICIPLE.search(verb)
    return is_verb and (right.size > 0 or len(rest) > 1)


def _both_ask_in_turkish(left: _Spoken, right: _Spoken) -> bool:
    if not (left.asks and right.asks) or not right.size:
        return False
    if left.words[-1] == right.words[0]:
        return False
    shares_asking = left.words[0] in ASKING["tr"] and left.words[0] == right.words[0]
    return _is_turkish_predicate(left.words[-1]) or is_request(left.text, "tr") or shares_asking


def _is_turkish_predicate(word: str) -> bool:
    if word in AUXILIARIES["tr"] or word in ASKING["tr"] - {"ne", "hangi", "kaç", "nasıl", "kadar"}:
        return True
    return word not in LIGHT_WORDS["tr"] and bool(_TURKISH_PREDICATE.search(word))


def _with_shared_predicate(left: _Spoken, right: _Spoken) -> str:
    """Return the left clause with the verb of both: "how many A and how many B are there"."""
    language = left.language
    n_asking = 2 if left.words[0] in {"how", "wie"} else 1
    same_start = left.words[:n_asking] == right.words[:n_asking]
    verbs = AUXILIARIES[language]
    if not same_start or any(word in verbs for word in left.words):
        return left.text
    if language == "tr":
        is_whole = _is_turkish_predicate(left.words[-1])
        return left.text if is_whole else f"{left.text} {tokens(right.text)[-1].group()}"
    shared = next(_verbs(right, verbs), None)
    return left.text if shared is None else f"{left.text} {right.text[shared:]}"


def _verbs(clause: _Spoken, verbs: frozenset[str]) -> Iterator[int]:
    return (match.start() for match in tokens(clause.text) if plain(match.group()) in verbs)
