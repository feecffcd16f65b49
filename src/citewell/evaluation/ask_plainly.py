"""Asking a language model as anyone would: passages, question, nothing checked.

What Citewell is compared with. The model gets the passages that Citewell found; what it writes is
taken as it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from citewell.evaluation.admits_ignorance import admits_ignorance
from citewell.evaluation.load_prompt import fill_prompt
from citewell.evaluation.questions import Question
from citewell.evaluation.verdicts import Ask, lacking_in
from citewell.ports.language_model import LanguageModel, Message, Prompt

_MAX_TOKENS = 200


def plain_asker(model: LanguageModel, find_passages: Callable[[Question], Sequence[str]]) -> Ask:
    """Return what asks `model` plainly with the passages that are found for a question.

    A reply that says that it does not know counts as an abstention, unless it says a right answer
    all the same: doubts are never held against it.
    """

    async def ask(question: Question) -> dict[str, Any]:
        passages = find_passages(question)
        started = time.perf_counter()
        completion = await model.complete(plain_prompt(question.question, passages))
        elapsed_ms = (time.perf_counter() - started) * 1000
        says_it = question.is_answerable and not lacking_in(completion.text, (), question)
        is_abstention = admits_ignorance(completion.text) and not says_it
        return {
            "mode": "no_answer" if is_abstention else "rag",
            "answer": completion.text,
            "sentences": [],
            "citations": [],
            "timings_ms": {"generate": elapsed_ms},
            "usage": {
                "prompt_tokens": completion.usage.n_prompt_tokens,
                "reply_tokens": completion.usage.n_reply_tokens,
                "model_calls": 1,
            },
        }

    return ask


def plain_prompt(question: str, passages: Sequence[str]) -> Prompt:
    """Return the one prompt: the passages, numbered from 1, and then the question."""
    numbered = "\n\n".join(f"[{n}] {text}" for n, text in enumerate(passages, 1))
    content = fill_prompt("plain", passages=numbered, question=question)
    return Prompt((Message("user", content),), max_tokens=_MAX_TOKENS)
