"""A question and what was said before it become one question that stands by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from citewell.answering.planning.ask_model import ask_for_texts
from citewell.answering.planning.check_question import is_faithful_rewrite
from citewell.answering.planning.follow_up import leans_on_history
from citewell.answering.planning.topic import join_topic, topic_terms
from citewell.answering.planning.words import language_of
from citewell.domain.conversation import Turn
from citewell.ports.language_model import LanguageModel

MAX_TURNS = 3
"""Turns that are looked at, the last ones: what was said earlier is seldom meant."""
MAX_TURN_CHARACTERS = 400
"""Of a question, and of an answer; the start of each."""
MAX_WRITTEN_CHARACTERS = 600
"""A longer question holds a pasted text, which a model would not repeat."""
_MAX_REPLY_TOKENS = 120


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A question that can be searched with and answered without its history.

    Attributes:
        question: The question as asked, if it stands by itself.
        by: What made it: nothing, the rule, or the model.
    """

    question: str
    by: Literal["none", "rule", "model"]


async def rewrite_question(
    question: str, history: Sequence[Turn], *, model: LanguageModel | None
) -> Rewritten:
    """Return a question that stands by itself.

    Args:
        question: As asked.
        history: What a client says was said, oldest first; not trusted.
        model: Asked only for a question that leans on the history; None leaves it to the rule.
    """
    turns = _bounded(history)
    if not turns:
        return Rewritten(question, "none")
    language = language_of(" ".join(turn.question for turn in turns))
    if not leans_on_history(question, otherwise=language):
        return Rewritten(question, "none")
    if model is not None and len(question) <= MAX_WRITTEN_CHARACTERS:
        written = await _ask_model(question, turns, model)
        if written is not None and is_faithful_rewrite(written, question, turns):
            return Rewritten(written, "model")
    joined = join_topic(question, topic_terms(question, turns))
    return Rewritten(joined, "none" if joined == question else "rule")


def _bounded(history: Sequence[Turn]) -> list[Turn]:
    """Return the last turns, cut, without those that asked nothing."""
    turns = [turn for turn in history if turn.question.strip()][-MAX_TURNS:]
    return [
        Turn(
            question=" ".join(turn.question[:MAX_TURN_CHARACTERS].split()),
            answer=" ".join(turn.answer[:MAX_TURN_CHARACTERS].split()),
        )
        for turn in turns
    ]


async def _ask_model(question: str, turns: Sequence[Turn], model: LanguageModel) -> str | None:
    lines = [
        line
        for turn in turns
        for line in (f"User: {turn.question}", f"Assistant: {turn.answer or '-'}")
    ]
    material = (("conversation", "\n".join(lines)), ("question", question))
    texts = await ask_for_texts(
        model,
        material,
        prompt="rewrite",
        key="question",
        is_list=False,
        max_tokens=_MAX_REPLY_TOKENS,
    )
    return texts[0] if texts else None
