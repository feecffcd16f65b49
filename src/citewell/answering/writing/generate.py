"""A language model writes, and every sentence is checked before anyone reads it.

context ─► prompt ─► stream ─► sentence ─► safe? supported? answering? visible? ─► out, or dropped
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from citewell.answering.asking.answer_log import AnswerLog
from citewell.answering.checking.check_output import check_answer
from citewell.answering.checking.check_sentence import Basis, SentenceChecks, Verdict
from citewell.answering.checking.judge_support import is_entailed
from citewell.answering.checking.passage_text import clean_passage_text
from citewell.answering.checking.says_unknown import says_unknown
from citewell.answering.citing.number_citations import CitationList
from citewell.answering.gather import Gathered
from citewell.answering.prompts.load_prompt import load_prompt, prompt_text
from citewell.answering.reading.read_drafts import Draft, DraftReader
from citewell.answering.reading.structured_reply import drafts_of_structured_reply
from citewell.answering.writing.context import ContextBlock, assemble_context, context_text
from citewell.domain.answer import Answer, Citation, Sentence
from citewell.domain.clearance import Clearance
from citewell.domain.errors import LanguageModelError
from citewell.ingestion.tokens import count_tokens
from citewell.ports.language_model import Completion, LanguageModel, Message, Prompt


@dataclass(frozen=True, slots=True)
class GenerationOptions:
    """What a model is given and how much it may write.

    Attributes:
        context_tokens: `cl100k_base` tokens of passages.
        max_tokens: Of the reply, in the model's own tokens.
        max_sentences: That are shown; a small model may go on for ever.
        temperature: In [0, 2]; 0 is repeatable.
        is_judged: Whether the model is asked of each sentence that passed whether its quotes say
            it; one call more for each.
    """

    context_tokens: int = 6_000
    max_tokens: int = 500
    max_sentences: int = 12
    temperature: float = 0.0
    is_judged: bool = False


@dataclass(slots=True)
class Writing:
    """What became of one reply.

    Attributes:
        sentences: That passed all checks, in order.
        citations: Numbered over the whole answer.
        unknown: Sentences in which the model said that the passages do not answer.
        n_dropped: Sentences that failed a check.
        was_cut: Whether the reply ended because of its length.
        failure: Why it ended early, if the model failed; may be tried again.
    """

    sentences: list[Sentence] = field(default_factory=list[Sentence])
    citations: CitationList = field(default_factory=CitationList)
    unknown: list[str] = field(default_factory=list[str])
    n_dropped: int = 0
    was_cut: bool = False
    failure: LanguageModelError | None = None

    @property
    def is_incomplete(self) -> bool:
        """Whether the model may have had more to say."""
        return self.was_cut or self.failure is not None


@dataclass(frozen=True, slots=True)
class Generation:
    """Asks a model, and lets through what its checks hold.

    Attributes:
        checks: Of each sentence.
        options: What the model is given, and how much it may write.
    """

    checks: SentenceChecks
    options: GenerationOptions = field(default_factory=GenerationOptions)

    async def write(
        self, gathered: Gathered, clearance: Clearance, log: AnswerLog, writing: Writing
    ) -> AsyncGenerator[tuple[Sentence, tuple[Citation, ...]], None]:
        """Yield each sentence with its citations once it is checked; `writing` tells the rest.

        Args:
            gathered: The question, and the passages that the model reads.
            clearance: What may be read, when the sentence leaves.
            log: Takes the trace and the timings; its model writes.
            writing: Filled while this goes on.

        Raises:
            LanguageModelError: The model cannot be used as it is set up.
        """
        if log.model is None:
            raise ValueError("there is no model to write")
        blocks = assemble_context(gathered.passages, token_budget=self.options.context_tokens)
        prompt = self._prompt(gathered.question, blocks)
        n_tokens = sum(count_tokens(message.content) for message in prompt.messages)
        log.note("prompt", {"tokens": n_tokens, "passages": [_place(block) for block in blocks]})
        log.lap("context")
        basis = Basis(
            question=gathered.question,
            parts=[part.question for part in gathered.parts],
            passages=[block.passage for block in blocks],
            clearance=clearance,
        )
        try:
            async with aclosing(_drafts(log.model, prompt, writing)) as drafts:
                async for draft in drafts:
                    verdict = await self._check(
                        draft, basis, log.model, must_answer=not writing.sentences
                    )
                    log.add("sentences", verdict.trace(draft))
                    log.lap("check")
                    sentence = _keep(verdict, draft, writing)
                    if sentence is not None:
                        yield sentence
                    if _is_enough(writing, self.options):
                        return
        except LanguageModelError as error:
            if not error.retryable:
                raise
            writing.failure = error
            log.note("failure", error.code)

    def check_whole(self, answer: Answer, clearance: Clearance) -> str | None:
        """Return why an answer may not stand although its sentences passed, or None."""
        return check_answer(answer, clearance, prompts=[prompt_text("answer")])

    def _prompt(self, question: str, blocks: Sequence[ContextBlock]) -> Prompt:
        asked = load_prompt(
            "answer",
            passages=context_text(blocks),
            question=clean_passage_text(question),
        )
        return Prompt(
            messages=(Message("user", asked),),
            max_tokens=self.options.max_tokens,
            temperature=self.options.temperature,
        )

    async def _check(
        self, draft: Draft, basis: Basis, model: LanguageModel, *, must_answer: bool
    ) -> Verdict:
        if says_unknown(draft.text):
            return Verdict("unknown")
        verdict = await asyncio.to_thread(
            self.checks.check_sentence, draft, basis, must_answer=must_answer
        )
        if verdict.outcome != "kept" or not self.options.is_judged:
            return verdict
        quotes = [citation.quote for citation in verdict.citations]
        if await is_entailed(draft.text, quotes, model):
            return verdict
        return Verdict("unsupported", reasons=("the judge says that the quotes do not say it",))


async def _drafts(
    model: LanguageModel, prompt: Prompt, writing: Writing
) -> AsyncGenerator[Draft, None]:
    """Yield the sentences of a reply as they are complete; one that was cut off is left out."""
    reader = DraftReader()
    completion: Completion | None = None
    async with aclosing(model.stream(prompt)) as pieces:
        async for piece in pieces:
            for draft in reader.feed(piece.text):
                yield draft
            completion = piece.end
    writing.was_cut = completion is not None and completion.was_cut
    if reader.is_structured:
        left = drafts_of_structured_reply(reader.rest())
    else:
        left = reader.finish()
        left = left[:-1] if writing.was_cut else left
    for draft in left:
        yield draft


def _keep(
    verdict: Verdict, draft: Draft, writing: Writing
) -> tuple[Sentence, tuple[Citation, ...]] | None:
    """Take a sentence that holds, and count one that does not."""
    if verdict.outcome == "unknown":
        writing.unknown.append(draft.text)
        return None
    if verdict.outcome != "kept":
        writing.n_dropped += 1
        return None
    if any(sentence.text == verdict.text for sentence in writing.sentences):
        return None  # it repeats itself
    citations = writing.citations.number(verdict.citations)
    sentence = Sentence(verdict.text, "claim", tuple(citation.n for citation in citations))
    writing.sentences.append(sentence)
    return sentence, citations


def _is_enough(writing: Writing, options: GenerationOptions) -> bool:
    said_unknown_first = bool(writing.unknown) and not writing.sentences
    return said_unknown_first or len(writing.sentences) >= options.max_sentences


def _place(block: ContextBlock) -> dict[str, object]:
    chunk = block.passage.chunk
    return {"n": block.number, "source_id": chunk.relative_path, "chunk_id": chunk.chunk_id}
