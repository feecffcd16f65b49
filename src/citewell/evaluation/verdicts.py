"""What became of a question."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from citewell.evaluation.check_citation import check_citation
from citewell.evaluation.correctness import is_right, says_fact
from citewell.evaluation.questions import Question

Ask = Callable[[Question], Awaitable[Mapping[str, Any]]]
Outcome = Literal["correct", "wrong", "abstained"]
"""What an answer is to a reader who wanted to know, wherever it is from.

`abstained`: it says that it does not know. `correct`: the question has an answer, and this one says
it. `wrong`: all else, so every answer to a question without one.
"""
_MARKER = re.compile(r"\[\d{1,2}\]")
_ANSWERS = frozenset({"rag", "fallback"})


@dataclass(frozen=True, slots=True)
class SentenceState:
    """A sentence of an answer and its citations.

    Attributes:
        text: As shown.
        kind: As in the reply: `claim`, `quote` or `notice`.
        quotes: What its citations quote.
        is_verified: Whether it has a citation that the original file bears out.
    """

    text: str
    kind: str
    quotes: tuple[str, ...]
    is_verified: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one question.

    Attributes:
        question: As asked.
        reply: The public reply.
        outcome: Whether the answer is right, whatever it cites.
        problems: What was wrong, citations included, one sentence each; empty when all is right.
        sentences: Of the answer, in order.
        n_citations: Citations that were checked.
        n_verified: Those that the original files bear out.
        n_supporting: Those of the verified that cite an expected document, or quote a right answer.
        cites_expected: Whether one of the verified cites an expected document.
        elapsed_ms: From question to reply.
    """

    question: Question
    reply: Mapping[str, Any]
    outcome: Outcome
    problems: tuple[str, ...]
    sentences: tuple[SentenceState, ...]
    n_citations: int
    n_verified: int
    n_supporting: int
    cites_expected: bool
    elapsed_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over verdicts: right ones of all, for each kind."""

    answered: tuple[int, int]
    abstained: tuple[int, int]
    citations: tuple[int, int]

    @property
    def is_perfect(self) -> bool:
        """Whether nothing was wrong."""
        return all(right == n for right, n in (self.answered, self.abstained, self.citations))

    @property
    def line(self) -> str:
        """`answered A/A, abstained R/R, citations verified C/C`."""
        (a, n_a), (r, n_r), (c, n_c) = self.answered, self.abstained, self.citations
        return f"answered {a}/{n_a}, abstained {r}/{n_r}, citations verified {c}/{n_c}"


async def judge_question(question: Question, ask: Ask, *, roots: Mapping[str, Path]) -> Verdict:
    """Ask a question and judge the reply.

    Args:
        question: What is asked and expected.
        ask: Gives the public reply.
        roots: Folder of each source by its name, to check citations against the files.
    """
    return judge_reply(question, await ask(question), roots=roots)


def judge_reply(
    question: Question,
    reply: Mapping[str, Any],
    *,
    roots: Mapping[str, Path],
    elapsed_ms: float = 0.0,
) -> Verdict:
    """Judge a reply; arguments as in `judge_question`."""
    citations: Sequence[Mapping[str, Any]] = reply["citations"]
    checks = [_check(citation, roots) for citation in citations]
    verified = [c for c, problem in zip(citations, checks, strict=True) if problem is None]
    problems = [problem for problem in checks if problem is not None]
    if reply["mode"] != question.expected_mode:
        problems.append(f"mode {reply['mode']} instead of {question.expected_mode}")
    elif question.is_answerable:
        problems += _missing_in(question, reply) + _misplaced(question, citations)
    expected = [c for c in verified if c["source_id"] in question.expected_sources]
    return Verdict(
        question=question,
        reply=reply,
        outcome=_outcome_of(question, reply),
        problems=tuple(problems),
        sentences=_states_of(reply, {c["n"] for c in verified}),
        n_citations=len(checks),
        n_verified=len(verified),
        n_supporting=sum(c in expected or _quotes_answer(question, c) for c in verified),
        cites_expected=bool(expected),
        elapsed_ms=elapsed_ms,
    )


def tally_verdicts(verdicts: Sequence[Verdict]) -> Tally:
    """Count what was right."""
    answerable = [v for v in verdicts if v.question.is_answerable]
    others = [v for v in verdicts if not v.question.is_answerable]
    return Tally(
        answered=(sum(not v.problems for v in answerable), len(answerable)),
        abstained=(sum(not v.problems for v in others), len(others)),
        citations=(sum(v.n_verified for v in verdicts), sum(v.n_citations for v in verdicts)),
    )


def lacking_in(said: str, quotes: Sequence[str], question: Question) -> list[str]:
    """Return what an answer should say and does not, one sentence each.

    Args:
        said: The answer without markers.
        quotes: What it cites.
        question: Its facts must all be there, and one of its right answers.
    """
    lacking = [
        f"the answer lacks {fact!r}"
        for fact in question.answer_facts
        if not says_fact(said, quotes, fact)
    ]
    if question.answers and not is_right(said, question.answers):
        lacking.append(f"the answer lacks {question.answers[0]!r}")
    return lacking


def said_in(reply: Mapping[str, Any]) -> str:
    """Return what an answer says, without its markers."""
    return _MARKER.sub("", reply["answer"])


def _outcome_of(question: Question, reply: Mapping[str, Any]) -> Outcome:
    if reply["mode"] not in _ANSWERS:
        return "abstained"
    return "correct" if question.is_answerable and not _missing_in(question, reply) else "wrong"


def _missing_in(question: Question, reply: Mapping[str, Any]) -> list[str]:
    quotes = [str(citation["quote"]) for citation in reply["citations"]]
    return lacking_in(said_in(reply), quotes, question)


def _misplaced(question: Question, citations: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return why the citations are not the expected ones; nothing if one of them is."""
    expected = question.expected_sources
    right = [c for c in citations if not expected or c["source_id"] in expected]
    if not right:
        cited = ", ".join(sorted({str(c["source_id"]) for c in citations})) or "nothing"
        return [f"cites {cited} instead of {' or '.join(expected) or 'something'}"]
    problems: list[str] = []
    if question.expected_pages and not any(c.get("page") in question.expected_pages for c in right):
        problems.append(f"cites page {right[0].get('page')}, not {question.expected_pages}")
    if question.expected_headings and not any(
        _flat(heading) in map(_flat, citation["heading_path"])
        for citation in right
        for heading in question.expected_headings
    ):
        problems.append(f"cites under {right[0]['heading_path']}, not the expected heading")
    return problems


def _states_of(reply: Mapping[str, Any], verified: set[int]) -> tuple[SentenceState, ...]:
    quotes = {c["n"]: str(c["quote"]) for c in reply["citations"]}
    return tuple(
        SentenceState(
            text=sentence["text"],
            kind=sentence["kind"],
            quotes=tuple(quotes[n] for n in sentence["citations"] if n in quotes),
            is_verified=bool(verified.intersection(sentence["citations"])),
        )
        for sentence in reply["sentences"]
    )


def _quotes_answer(question: Question, citation: Mapping[str, Any]) -> bool:
    has_expected = bool(question.answers or question.answer_facts)
    return has_expected and not lacking_in(citation["quote"], (), question)


def _check(citation: Mapping[str, Any], roots: Mapping[str, Path]) -> str | None:
    root = roots.get(citation["source_name"])
    if root is None:
        return f"there is no source {citation['source_name']}"
    return check_citation(root, citation)


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()
