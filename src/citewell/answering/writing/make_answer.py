"""The whole answers that end a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from citewell.answering.asking.answer_log import AnswerLog
from citewell.answering.citing.cite import answer_text
from citewell.answering.gather import Gathered
from citewell.answering.screen import PLEASE_REPHRASE
from citewell.domain.answer import (
    CANONICAL_ABSTENTION,
    Answer,
    Citation,
    Grounding,
    Sentence,
)

GENERAL_KNOWLEDGE = "From general knowledge, not from the indexed documents:"
"""How an answer begins that no document supports."""


def finish_answer(
    sentences: Sequence[Sentence],
    citations: Sequence[Citation],
    gathered: Gathered,
    log: AnswerLog,
    *,
    notice: str | None = None,
) -> Answer:
    """Return the answer of sentences that were checked; the abstention if there is none.

    Parts of the question without evidence are named in the notice.
    """
    if not citations:
        return abstention(log, confidence=gathered.confidence, notice=gathered.notice)
    return Answer(
        mode="rag",
        confidence=gathered.confidence,
        text=answer_text(sentences, citations),
        sentences=tuple(sentences),
        citations=tuple(citations),
        grounding=Grounding(has_citations=True, citations_valid=True),
        notice=join_notices(gathered.notice, notice, _missing_parts(gathered)),
        timings_ms=log.timings_ms,
        usage=log.usage,
        trace=log.trace,
    )


def abstention(log: AnswerLog, *, confidence: float = 0.0, notice: str | None = None) -> Answer:
    """Return the answer that says that the passages do not answer the question."""
    return _without_citations(
        "no_answer", CANONICAL_ABSTENTION, log, confidence=confidence, notice=notice
    )


def refusal(log: AnswerLog) -> Answer:
    """Return the answer to abusive language."""
    return _without_citations("refused", PLEASE_REPHRASE, log, confidence=0.0, notice=None)


def general_answer(
    text: str, log: AnswerLog, *, confidence: float, notice: str | None = None
) -> Answer:
    """Return an answer from general knowledge, which says that it is one."""
    return _without_citations(
        "fallback", f"{GENERAL_KNOWLEDGE} {text}", log, confidence=confidence, notice=notice
    )


def join_notices(*notices: str | None) -> str | None:
    """Return notices as one, each once, or None."""
    return "; ".join(dict.fromkeys(filter(None, notices))) or None


def _missing_parts(gathered: Gathered) -> str | None:
    missing = gathered.missing
    if not missing or len(missing) == len(gathered.parts):
        return None
    return "the documents do not answer: " + " / ".join(missing)


def _without_citations(
    mode: Literal["no_answer", "refused", "fallback"],
    text: str,
    log: AnswerLog,
    *,
    confidence: float,
    notice: str | None,
) -> Answer:
    return Answer(
        mode=mode,
        confidence=confidence,
        text=text,
        sentences=(),
        citations=(),
        grounding=Grounding(has_citations=False, citations_valid=True),
        notice=notice,
        timings_ms=log.timings_ms,
        usage=log.usage,
        trace=log.trace,
    )
