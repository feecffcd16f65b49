"""Asking a question of a questions file; shared by the demo and the evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from citewell.cli.session import owner_clearance

if TYPE_CHECKING:
    from citewell.answering.answer_question import Answering
    from citewell.bootstrap import Citewell
    from citewell.evaluation.questions import Question


async def reply_to(parts: Citewell, question: Question) -> dict[str, Any]:
    """Return the public reply to a question, asked as its tier and of its corpus.

    The answer is made anew, even if one is remembered.
    """
    from citewell.domain.ask_request import AskRequest
    from citewell.domain.passage import SearchFilters
    from citewell.replies import answer_reply

    request = AskRequest(
        question.question,
        top_k=parts.settings.rag_top_k,
        filters=SearchFilters(source=question.corpus or None),
    )
    answer = await _fresh_answering(parts).answer_question(
        request, owner_clearance(parts, question.as_tier)
    )
    return answer_reply(answer, request_id=question.id)


def _fresh_answering(parts: Citewell) -> Answering:
    from citewell.wire_answers import make_answering

    return make_answering(
        parts.settings,
        search=parts.search,
        reader=parts.catalog.passages,
        embedder=parts.embedder.uncached,
        model=parts.language_model,
        memory=None,
    )
