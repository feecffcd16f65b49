"""Asking a set of questions and reporting what came back."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from citewell.domain.errors import LanguageModelError
from citewell.evaluation.measure_answers import measure_answers
from citewell.evaluation.measures import ndcg_at, precision_at, recall_at, reciprocal_rank
from citewell.evaluation.questions import Question
from citewell.evaluation.verdicts import Ask, Verdict, judge_reply, tally_verdicts


async def run_questions(
    questions: Sequence[Question],
    ask: Ask,
    *,
    roots: Mapping[str, Path],
    on_verdict: Callable[[Verdict], None] = lambda _: None,
) -> list[Verdict]:
    """Ask each question in turn and judge the reply; see `judge_reply`.

    A question on which a language model failed in passing counts as an abstention with a problem.

    Raises:
        LanguageModelError: The model's failure is not one that passes.
    """
    verdicts: list[Verdict] = []
    for question in questions:
        started = time.perf_counter()
        try:
            reply = await ask(question)
        except LanguageModelError as error:
            if not error.retryable:
                raise
            reply = _failed_reply(error)
        elapsed_ms = (time.perf_counter() - started) * 1000
        verdict = judge_reply(question, reply, roots=roots, elapsed_ms=elapsed_ms)
        verdicts.append(verdict)
        on_verdict(verdict)
    return verdicts


def measure_rankings(
    questions: Sequence[Question], rankings: Sequence[Sequence[str]], *, k: int
) -> dict[str, float]:
    """Return the mean of each measure over questions that expect sources.

    Args:
        questions: In any order.
        rankings: Of each question, relative paths of documents, best first, each once.
        k: Depth.
    """
    pairs = [
        (ranking, set(question.expected_sources))
        for question, ranking in zip(questions, rankings, strict=True)
        if question.expected_sources
    ]
    n = max(len(pairs), 1)
    return {
        "questions": float(len(pairs)),
        f"precision@{k}": sum(precision_at(r, w, k=k) for r, w in pairs) / n,
        # any one of the expected sources answers the question
        f"recall@{k}": sum(recall_at(r, w, k=k) > 0 for r, w in pairs) / n,
        "mrr": sum(reciprocal_rank(r, w) for r, w in pairs) / n,
        f"ndcg@{k}": sum(ndcg_at(r, dict.fromkeys(w, 1.0), k=k) for r, w in pairs) / n,
    }


def report_verdicts(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return counts and figures, what was wrong with each question, and a line for each."""
    tally = tally_verdicts(verdicts)
    answerable = [v for v in verdicts if v.question.is_answerable]
    others = [v for v in verdicts if not v.question.is_answerable]
    return {
        "answered": list(tally.answered),
        "abstained": list(tally.abstained),
        "citations": list(tally.citations),
        "refused_answerable": _share(answerable, "no_answer"),
        "answered_unanswerable": _share(others, "rag"),
        **measure_answers(verdicts),
        "wrong": [
            {"id": v.question.id, "problems": list(v.problems)} for v in verdicts if v.problems
        ],
        "lines": [_line_of(verdict) for verdict in verdicts],
    }


def _line_of(verdict: Verdict) -> dict[str, Any]:
    return {
        "id": verdict.question.id,
        "question": verdict.question.question,
        "expected_mode": verdict.question.expected_mode,
        "mode": verdict.reply["mode"],
        "outcome": verdict.outcome,
        "answer": verdict.reply["answer"],
        "sentences": [
            {"kind": s.kind, "citations": len(s.quotes), "verified": s.is_verified}
            for s in verdict.sentences
        ],
    }


def _failed_reply(error: LanguageModelError) -> dict[str, Any]:
    """Return a reply that says nothing, with its mode naming what happened."""
    return {"mode": f"error {error.code}", "answer": "", "citations": [], "sentences": []}


def _share(verdicts: Sequence[Verdict], mode: str) -> float:
    return sum(v.reply["mode"] == mode for v in verdicts) / max(len(verdicts), 1)
