"""Screen what a client sends before anything else is done with it: question and history."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from citewell.answering.screening.abuse import ABUSE, rate_abuse
from citewell.answering.screening.forged_verdict import forges_verdict
from citewell.answering.screening.injection import GREY, INJECTION, rate_injection
from citewell.answering.screening.judge import Judge
from citewell.domain.conversation import Turn
from citewell.domain.visible_text import clean_text
from citewell.ports.language_model import LanguageModel

PLEASE_REPHRASE = "Please rephrase your question without abusive language."
"""What is answered to abuse, with mode `refused`; an injection gets the canonical abstention."""

MAX_SCREENED_CHARACTERS = 20_000
"""Of one message; a longer one is no question."""

_STYLED = re.compile(r"<(?:wide|narrow|font|compat|initial|medial|final|isolated)>")


@dataclass(frozen=True, slots=True)
class Screening:
    """What the screen says to a question and its history.

    Attributes:
        verdict: Whether it may be answered.
        reason: For machines, e.g. `forged_verdict`; "" if clean; never text of the reader's.
        by: Whether a rule decided or a judge was asked.
    """

    verdict: Literal["clean", "injection", "abuse"]
    reason: str = ""
    by: Literal["rule", "judge"] = "rule"


class QuestionScreen:
    """Finds orders to the assistant, verdicts spoken over oneself, and abuse.

    A rule rates every message in all its spellings. Where it is sure, it decides; where it finds
    nothing, the message passes; between, a judge is asked if there is a model. So a judge alone
    never turns an innocent question down, and most questions cost no call.
    """

    def __init__(self, *, model: LanguageModel | None) -> None:
        """Take the model that judges what the rule doubts, or None to let that pass."""
        self._judge = None if model is None else Judge(model)

    async def screen_question(self, question: str, history: Sequence[Turn]) -> Screening:
        """Return the verdict on the question and all that is said to have been said before it.

        A judge that fails is as none.
        """
        messages = [text for turn in history for text in (turn.question, turn.answer)]
        messages.append(question)
        doubts: list[tuple[str, Doubt]] = []
        abuse: Screening | None = None
        for message in dict.fromkeys(messages):
            screening, doubt = screen_message(message)
            if screening.verdict == "injection":
                return screening
            if screening.verdict == "abuse":
                abuse = abuse or screening
            if doubt is not None:
                doubts.append((message, doubt))
        if abuse is not None:
            return abuse
        return await self._ask(doubts)

    async def _ask(self, doubts: Sequence[tuple[str, Doubt]]) -> Screening:
        if self._judge is None:
            return Screening("clean")
        for message, doubt in doubts:
            verdict = await self._judge.judge(message, injection=doubt.injection, abuse=doubt.abuse)
            if verdict != "clean":
                return Screening(verdict, doubt.reason, "judge")
        return Screening("clean", by="judge" if doubts else "rule")


@dataclass(frozen=True, slots=True)
class Doubt:
    """What the rule could not tell of a message."""

    injection: bool
    abuse: bool
    reason: str


def screen_message(message: str) -> tuple[Screening, Doubt | None]:
    """Return what the rule says to one message, and what it leaves to a judge."""
    if len(message) > MAX_SCREENED_CHARACTERS:
        return Screening("injection", "too_long"), None
    if forges_verdict(message):
        return Screening("injection", "forged_verdict"), None
    injection = rate_injection(message)
    if injection.score >= INJECTION:
        return Screening("injection", injection.reasons[0]), None
    abuse = rate_abuse(message)
    if abuse.score >= ABUSE:
        return Screening("abuse", abuse.reasons[0]), None
    if max(injection.score, abuse.score) < GREY:
        return Screening("clean"), None
    doubted = injection if injection.score >= GREY else abuse
    doubt = Doubt(injection.score >= GREY, abuse.score >= GREY, doubted.reasons[0])
    return Screening("clean"), doubt


def clean_question(text: str) -> str:
    """Return the question as search and prompts may read it.

    What cannot be seen goes (zero-width, direction, tag and filler characters, unless a script
    or an emoji needs them). Letters and digits that are only styled (wide, mathematical, ligatures)
    become plain. Other forms mean something (½, m², ①) and stay; so do look-alikes of other
    scripts.
    """
    cleaned = unicodedata.normalize("NFC", clean_text(text)[0])
    if cleaned.isascii():
        return cleaned.strip()
    return "".join(_plain(character) for character in cleaned).strip()


def _plain(character: str) -> str:
    is_styled = _STYLED.match(unicodedata.decomposition(character))
    if character != "\u3000" and not (is_styled and unicodedata.category(character)[0] in "LN"):
        return character
    return unicodedata.normalize("NFKC", character)
