"""Gathering evidence: every part of the question is searched, and again for what is missing.

plan ─► search each part ─► enough for all? ──no──► re-plan with what is missing (bounded)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from citewell.answering.asking.answer_log import AnswerLog
from citewell.answering.asking.search_once import SearchOnce
from citewell.answering.plan import plan_question
from citewell.answering.replan import replan_question
from citewell.domain.passage import Passage, SearchResult

HOPELESS = 0.01
"""Confidence below which nothing found is about the question: other words would not change it."""
MAX_PASSAGES_PER_PART = 5
"""Of a question with several parts, so that no part crowds out another."""


@dataclass(frozen=True, slots=True)
class GatherOptions:
    """How far evidence is looked for.

    Attributes:
        max_attempts: Rounds of searches, the first one included.
        max_seconds: After which no further round begins.
        max_tokens: Of the model, prompts and replies, after which no further round begins.
        retry_temperature: Of the model when it plans again, in [0, 2].
        now_s: A clock that never goes back.
    """

    max_attempts: int = 5
    max_seconds: float = 20.0
    max_tokens: int = 4_000
    retry_temperature: float = 0.4
    now_s: Callable[[], float] = time.monotonic


@dataclass(slots=True)
class Part:
    """One thing that was asked, and what was found about it.

    Attributes:
        question: That stands by itself.
        result: The best so far.
        tried: All that was searched for, in order.
    """

    question: str
    result: SearchResult
    tried: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found about a question.

    Attributes:
        question: That stands by itself.
        parts: At least one.
        passages: Of all parts with evidence, best first, ranked anew; of all parts if none has.
        started_s: When the search began.
        n_rounds: Of searches, from 1.
    """

    question: str
    parts: tuple[Part, ...]
    passages: tuple[Passage, ...]
    started_s: float
    n_rounds: int

    @property
    def is_sufficient(self) -> bool:
        """Whether some part has evidence."""
        return any(part.result.is_sufficient for part in self.parts)

    @property
    def missing(self) -> tuple[str, ...]:
        """Parts that have none."""
        return tuple(p.question for p in self.parts if not p.result.is_sufficient)

    @property
    def confidence(self) -> float:
        """That of the best part, in [0, 1]: what has no evidence is not answered."""
        return max(part.result.confidence for part in self.parts)

    @property
    def notice(self) -> str | None:
        """What the searches had to say."""
        notices = dict.fromkeys(p.result.notice for p in self.parts if p.result.notice)
        return "; ".join(notices) or None


async def gather_evidence(
    question: str, search: SearchOnce, log: AnswerLog, options: GatherOptions
) -> Gathered:
    """Return what is found about each part of a question.

    Without a model a search is not repeated: its gate was calibrated for one.

    Args:
        question: That stands by itself.
        search: For the reader who asks.
        log: Takes the trace and the timings; its model plans.
        options: How far it goes.
    """
    started_s, n_rounds = options.now_s(), 1
    plan = await plan_question(question, model=log.model)
    log.note("plan", {"sub_questions": list(plan.sub_questions), "by": plan.by})
    log.lap("plan")
    results = await search.find_all(plan.sub_questions)
    parts = [
        Part(sub_question, result, [sub_question])
        for sub_question, result in zip(plan.sub_questions, results, strict=True)
    ]
    while missing := [part for part in parts if _may_be_found(part)]:
        if _is_spent(started_s, n_rounds, log, options):
            break
        n_rounds += 1
        has_more = False
        for part in missing:
            has_more |= await _search_again(part, (), search, log=log, options=options)
        if not has_more:
            break
    return Gathered(question, tuple(parts), _ranked_together(parts), started_s, n_rounds)


async def search_further(
    gathered: Gathered,
    missing: Sequence[str],
    search: SearchOnce,
    *,
    log: AnswerLog,
    options: GatherOptions,
) -> Gathered | None:
    """Return evidence that was not there before, for what a model missed.

    None if there is none, or the search has gone on for as long as it may.

    Args:
        gathered: What the model was given.
        missing: What it said.
        search: For the reader who asks.
        log: Takes the trace and the timings; its model plans.
        options: How far it goes.
    """
    if _is_spent(gathered.started_s, gathered.n_rounds, log, options):
        return None
    tried = [query for part in gathered.parts for query in part.tried]
    nothing = SearchResult(confidence=0.0, passages=(), is_sufficient=False)
    part = Part(gathered.question, nothing, tried)
    await _search_again(part, missing, search, log=log, options=options)
    known = {passage.chunk.chunk_id for passage in gathered.passages}
    found = part.result
    if not found.is_sufficient or known.issuperset(p.chunk.chunk_id for p in found.passages):
        return None
    return Gathered(
        question=gathered.question,
        parts=(part,),
        passages=tuple(found.passages),
        started_s=gathered.started_s,
        n_rounds=gathered.n_rounds + 1,
    )


def _is_spent(started_s: float, n_rounds: int, log: AnswerLog, options: GatherOptions) -> bool:
    usage = log.usage
    n_tokens = usage.get("prompt_tokens", 0) + usage.get("reply_tokens", 0)
    is_late = options.now_s() - started_s >= options.max_seconds
    is_last = n_rounds >= options.max_attempts
    return log.model is None or is_last or is_late or n_tokens >= options.max_tokens


async def _search_again(
    part: Part,
    missing: Sequence[str],
    search: SearchOnce,
    *,
    log: AnswerLog,
    options: GatherOptions,
) -> bool:
    """Search for a part by other words; return whether there were any."""
    queries = await replan_question(
        part.question,
        missing=missing,
        tried=part.tried,
        model=log.model,
        temperature=options.retry_temperature,
    )
    log.add("replan", {"queries": list(queries)})
    log.lap("plan")
    part.result = max([part.result, *await search.find_all(queries)], key=_worth)
    part.tried += queries
    return bool(queries)


def _may_be_found(part: Part) -> bool:
    """Whether a part lacks evidence, and what was found is near it."""
    return not part.result.is_sufficient and part.result.confidence >= HOPELESS


def _worth(result: SearchResult) -> tuple[bool, float]:
    return result.is_sufficient, result.confidence


def _ranked_together(parts: Sequence[Part]) -> tuple[Passage, ...]:
    """Return the passages of all parts in turn: the first of each, then the second."""
    useful = [part for part in parts if part.result.is_sufficient] or list(parts)
    if len(useful) == 1:
        return tuple(useful[0].result.passages)
    columns = [part.result.passages[:MAX_PASSAGES_PER_PART] for part in useful]
    seen: set[str] = set()
    merged: list[Passage] = []
    for rank in range(max(map(len, columns), default=0)):
        for column in columns:
            if rank < len(column) and column[rank].chunk.chunk_id not in seen:
                seen.add(column[rank].chunk.chunk_id)
                merged.append(column[rank])
    return tuple(replace(passage, rank=rank) for rank, passage in enumerate(merged, 1))
