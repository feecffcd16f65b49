"""Ask a language model about a message that the rules doubt; its first word is the verdict."""

from __future__ import annotations

import asyncio
import re
from hashlib import sha256
from typing import Literal

from citewell.answering.prompts.load_prompt import load_prompt
from citewell.domain.errors import LanguageModelError
from citewell.domain.visible_text import clean_text
from citewell.ports.language_model import LanguageModel, Message, Prompt

Verdict = Literal["clean", "injection", "abuse"]

_MAX_TOKENS = 4
_MAX_CHARACTERS = 2_000
_FIRST_WORD = re.compile(r"\W*([A-Za-z]+)")


class Judge:
    """Reads a message as data, between marks that it cannot know."""

    def __init__(self, model: LanguageModel) -> None:
        """Take the model to ask."""
        self._model = model

    async def judge(self, message: str, *, injection: bool, abuse: bool) -> Verdict:
        """Return the verdict on the message; both questions are asked at once.

        Anything but the clear word for trouble counts as clean, and so does a failing model: the
        rules were not sure either.
        """
        asked: list[Verdict] = []
        if injection:
            asked.append("injection")
        if abuse:
            asked.append("abuse")
        found = await asyncio.gather(*(self._is_guilty(message, verdict) for verdict in asked))
        for verdict, is_guilty in zip(asked, found, strict=True):
            if is_guilty:
                return verdict
        return "clean"

    async def _is_guilty(self, message: str, verdict: Verdict) -> bool:
        prompt = judge_prompt(f"judge_{verdict}", message)
        try:
            completion = await self._model.complete(prompt)
        except LanguageModelError:
            return False
        word = _FIRST_WORD.match(completion.text)
        return word is not None and word.group(1).lower() == verdict


def judge_prompt(name: str, message: str) -> Prompt:
    """Return the prompt of a judge, with the message as data between marks.

    The marks hold a hash of the message: no message can hold its own, and the same one is asked in
    the same way.
    """
    text = clean_text(message)[0]
    if len(text) > _MAX_CHARACTERS:
        text = f"{text[: _MAX_CHARACTERS // 2]}\n…\n{text[-_MAX_CHARACTERS // 2 :]}"
    mark = sha256(text.encode()).hexdigest()[:16]
    told = f"<message {mark}>\n{text}\n</message {mark}>\n\nYour one-word verdict:"
    return Prompt((Message("system", load_prompt(name)), Message("user", told)), _MAX_TOKENS)
