"""Composition root of journey 2: a search, and what writes, make answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.answering.answer_question import Answering
from citewell.answering.checking.check_sentence import SentenceChecks
from citewell.answering.gather import GatherOptions
from citewell.answering.writing.generate import Generation, GenerationOptions
from citewell.answering.writing.write_quotes import QuoteWriting
from citewell.ports.tracer import UNTOLD

if TYPE_CHECKING:
    from citewell.answering.remembering.answer_cache import AnswerMemory
    from citewell.ports.embedder import Embedder
    from citewell.ports.language_model import LanguageModel
    from citewell.ports.passage_reader import PassageReader
    from citewell.ports.tracer import Tracer
    from citewell.retrieval.search_passages import PassageSearch
    from citewell.settings import Settings


def make_answering(
    settings: Settings,
    *,
    search: PassageSearch,
    reader: PassageReader,
    embedder: Embedder | None,
    model: LanguageModel | None,
    memory: AnswerMemory | None = None,
    tracer: Tracer = UNTOLD,
) -> Answering:
    """Return what answers questions as the settings say.

    Args:
        settings: Resolved.
        search: Question to passages.
        reader: Decides what is visible.
        embedder: Of sentences, without a cache: it must not remember their vectors.
        model: Writes; None leaves answers to quotes.
        memory: Remembers what the model wrote; None remembers nothing.
        tracer: Told what takes how long.
    """
    gathering = GatherOptions(
        max_attempts=settings.max_retrieval_attempts,
        max_seconds=settings.retrieval_budget_seconds,
        max_tokens=settings.retrieval_budget_tokens,
        retry_temperature=settings.retry_temperature,
    )
    generation = GenerationOptions(
        context_tokens=settings.rag_context_token_budget,
        max_tokens=settings.llm_max_tokens,
        temperature=settings.llm_temperature,
        is_judged=settings.llm_judges_answers,
    )
    return Answering(
        search=search,
        reader=reader,
        quoting=QuoteWriting(search, embedder),
        generation=Generation(SentenceChecks(reader, embedder), generation),
        model=model,
        memory=memory,
        options=gathering,
        is_fallback_enabled=settings.rag_fallback_enabled,
        is_doubt_judged=settings.llm_judges_questions,
        tracer=tracer,
    )
