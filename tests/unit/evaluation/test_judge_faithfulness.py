from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import answerers
import pytest
from answerers import verdicts_on

from citewell.evaluation.judge_faithfulness import (
    Faithfulness,
    judge_faithfulness,
    read_yes_or_no,
)
from citewell.evaluation.questions import Question
from citewell.ports.language_model import Prompt
from citewell.testing.scripted_model import ScriptedModel


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("yes", True),
        ("Yes.", True),
        ("**No**, it does not.", False),
        ("Answer: no", False),
        ("The statement is not supported.", False),
        ("Ja", True),
        ("是", True),
        ("否。", False),
        ("不是", False),
        ("supported: true", True),
        ("I know nothing", None),
        ("maybe", None),
        ("", None),
    ],
)
def test_first_word_that_is_a_verdict_counts(reply: str, verdict: bool | None) -> None:
    assert read_yes_or_no(reply) is verdict


def test_each_claim_is_judged_with_what_it_cites(tmp_path: Path) -> None:
    model = ScriptedModel(["yes", "no"])
    found = asyncio.run(judge_faithfulness(verdicts_on(answerers.perfect, tmp_path), model))
    assert found == Faithfulness(1, 2, 0, (("sails", "It sails twelve times a day."),))
    (asked,) = model.prompts[0].messages
    assert "was lit in 1871" in asked.content
    assert "It was lit in 1871." in asked.content
    assert model.prompts[0].temperature == 0.0


def test_claim_without_citation_is_unsupported_unasked(tmp_path: Path) -> None:
    model = ScriptedModel([])
    found = asyncio.run(judge_faithfulness(verdicts_on(answerers.cites_nothing, tmp_path), model))
    assert (found.n_supported, found.n_judged) == (0, 2)


def test_quotes_need_no_judge_and_unclear_verdicts_count_apart(tmp_path: Path) -> None:
    async def quoting(question: Question) -> dict[str, Any]:
        kind = "quote" if question.id == "lit" else "claim"
        said = answerers.cited("lighthouse.txt", "was lit in 1871")
        return answerers.answer("It was lit in 1871.", said, kind=kind)

    def reply(_: Prompt) -> str:
        return "maybe"

    found = asyncio.run(judge_faithfulness(verdicts_on(quoting, tmp_path), ScriptedModel(reply)))
    assert found == Faithfulness(0, 0, 3, ())
