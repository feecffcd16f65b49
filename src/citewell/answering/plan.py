"""A question becomes the questions that are searched for, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from citewell.answering.planning.ask_model import ask_for_texts
from citewell.answering.planning.check_question import (
    MAX_GROWTH,
    asks_the_same_way,
    keeps_content,
    keeps_names,
    takes_only_from,
)
from citewell.answering.planning.follow_up import has_open_reference
from citewell.answering.planning.split import Part, split_question
from citewell.answering.planning.vocabulary import Language
from citewell.answering.planning.words import content_words, language_of, occurs_in
from citewell.ports.language_model import LanguageModel

_MAX_REPLY_TOKENS = 240


@dataclass(frozen=True, slots=True)
class Plan:
    """What is searched for.

    Attributes:
        sub_questions: The question itself if it is simple; else one for each thing it asks, each
            standing by itself.
        by: What made them: nothing, the rule, or the model.
    """

    sub_questions: tuple[str, ...]
    by: Literal["none", "rule", "model"]


async def plan_question(question: str, *, model: LanguageModel | None) -> Plan:
    """Return the parts of a compound question; a simple one stays as it is.

    Args:
        question: One that stands by itself.
        model: Asked only to complete the parts of a compound question, never whether it is one:
            small models split what is simple. None leaves it to the rule.
    """
    parts = split_question(question)
    if len(parts) == 1:
        return Plan((question,), "none")
    if model is not None and any(part.is_completed for part in parts):
        written = await _ask_model(question, parts, model)
        if written is not None and _are_faithful(written, parts, question):
            return Plan(tuple(written), "model")
    return Plan(tuple(part.text for part in parts), "rule")


async def _ask_model(
    question: str, parts: Sequence[Part], model: LanguageModel
) -> list[str] | None:
    numbered = "\n".join(f"{n}. {part.own}" for n, part in enumerate(parts, 1))
    return await ask_for_texts(
        model,
        (("question", question), ("parts", numbered)),
        prompt="plan",
        key="questions",
        is_list=True,
        max_tokens=_MAX_REPLY_TOKENS,
    )


def _are_faithful(written: Sequence[str], parts: Sequence[Part], question: str) -> bool:
    """Return whether each text is its part, made whole from the question and nothing else."""
    language = language_of(question)
    return len(written) == len(parts) and all(
        len(text) <= len(part.own) + MAX_GROWTH
        and language_of(text, otherwise=language) == language
        and asks_the_same_way(text, part.own)
        and keeps_content(text, part.own)
        and takes_only_from(text, question)
        and keeps_names(text, part.text)
        and _takes_along(text, part, language)
        and not has_open_reference(text, language)
        for text, part in zip(written, parts, strict=True)
    )


def _takes_along(text: str, part: Part, language: Language) -> bool:
    """Return whether a text has something of what the rule added to its part."""
    words = content_words(part.text, language)
    added = [word for word in words if not occurs_in(word, part.own)]
    return not added or any(occurs_in(word, text) for word in added)
