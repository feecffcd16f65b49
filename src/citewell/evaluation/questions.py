"""Questions with expected answers, and what became of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from citewell.domain.errors import UsageError
from citewell.evaluation.check_citation import check_citation

Ask = Callable[["Question"], Awaitable[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a `questions.yaml`.

    Attributes:
        id: Unique in the file.
        lang: Language of the question.
        question: As asked.
        expected_mode: Of the reply.
        expected_sources: Relative paths; citing one of them is right.
        expected_headings: Citing a passage under one of them is right.
        expected_pages: The same for pages.
        answer_facts: Texts that must all occur in the answer.
        as_tier: Who asks; None for the highest tier.
        corpus: Which source is asked; "" for all.
        tags: For reports.
    """

    id: str
    lang: str
    question: str
    expected_mode: Literal["rag", "no_answer", "refused"]
    expected_sources: tuple[str, ...] = ()
    expected_headings: tuple[str, ...] = ()
    expected_pages: tuple[int, ...] = ()
    answer_facts: tuple[str, ...] = ()
    as_tier: str | None = None
    corpus: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one question.

    Attributes:
        question: As asked.
        reply: The public reply.
        problems: What was wrong, one sentence each; empty when the answer is right.
        n_citations: Citations that were checked.
        n_verified: Those that the original files bear out.
    """

    question: Question
    reply: Mapping[str, Any]
    problems: tuple[str, ...]
    n_citations: int
    n_verified: int


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


def load_questions(path: Path) -> list[Question]:
    """Return the questions of a file.

    Raises:
        UsageError: It cannot be read or an entry is not valid; the message names it.
    """
    import yaml
    from pydantic import TypeAdapter, ValidationError

    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
        return TypeAdapter(list[Question]).validate_python(entries)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    except ValidationError as error:
        raise UsageError(f"{path} is not valid: {error}") from error


async def judge_question(question: Question, ask: Ask, *, roots: Mapping[str, Path]) -> Verdict:
    """Ask a question and judge the reply.

    Args:
        question: What is asked and expected.
        ask: Gives the public reply.
        roots: Folder of each source by its name, to check citations against the files.
    """
    reply = await ask(question)
    checks = [_check(citation, roots) for citation in reply["citations"]]
    problems = [problem for problem in checks if problem is not None]
    if reply["mode"] != question.expected_mode:
        problems.append(f"mode {reply['mode']} instead of {question.expected_mode}")
    elif question.expected_mode == "rag":
        problems += _problems_of_answer(question, reply)
    return Verdict(
        question=question,
        reply=reply,
        problems=tuple(problems),
        n_citations=len(checks),
        n_verified=checks.count(None),
    )


def tally_verdicts(verdicts: Sequence[Verdict]) -> Tally:
    """Count what was right."""
    answerable = [v for v in verdicts if v.question.expected_mode == "rag"]
    others = [v for v in verdicts if v.question.expected_mode != "rag"]
    return Tally(
        answered=(sum(not v.problems for v in answerable), len(answerable)),
        abstained=(sum(not v.problems for v in others), len(others)),
        citations=(sum(v.n_verified for v in verdicts), sum(v.n_citations for v in verdicts)),
    )


def _check(citation: Mapping[str, Any], roots: Mapping[str, Path]) -> str | None:
    root = roots.get(citation["source_name"])
    if root is None:
        return f"there is no source {citation['source_name']}"
    return check_citation(root, citation)


def _problems_of_answer(question: Question, reply: Mapping[str, Any]) -> list[str]:
    citations: Sequence[Mapping[str, Any]] = reply["citations"]
    said = _flat(reply["answer"] + " " + " ".join(c["quote"] for c in citations))
    problems = [
        f"the answer lacks {fact!r}" for fact in question.answer_facts if _flat(fact) not in said
    ]
    right = [
        citation
        for citation in citations
        if not question.expected_sources or citation["source_id"] in question.expected_sources
    ]
    if not right:
        cited = ", ".join(sorted({str(c["source_id"]) for c in citations}))
        return [*problems, f"cites {cited} instead of {' or '.join(question.expected_sources)}"]
    if question.expected_pages and not any(
        citation.get("page") in question.expected_pages for citation in right
    ):
        problems.append(f"cites page {right[0].get('page')}, not {question.expected_pages}")
    if question.expected_headings and not any(
        _flat(heading) in map(_flat, citation["heading_path"])
        for citation in right
        for heading in question.expected_headings
    ):
        problems.append(f"cites under {right[0]['heading_path']}, not the expected heading")
    return problems


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()
