"""Asking a set of questions and measuring what came back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citewell.evaluation.measures import ndcg_at, precision_at, recall_at, reciprocal_rank
from citewell.evaluation.questions import Ask, Question, Verdict, judge_question, tally_verdicts


async def run_questions(
    questions: Sequence[Question], ask: Ask, *, roots: Mapping[str, Path]
) -> list[Verdict]:
    """Ask each question in turn and judge the reply; see `judge_question`."""
    return [await judge_question(question, ask, roots=roots) for question in questions]


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
    """Return counts and rates, and what was wrong with each question."""
    tally = tally_verdicts(verdicts)
    answerable = [v for v in verdicts if v.question.expected_mode == "rag"]
    others = [v for v in verdicts if v.question.expected_mode != "rag"]
    return {
        "answered": list(tally.answered),
        "abstained": list(tally.abstained),
        "citations": list(tally.citations),
        "refused_answerable": _share(answerable, "no_answer"),
        "answered_unanswerable": _share(others, "rag"),
        "wrong": [
            {"id": v.question.id, "problems": list(v.problems)} for v in verdicts if v.problems
        ],
    }


def compare_reports(report: Mapping[str, Any], baseline: Mapping[str, Any]) -> list[str]:
    """Return what is worse than in the baseline, one sentence each."""
    worse: list[str] = []
    for name in ("answered", "abstained"):
        now, before = report[name], baseline[name]
        if now[0] / max(now[1], 1) < before[0] / max(before[1], 1):
            worse.append(f"{name}: {now[0]}/{now[1]}, before {before[0]}/{before[1]}")
    for name, before in baseline.get("retrieval", {}).items():
        now = report["retrieval"].get(name, 0.0)
        if name != "questions" and now < before - 0.005:
            worse.append(f"{name}: {now:.3f}, before {before:.3f}")
    return worse


def _share(verdicts: Sequence[Verdict], mode: str) -> float:
    return sum(v.reply["mode"] == mode for v in verdicts) / max(len(verdicts), 1)
