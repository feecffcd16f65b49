"""Check what leaves: a sentence before it is sent, and the answer as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.answering.output.find_links import find_links, readings
from citewell.answering.output.obedience import (
    looks_structured,
    repeats_prompt,
    sign_of_obedience,
    stands_in,
)
from citewell.answering.output.plain_words import are_plain
from citewell.answering.screening.abuse import ABUSE, rate_abuse
from citewell.domain.answer import Answer, Citation, Sentence
from citewell.domain.clearance import Clearance
from citewell.domain.visible_text import clean_text


def check_sentence(text: str, *, quotes: Sequence[str]) -> str | None:
    """Return why a claim may not be sent, or None.

    A URL that stands in a quote may be named, but an image may not, and no link that the quote does
    not hold. `plain_words` makes of what may be sent what is shown.

    Args:
        text: Of the claim, without its markers.
        quotes: The texts that it cites.

    Returns:
        `unseen`, `image`, `link`, `markup`, `verdict`, `structured`, `obeyed`, `orders` or `abuse`.
    """
    if clean_text(text)[1]:
        return "unseen"
    for found in find_links(text):
        is_quoted = found.kind != "image" and _is_quoted(found.text, quotes)
        if found.kind != "syntax" and not is_quoted:
            return found.kind
    sign = sign_of_obedience(text, quotes=quotes)
    if sign is not None:
        return sign
    return "abuse" if _is_abusive(text, quotes) else None


def check_answer(
    answer: Answer,
    clearance: Clearance,
    *,
    prompts: Sequence[str] = (),
) -> str | None:
    """Return why the whole answer may not stand, or None.

    Args:
        answer: With all its sentences.
        clearance: Of who asked.
        prompts: What the model was told, without passages and question: none of it may come back.

    Returns:
        `tier`, `citation`, `prompt`, `structured`, `abuse`, or what a sentence has.
    """
    reason = _check_citations(answer, clearance)
    if reason is not None:
        return reason
    quotes = [citation.quote for citation in answer.citations]
    claims = [sentence for sentence in answer.sentences if sentence.kind == "claim"]
    claimed = " ".join(sentence.text for sentence in claims)
    if repeats_prompt(claimed, prompts, passages=quotes):
        return "prompt"
    if claims and looks_structured(claimed):
        return "structured"
    if not all(are_plain(sentence.text) for sentence in answer.sentences):
        return "link"
    return next(filter(None, (_check_claim(claim, answer.citations) for claim in claims)), None)


def _check_citations(answer: Answer, clearance: Clearance) -> str | None:
    if not all(clearance.allows(citation.tier) for citation in answer.citations):
        return "tier"
    numbers = {citation.n for citation in answer.citations}
    for sentence in answer.sentences:
        is_cited = bool(sentence.citations) and set(sentence.citations) <= numbers
        if answer.mode == "rag" and sentence.kind != "notice" and not is_cited:
            return "citation"
    return None


def _check_claim(claim: Sentence, citations: Sequence[Citation]) -> str | None:
    quotes = [citation.quote for citation in citations if citation.n in claim.citations]
    return check_sentence(claim.text, quotes=quotes)


def _is_quoted(text: str, quotes: Sequence[str]) -> bool:
    return any(text in reading for quote in quotes for reading in readings(quote))


def _is_abusive(text: str, quotes: Sequence[str]) -> bool:
    return rate_abuse(text).score >= ABUSE and not stands_in(text, quotes)
