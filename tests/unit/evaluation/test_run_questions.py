from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import answerers
import pytest
from answerers import LIT, QUESTIONS, SAILS, make_root, verdicts_on

from citewell.domain.errors import LanguageModelAuthError, LanguageModelTimeoutError
from citewell.evaluation.questions import Question
from citewell.evaluation.run_questions import report_verdicts, run_questions
from citewell.evaluation.verdicts import Verdict


def test_each_verdict_is_told_in_order(tmp_path: Path) -> None:
    told: list[Verdict] = []
    verdicts = asyncio.run(
        run_questions(
            QUESTIONS, answerers.perfect, roots=make_root(tmp_path), on_verdict=told.append
        )
    )
    assert told == verdicts
    assert [verdict.question for verdict in verdicts] == [*QUESTIONS]


async def fails_in_passing(question: Question) -> Mapping[str, Any]:
    if question is LIT:
        raise LanguageModelTimeoutError
    return await answerers.perfect(question)


async def is_refused(_: Question) -> Mapping[str, Any]:
    raise LanguageModelAuthError


def test_failure_that_passes_costs_one_question(tmp_path: Path) -> None:
    verdicts = asyncio.run(run_questions((LIT, SAILS), fails_in_passing, roots=make_root(tmp_path)))
    assert [verdict.outcome for verdict in verdicts] == ["abstained", "correct"]
    assert verdicts[0].problems == ("mode error llm_timeout instead of rag",)


def test_failure_that_stays_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(LanguageModelAuthError):
        asyncio.run(run_questions(QUESTIONS, is_refused, roots=make_root(tmp_path)))


def test_report_has_a_line_for_each_question(tmp_path: Path) -> None:
    report = report_verdicts(verdicts_on(answerers.cites_what_is_not_there, tmp_path))
    assert report["lines"][0] == {
        "id": "lit",
        "question": "When was the lighthouse lit?",
        "expected_mode": "rag",
        "mode": "rag",
        "outcome": "correct",
        "answer": "It was lit in 1871. [1]",
        "sentences": [{"kind": "claim", "citations": 1, "verified": False}],
    }
    assert [line["id"] for line in report["lines"]] == ["lit", "sails", "who", "cost"]
    assert [wrong["id"] for wrong in report["wrong"]] == ["lit", "sails"]
    assert (report["answered"], report["abstained"], report["citations"]) == (
        [0, 2],
        [2, 2],
        [0, 2],
    )
