"""A text as the words that a question is compared by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citewell.answering.planning.vocabulary import LIGHT_WORDS, Language
from citewell.lexical.scripts import dominant_script
from citewell.lexical.stems import fold_word, word_forms

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[^\W_{HAN}]+(?:[-'’.&@/_+][^\W_{HAN}]+)*[+#]*")
_HAN_RUN = re.compile(f"[{HAN}]+")
_MIN_ALIKE = 4
_ALIKE_SHARE = 0.6
_SENTENCE_END = re.compile(r"[.!?。！？:：]\s*$")

# What a Chinese question is made of beside its content, longest first. A single character is listed
# only if it is seldom part of a word of content, or with what follows it then.
_LIGHT_HAN = re.compile(
    "什么样|什么时候|怎么样|怎么办|为什么|多长时间|多少钱|是不是|有没有|能不能|可不可以|会不会|要不要|是什么|"
    "每[个次天周月年晚人页]?|(?:多少|几(?!乎))[条个次天行元人份台页名位种级]?|什么|甚么|多久|多长|多大|多高|多远|"
    "哪些|哪个|哪里|哪儿|哪一|怎么|怎样|如何|为何|何时|何处|"
    "是否|请问|可以|能够|应该|必须|需要|告诉|分别|以及|还有|并且|而且|或者|如果|的话|关于|对于|因为|所以|"
    "那么|那个|那些|那里|那种|那边|这个|这些|这里|这种|这样|它们|他们|她们|我们|你们|咱们|自己|最多|最少|"
    "的?时候|时(?=怎|应|该|要|会|能|谁)|之内|以内|之前|以前|之后|以后|(?<=[多几])[天次]|"
    "[有要能会该得](?=多|几|哪|谁|什么|怎|吗|呢)|(?<!目)的|了(?!解)|请(?=[你您]|告诉|说明|列出|介绍)|"
    "[哪谁它他她我你您这那吗呢吧啊呀么是和与及就也都还又很太]"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of content, or a run of Chinese characters between words of form.

    Attributes:
        text: As written.
        start: First character in the text.
        end: Character after the last one.
        is_name: Whether its shape says so: a digit, an inner capital, or a capital where the
            language and the place in the sentence ask for none.
    """

    text: str
    start: int
    end: int
    is_name: bool

    @property
    def is_han(self) -> bool:
        """Whether it is a run of Chinese characters."""
        return bool(_HAN_RUN.match(self.text))


def tokens(text: str) -> list[re.Match[str]]:
    """Return words of spaced scripts, of form and of content, in order."""
    return list(_WORD.finditer(text))


def plain(word: str) -> str:
    """Return a word as the lists write it."""
    lowered = word.replace("İ", "i").replace("’", "'").lower()
    return unicodedata.normalize("NFC", lowered)


def language_of(text: str, *, otherwise: Language = "en") -> Language:
    """Return the language whose lists fit a question; `otherwise` if nothing tells."""
    if dominant_script(text) == "han":
        return "zh"
    words = [plain(match.group()) for match in tokens(text)]
    hits = {
        language: sum(word in LIGHT_WORDS[language] for word in words)
        for language in ("en", "de", "tr")
    }
    hits["tr"] += bool(re.search("[ığşİ]", text))
    hits["de"] += bool(re.search("[äß]", text))
    best = max(hits.values())
    if not best:
        return "en" if otherwise == "zh" else otherwise
    candidates: list[Language] = [code for code in ("en", "de", "tr") if hits[code] == best]
    return otherwise if otherwise in candidates else candidates[0]


def content_words(text: str, language: Language) -> list[Word]:
    """Return what a text is about, in order, with repetition."""
    return sorted((*_spaced_words(text, language), *_han_words(text)), key=lambda word: word.start)


def names(words: Sequence[Word]) -> list[Word]:
    """Return the words that are names or identifiers by their shape."""
    return [word for word in words if word.is_name]


def size_of(words: Sequence[Word]) -> float:
    """Return how many words these are; two Chinese characters count as one."""
    return sum(len(word.text) / 2 if word.is_han else 1 for word in words)


def is_alike(one: str, other: str) -> bool:
    """Return whether two words are forms of one: the same stem, or most of their start."""
    first, second = fold_word(one), fold_word(other)
    if first == second:
        return True
    if any(c.isdecimal() for c in first + second):
        return False
    if word_forms(first)[0] == word_forms(second)[0]:
        return True
    n_common = next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )
    return n_common >= max(_MIN_ALIKE, _ALIKE_SHARE * max(len(first), len(second)))


def occurs_in(word: Word, text: str) -> bool:
    """Return whether a word, in any of its forms, or most of a Chinese run occurs in a text."""
    if word.is_han:
        pairs = [word.text[i : i + 2] for i in range(max(1, len(word.text) - 1))]
        found = sum(pair in text for pair in pairs)
        return all(c in text for c in word.text) and found * 2 >= len(pairs)
    parts = [part for part in re.split(r"[-'’./&@_]", word.text) if part]
    known = [match.group() for match in tokens(text)]
    known += [part for token in known for part in re.split(r"[-'’./&@_]", token) if part]
    if any(is_alike(word.text, token) for token in known):
        return True
    return len(parts) > 1 and all(any(is_alike(part, token) for token in known) for part in parts)


def _spaced_words(text: str, language: Language) -> Iterator[Word]:
    light = LIGHT_WORDS["en" if language == "zh" else language]
    for match in tokens(text):
        written = re.sub("['’]s\\Z", "", match.group())
        is_light = plain(written) in light or plain(match.group()) in light
        if is_light and not _is_acronym(written, text):
            continue
        yield Word(
            text=written,
            start=match.start(),
            end=match.start() + len(written),
            is_name=_has_shape_of_name(written, text[: match.start()], language),
        )


def _is_acronym(word: str, text: str) -> bool:
    """Return whether a word in capitals stands among others that are not."""
    return len(word) > 1 and word.isupper() and not text.isupper()


def _has_shape_of_name(word: str, before: str, language: Language) -> bool:
    if any(c.isdecimal() for c in word) or any(c.isupper() for c in word[1:]):
        return True
    is_first = not before.strip(" \t\n\"'“”„«»([-*") or bool(_SENTENCE_END.search(before))
    return word[:1].isupper() and not is_first and language != "de"


def _han_words(text: str) -> Iterator[Word]:
    for run in _HAN_RUN.finditer(text):
        start = run.start()
        for light in (*_LIGHT_HAN.finditer(run.group()), None):
            end = run.start() + light.start() if light else run.end()
            if end > start:
                yield Word(text[start:end], start, end, is_name=False)
            start = run.start() + light.end() if light else end
