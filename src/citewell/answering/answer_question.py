"""Journey 2: a question becomes a cited answer, or the sentence that it does not know.

screen ─► rewrite ─► remembered? ─► gather evidence ─► enough? ─► write ─► check each ─► answer
                                                        │ no                 │ none is left
                                                        └──► it does not know ◄──┘
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from citewell.answering.asking.answer_log import AnswerLog
from citewell.answering.asking.search_once import SearchOnce
from citewell.answering.asking.told_attributes import told_attributes
from citewell.answering.citing.cite import verify_citations
from citewell.answering.gather import Gathered, GatherOptions, gather_evidence, search_further
from citewell.answering.prompts.load_prompt import prompts_version
from citewell.answering.remembering.answer_cache import AnswerMemory, CacheKey
from citewell.answering.rewrite import rewrite_question
from citewell.answering.screen import QuestionScreen, clean_question
from citewell.answering.writing.general_knowledge import answer_generally
from citewell.answering.writing.generate import Generation, Writing
from citewell.answering.writing.make_answer import abstention, finish_answer, join_notices, refusal
from citewell.answering.writing.write_quotes import QuoteWriting
from citewell.domain.answer import Answer
from citewell.domain.answer_event import (
    AnswerEvent,
    DoneEvent,
    RetractEvent,
    SentenceEvent,
    StatusEvent,
)
from citewell.domain.ask_request import AskRequest
from citewell.domain.clearance import Clearance
from citewell.domain.errors import error_code
from citewell.ports.language_model import LanguageModel
from citewell.ports.passage_reader import PassageReader
from citewell.ports.tracer import UNTOLD, Tracer, Value
from citewell.retrieval.search_passages import PassageSearch, check_question

MAX_ATTEMPTS = 50
"""Searches for one answer: each is needed only if what the last one cited changed meanwhile."""
_INCOMPLETE = "the answer may be incomplete: the model's reply ended early"


@dataclass(frozen=True, slots=True)
class Answering:
    """The parts that an answer needs.

    Attributes:
        search: Question to passages.
        reader: Re-reads what is cited, as it stands when the answer leaves.
        quoting: Answers with quotes, where there is no model or it fails.
        generation: Answers with checked sentences of the model.
        model: Writes; None leaves answers to quotes.
        memory: Remembers what the model wrote; None remembers nothing.
        options: How far evidence is looked for.
        is_fallback_enabled: Whether a request may ask for general knowledge.
        is_doubt_judged: Whether the model is asked about a question that the rules doubt.
        tracer: Told what takes how long.
    """

    search: PassageSearch
    reader: PassageReader
    quoting: QuoteWriting
    generation: Generation
    model: LanguageModel | None = None
    memory: AnswerMemory | None = None
    options: GatherOptions = field(default_factory=GatherOptions)
    is_fallback_enabled: bool = False
    is_doubt_judged: bool = False
    tracer: Tracer = UNTOLD

    async def answer_question(self, request: AskRequest, clearance: Clearance) -> Answer:
        """Answer from the passages that `clearance` may read.

        Raises:
            RetrievalNotReadyError: There is nothing that this reader could search.
            UsageError: The question is empty, or a filter is not valid.
            LanguageModelAuthError: The model refused the key.
            PromptTooLongError: The passages do not fit the model's window.
        """
        async with aclosing(self.stream_answer(request, clearance)) as events:
            async for event in events:
                if isinstance(event, DoneEvent):
                    return event.answer
        raise AssertionError("an answer ends with its last event")

    async def stream_answer(
        self, request: AskRequest, clearance: Clearance
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Yield what a reader is told while the answer is made; the last event has the answer.

        Closing the generator ends the model's work. The errors are those of `answer_question`.
        """
        check_question(request.question, top_k=request.top_k)
        span = self.tracer.begin("question", attributes={"gen_ai.operation.name": "chat"})
        log = AnswerLog(self.model, explain=request.explain, span=span)
        attributes: dict[str, Value] = {}
        error: str | None = "cancelled"
        try:
            async with aclosing(self._stream(request, clearance, log)) as events:
                async for event in events:
                    if isinstance(event, DoneEvent):
                        attributes, error = told_attributes(event.answer), None
                    yield event
        except Exception as failure:
            error = error_code(failure)
            raise
        finally:
            span.end(attributes=attributes, error=error)

    async def _stream(
        self, request: AskRequest, clearance: Clearance, log: AnswerLog
    ) -> AsyncGenerator[AnswerEvent, None]:
        refused = await self._screen(request, log)
        if refused is not None:
            yield DoneEvent(refused)
            return
        question = await self._rewrite(request, log)
        for _ in range(MAX_ATTEMPTS):
            search = SearchOnce(self.search, request, clearance, log)
            inquiry = Inquiry(question, request, clearance, log, search)
            answer = None
            n_said = 0
            async with aclosing(self._attempt(inquiry)) as events:
                async for event in events:
                    n_said += isinstance(event, SentenceEvent)
                    if isinstance(event, DoneEvent):
                        answer = event.answer
                    else:
                        yield event
            if answer is not None and await self._still_holds(answer, inquiry):
                yield DoneEvent(answer)
                return
            if n_said:
                yield RetractEvent("what was cited changed meanwhile")
        yield DoneEvent(abstention(log))

    async def _screen(self, request: AskRequest, log: AnswerLog) -> Answer | None:
        screen = QuestionScreen(model=log.model if self.is_doubt_judged else None)
        screening = await screen.screen_question(request.question, request.history)
        log.note("screen", {"verdict": screening.verdict, "by": screening.by})
        log.lap("screen")
        if screening.verdict == "clean":
            return None
        return refusal(log) if screening.verdict == "abuse" else abstention(log)

    async def _rewrite(self, request: AskRequest, log: AnswerLog) -> str:
        question = clean_question(request.question)
        rewritten = await rewrite_question(question, request.history, model=log.model)
        log.note("rewrite", {"question": rewritten.question, "by": rewritten.by})
        log.lap("rewrite")
        return rewritten.question

    async def _attempt(self, inquiry: Inquiry) -> AsyncGenerator[AnswerEvent, None]:
        """Yield the sentences of one attempt at an answer, and the answer at last."""
        yield StatusEvent("searching", "searching")
        remembered = await self._recall(inquiry)
        if remembered is not None:
            for event in _events_of(remembered):
                yield event
            return
        gathered = await gather_evidence(
            inquiry.question, inquiry.search, inquiry.log, self.options
        )
        if not gathered.is_sufficient:
            yield DoneEvent(await self._without_evidence(gathered, inquiry))
            return
        write = self._quote if self.model is None else self._generate
        async with aclosing(write(gathered, inquiry)) as events:
            async for event in events:
                yield event

    async def _recall(self, inquiry: Inquiry) -> Answer | None:
        """Return the answer that was given before, if it would be given now."""
        if self.memory is None or self.model is None:
            return None
        key = self._cache_key(inquiry, self.model)
        answer = await asyncio.to_thread(self.memory.find, key, inquiry.search.find)
        inquiry.log.note("cache", "found" if answer else "not found")
        inquiry.log.lap("cache")
        if answer is None:
            return None
        log = inquiry.log
        return replace(answer, timings_ms=log.timings_ms, usage=log.usage, trace=log.trace)

    async def _quote(
        self, gathered: Gathered, inquiry: Inquiry, *, notice: str | None = None
    ) -> AsyncGenerator[AnswerEvent, None]:
        yield _reading(gathered)
        sentences, citations = await asyncio.to_thread(
            self.quoting.write_quotes, gathered.question, gathered.passages, inquiry.clearance
        )
        inquiry.log.lap("quote")
        answer = finish_answer(sentences, citations, gathered, inquiry.log, notice=notice)
        if await self._still_holds(answer, inquiry):
            for event in _events_of(answer):
                yield event
        else:
            yield DoneEvent(answer)

    async def _generate(
        self, gathered: Gathered, inquiry: Inquiry
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Let the model write; search further for what it misses, and quote when it fails."""
        yield _reading(gathered)
        writing = Writing()
        written = self.generation.write(gathered, inquiry.clearance, inquiry.log, writing)
        async with aclosing(written) as sentences:
            async for sentence, citations in sentences:
                yield SentenceEvent(sentence, citations)
        if writing.failure is not None and not writing.sentences:
            notice = f"the passages are quoted: {writing.failure}"
            async for event in self._quote(gathered, inquiry, notice=notice):
                yield event
            return
        further = await self._search_further(writing, gathered, inquiry)
        if further is not None:
            async for event in self._generate(further, inquiry):
                yield event
            return
        answer = finish_answer(
            writing.sentences,
            writing.citations.citations,
            gathered,
            inquiry.log,
            notice=_INCOMPLETE if writing.is_incomplete else None,
        )
        flaw = self.generation.check_whole(answer, inquiry.clearance)
        if flaw is not None:
            inquiry.log.note("output", flaw)
            yield RetractEvent("the answer did not pass the last check")
            is_abuse = flaw == "abuse"
            answer = refusal(inquiry.log) if is_abuse else abstention(inquiry.log)
        await self._remember(answer, writing, inquiry)
        yield DoneEvent(answer)

    async def _search_further(
        self, writing: Writing, gathered: Gathered, inquiry: Inquiry
    ) -> Gathered | None:
        if writing.sentences or not writing.unknown:
            return None
        return await search_further(
            gathered, writing.unknown, inquiry.search, log=inquiry.log, options=self.options
        )

    async def _remember(self, answer: Answer, writing: Writing, inquiry: Inquiry) -> None:
        if self.memory is None or self.model is None or writing.is_incomplete:
            return
        await asyncio.to_thread(
            self.memory.keep,
            self._cache_key(inquiry, self.model),
            inquiry.search.found,
            answer,
            written_by=self.model.name,
        )
        inquiry.log.lap("cache")

    def _cache_key(self, inquiry: Inquiry, model: LanguageModel) -> CacheKey:
        request = inquiry.request
        return CacheKey(
            question=request.question,
            clearance=inquiry.clearance,
            top_k=request.top_k,
            model=model.name,
            version=f"{prompts_version()} {self.generation.options}",
            filters=request.filters,
            rewritten=inquiry.question if request.history else None,
        )

    async def _without_evidence(self, gathered: Gathered, inquiry: Inquiry) -> Answer:
        """Return that it does not know, or general knowledge where both sides want it."""
        log, wants_fallback = inquiry.log, inquiry.request.fallback
        if wants_fallback and self.is_fallback_enabled and log.model is not None:
            return await answer_generally(gathered, log)
        notice = gathered.notice
        if wants_fallback:
            notice = join_notices(notice, "answers from general knowledge are switched off")
        return abstention(log, confidence=gathered.confidence, notice=notice)

    async def _still_holds(self, answer: Answer, inquiry: Inquiry) -> bool:
        """Return whether all that an answer cites is still visible, word for word."""
        failures = await asyncio.to_thread(
            verify_citations, answer.citations, inquiry.clearance, self.reader
        )
        inquiry.log.lap("check")
        return not failures


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One attempt at one question, for one reader.

    Attributes:
        question: That stands by itself.
        request: As asked.
        clearance: What may be read.
        log: Takes the trace and the timings; its model is asked.
        search: Searches for this reader.
    """

    question: str
    request: AskRequest
    clearance: Clearance
    log: AnswerLog
    search: SearchOnce


def _reading(gathered: Gathered) -> StatusEvent:
    n = len(gathered.passages)
    return StatusEvent("reading", f"reading {n} passage{'' if n == 1 else 's'}")


def _events_of(answer: Answer) -> Iterator[AnswerEvent]:
    """Yield an answer that is there as a whole."""
    for sentence in answer.sentences:
        cited = tuple(c for c in answer.citations if c.n in sentence.citations)
        yield SentenceEvent(sentence, cited)
    yield DoneEvent(answer)
