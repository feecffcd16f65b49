"""A compound question as questions that each stand by themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.answering.planning.chinese_clauses import split_chinese_clauses
from citewell.answering.planning.clauses import split_clauses
from citewell.answering.planning.follow_up import leans_on_history
from citewell.answering.planning.pairs import split_pairs
from citewell.answering.planning.sentences import asking_sentences, detach_trailer, is_request
from citewell.answering.planning.topic import join_topic, topic_terms
from citewell.answering.planning.vocabulary import Language
from citewell.answering.planning.words import (
    content_words,
    language_of,
    names,
    occurs_in,
    size_of,
)
from citewell.domain.conversation import Turn

MAX_PARTS = 4
"""Questions that one is split into; what is beyond stays in the last one."""
MAX_SPLIT_CHARACTERS = 1_000
"""A longer question is a pasted text, whose sentences are not all questions to the documents."""
_CONTINUATION = re.compile(
    r"\A(?:(?:and|also|then|und|außerdem|ve|ayrıca)\b[,:]?\s+|(?:另外|还有|以及|并且)[，,：]?\s*)+",
    re.IGNORECASE,
)
_OWN_TOPIC: dict[Language, float] = {"zh": 4, "tr": 3}
"""Languages in which a part says nothing of what it is about if an earlier one did, and the words
of content from which on it seems to have its own."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that a question asks.

    Attributes:
        text: As a question that stands by itself.
        own: The words of it that are the question's own at this place.
    """

    text: str
    own: str

    @property
    def is_completed(self) -> bool:
        """Whether the text takes something from other parts."""
        return len(self.text) > len(self.own) + 1


def split_question(question: str) -> tuple[Part, ...]:
    """Return the things that a question asks, each with the names that it shares with the others.

    Returns:
        One, the question as it is, unless its form says that it asks several things; at most
        `MAX_PARTS`.
    """
    if len(question) > MAX_SPLIT_CHARACTERS:
        return (Part(question, question),)
    language = language_of(question)
    asked, trailer = detach_trailer(question.strip())
    clauses = [
        clause
        for sentence in asking_sentences(asked, language)
        for clause in _clauses(sentence, language)
    ]
    parts = [
        Part(f"{_complete(own, clauses[:n], language)} {trailer}".strip(), own)
        for n, clause in enumerate(clauses)
        for own in split_pairs(clause, language)
    ]
    if len(parts) < 2:
        return (Part(question, question),)
    if len(parts) > MAX_PARTS:
        last = parts[MAX_PARTS - 1 :]
        own = " ".join(part.own for part in last)
        parts = [*parts[: MAX_PARTS - 1], Part(" ".join(part.text for part in last), own)]
    return tuple(parts)


def _clauses(sentence: str, language: Language) -> list[str]:
    if language == "zh":
        return split_chinese_clauses(sentence)
    return split_clauses(sentence, language)


def _complete(part: str, earlier: list[str], language: Language) -> str:
    """Return a part as a question, with what it leaves to the parts before it."""
    question = _as_question(part, language)
    if not earlier:
        return question
    before = Turn(question=" ".join(earlier), answer="")
    if leans_on_history(part, otherwise=language):
        return join_topic(question, topic_terms(part, [before]))
    own = content_words(part, language)
    shared = [
        word.text
        for word in names(content_words(before.question, language))
        if not occurs_in(word, part)
    ]
    if names(own):
        return question
    if shared:
        return join_topic(question, tuple(dict.fromkeys(shared)))
    if size_of(own) < _OWN_TOPIC.get(language, 0):
        return join_topic(question, topic_terms(part, [before]))
    return question


def _as_question(part: str, language: Language) -> str:
    text = _CONTINUATION.sub("", part.strip(" \t\n,;，；"))
    text = text[:1].upper() + text[1:]
    if text.endswith(("?", "？", ".", "。", "!", "！")):
        return text
    if is_request(text, language):
        return f"{text}。" if language == "zh" else f"{text}."
    return f"{text}？" if language == "zh" else f"{text}?"
