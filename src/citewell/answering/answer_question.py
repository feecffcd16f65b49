"""Journey 2: a question becomes a cited answer, or the sentence that it does not know.

search ─► enough? ─► quote what answers best ─► cite ─► check each citation ─► answer
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from citewell.answering.cite import answer_text, cite_quotes, verify_citations
from citewell.answering.quoting.quote import Quote, QuoteOptions, choose_quotes
from citewell.domain.answer import (
    CANONICAL_ABSTENTION,
    Answer,
    Citation,
    Grounding,
    Sentence,
)
from citewell.domain.clearance import Clearance
from citewell.domain.passage import SearchFilters, SearchResult
from citewell.ports.embedder import Embedder, PassageText
from citewell.ports.passage_reader import PassageReader
from citewell.retrieval.search_passages import PassageSearch

MAX_ATTEMPTS = 50
"""Searches for one answer: each is needed only if what the last one quoted changed meanwhile."""


@dataclass(frozen=True, slots=True)
class Answering:
    """The parts that an answer needs.

    Attributes:
        search: Question to passages; its embedder gives the question's vector.
        reader: Re-reads what is cited, as it stands when the answer leaves.
        embedder: Gives those of sentences, and remembers none: nobody would know which to forget
            with a document. None leaves the comparison to words.
        options: How much is quoted.
    """

    search: PassageSearch
    reader: PassageReader
    embedder: Embedder | None
    options: QuoteOptions = field(default_factory=QuoteOptions)

    async def answer_question(
        self,
        question: str,
        clearance: Clearance,
        *,
        top_k: int = 5,
        filters: SearchFilters | None = None,
        explain: bool = False,
    ) -> Answer:
        """Answer from the passages that `clearance` may read.

        Raises:
            RetrievalNotReadyError: There is nothing that this reader could search.
            UsageError: The question is empty, or a filter is not valid.
        """
        return await asyncio.to_thread(
            self._answer,
            question,
            clearance,
            top_k=top_k,
            filters=filters or SearchFilters(),
            explain=explain,
        )

    def _answer(
        self,
        question: str,
        clearance: Clearance,
        *,
        top_k: int,
        filters: SearchFilters,
        explain: bool,
    ) -> Answer:
        watch = Stopwatch()
        attempts_left = MAX_ATTEMPTS
        while True:
            result = self.search.search_passages(
                question, clearance, top_k=top_k, filters=filters, explain=explain
            )
            watch.lap("search")
            if not result.is_sufficient:
                return abstain(result, watch)
            sentences, citations = cite_quotes(self._quotes(question, clearance, result))
            watch.lap("quote")
            failures = verify_citations(citations, clearance, self.reader)
            watch.lap("check")
            attempts_left -= 1
            if citations and not failures:
                return _answer_of(result, sentences, citations, watch)
            if not citations or not attempts_left:
                return abstain(result, watch)

    def _quotes(self, question: str, clearance: Clearance, result: SearchResult) -> Sequence[Quote]:
        query = self.search.weigh_question(question, clearance)
        return choose_quotes(
            question,
            result.passages,
            term_weights=dict(zip(query.indices, query.values, strict=True)),
            similarities=self._similarities(question),
            options=self.options,
        )

    def _similarities(self, question: str) -> Callable[[Sequence[str]], Sequence[float] | None]:
        """Return what compares texts with the question by cosine."""
        embedder = self.embedder
        if embedder is None or self.search.embedder is None:
            return lambda _: None
        vector = self.search.embedder.embed_query(question)

        def compare(texts: Sequence[str]) -> Sequence[float]:
            rows = embedder.embed_passages([PassageText(text) for text in texts])
            return [float(cosine) for cosine in rows @ vector]

        return compare


def _answer_of(
    result: SearchResult,
    sentences: tuple[Sentence, ...],
    citations: tuple[Citation, ...],
    watch: Stopwatch,
) -> Answer:
    return Answer(
        mode="rag",
        confidence=result.confidence,
        text=answer_text(sentences, citations),
        sentences=sentences,
        citations=citations,
        grounding=Grounding(has_citations=True, citations_valid=True),
        notice=result.notice,
        timings_ms=watch.timings_ms,
        trace=result.explain,
    )


def abstain(result: SearchResult, watch: Stopwatch) -> Answer:
    """Return the answer that says that the passages do not answer the question."""
    return Answer(
        mode="no_answer",
        confidence=result.confidence,
        text=CANONICAL_ABSTENTION,
        sentences=(),
        citations=(),
        grounding=Grounding(has_citations=False, citations_valid=True),
        notice=result.notice,
        timings_ms=watch.timings_ms,
        trace=result.explain,
    )


class Stopwatch:
    """Milliseconds by step."""

    def __init__(self) -> None:
        """Start."""
        self._last = time.perf_counter()
        self.timings_ms: dict[str, float] = {}

    def lap(self, step: str) -> None:
        """Add the time since the last lap to `step`."""
        now = time.perf_counter()
        self.timings_ms[step] = self.timings_ms.get(step, 0.0) + (now - self._last) * 1000
        self._last = now
