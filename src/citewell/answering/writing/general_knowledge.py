"""Answering from general knowledge, where operator and reader both want it; said so in the text."""

from __future__ import annotations

from citewell.answering.asking.answer_log import AnswerLog
from citewell.answering.checking.check_output import check_sentence
from citewell.answering.checking.says_unknown import says_unknown
from citewell.answering.gather import Gathered
from citewell.answering.prompts.load_prompt import load_prompt
from citewell.answering.reading.read_drafts import read_drafts
from citewell.answering.writing.make_answer import abstention, general_answer
from citewell.domain.answer import Answer
from citewell.domain.errors import LanguageModelError
from citewell.ports.language_model import Message, Prompt

MAX_TOKENS = 300


async def answer_generally(gathered: Gathered, log: AnswerLog) -> Answer:
    """Return what the model knows without documents; the abstention if that is nothing.

    A sentence with a link, an image or abusive words is left out.

    Raises:
        LanguageModelError: The model cannot be used as it is set up.
    """
    if log.model is None:
        return abstention(log, confidence=gathered.confidence, notice=gathered.notice)
    prompt = Prompt(
        messages=(Message("user", load_prompt("fallback", question=gathered.question)),),
        max_tokens=MAX_TOKENS,
    )
    try:
        completion = await log.model.complete(prompt)
    except LanguageModelError as error:
        if not error.retryable:
            raise
        return abstention(log, confidence=gathered.confidence, notice=str(error))
    said = [
        draft.text
        for draft in read_drafts(completion.text)
        if not says_unknown(draft.text) and check_sentence(draft.text, quotes=()) is None
    ]
    log.lap("generate")
    if not said:
        return abstention(log, confidence=gathered.confidence, notice=gathered.notice)
    return general_answer(
        " ".join(said), log, confidence=gathered.confidence, notice=gathered.notice
    )
