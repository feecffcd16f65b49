"""Ask a model whether quotes say what a sentence says; on top of the check by code, if wanted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

from citewell.answering.checking.passage_text import clean_passage_text
from citewell.answering.prompts.load_prompt import load_prompt
from citewell.domain.errors import LanguageModelError
from citewell.ports.language_model import LanguageModel, Message, Prompt

_MAX_TOKENS = 4
_FIRST_WORD = re.compile(r"\W*([A-Za-z]+)")


async def is_entailed(sentence: str, quotes: Sequence[str], model: LanguageModel) -> bool:
    """Return False if the model's first word is no.

    The code has found the sentence supported before, so a model that fails or rambles changes
    nothing.

    Args:
        sentence: Without markers.
        quotes: The exact words that it cites.
        model: Asked once.
    """
    try:
        completion = await model.complete(support_prompt(sentence, quotes))
    except LanguageModelError:
        return True
    word = _FIRST_WORD.match(completion.text)
    return word is None or word.group(1).lower() != "no"


def support_prompt(sentence: str, quotes: Sequence[str]) -> Prompt:
    """Return the judge's prompt: both texts as data, between marks that neither can hold."""
    source, statement = clean_passage_text("\n".join(quotes)), clean_passage_text(sentence)
    mark = sha256(f"{source}\0{statement}".encode()).hexdigest()[:16]
    told = (
        f"<source {mark}>\n{source}\n</source {mark}>\n"
        f"<statement {mark}>\n{statement}\n</statement {mark}>\n\nYour one-word verdict:"
    )
    messages = (Message("system", load_prompt("judge_support")), Message("user", told))
    return Prompt(messages, _MAX_TOKENS)
