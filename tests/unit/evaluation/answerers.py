"""Questions about three documents, and answerers that are right or wrong in one way each."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from citewell.evaluation.questions import Question
from citewell.evaluation.run_questions import run_questions
from citewell.evaluation.verdicts import Ask, Verdict

DOCUMENTS = {
    "lighthouse.txt": "The lighthouse of Orm was lit in 1871 by Ada Birk. It burned rape oil.",
    "ferry.txt": "The ferry to Orm sails 12 times a day and carries 40 cars.",
    "church.txt": "The church of Orm has a tower of slate.",
}
LIT = Question(
    "lit",
    "en",
    "When was the lighthouse lit?",
    "rag",
    expected_sources=("lighthouse.txt",),
    answers=("in 1871", "1871"),
)
SAILS = Question(
    "sails",
    "en",
    "How often does the ferry sail?",
    "rag",
    expected_sources=("ferry.txt",),
    answers=("12 times a day",),
)
WHO = Question("who", "en", "Who painted the church?", "no_answer")
COST = Question("cost", "en", "What does the ferry cost?", "no_answer")
QUESTIONS = (LIT, SAILS, WHO, COST)
RIGHT = {
    "lit": ("It was lit in 1871.", "lighthouse.txt", "was lit in 1871"),
    "sails": ("It sails twelve times a day.", "ferry.txt", "sails 12 times a day"),
}


def make_root(folder: Path) -> dict[str, Path]:
    """Write the documents and return the folder under the name of its source."""
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {"orm": folder}


def cited(file: str, quote: str, *, n: int = 1) -> dict[str, Any]:
    return {
        "n": n,
        "source_name": "orm",
        "source_id": file,
        "quote": quote,
        "heading_path": [],
        "heading": "",
    }


def answer(text: str, *citations: dict[str, Any], kind: str = "claim") -> dict[str, Any]:
    numbers = [citation["n"] for citation in citations]
    markers = "".join(f"[{n}]" for n in numbers)
    return {
        "mode": "rag",
        "answer": f"{text} {markers}".strip(),
        "sentences": [{"text": text, "kind": kind, "citations": numbers}],
        "citations": [*citations],
        "timings_ms": {"search": 10.0},
    }


def abstention() -> dict[str, Any]:
    return {"mode": "no_answer", "answer": "?", "sentences": [], "citations": []}


async def perfect(question: Question) -> Mapping[str, Any]:
    if question.id not in RIGHT:
        return abstention()
    text, file, quote = RIGHT[question.id]
    return answer(text, cited(file, quote))


async def always_abstains(_: Question) -> Mapping[str, Any]:
    return abstention()


async def always_wrong(_: Question) -> Mapping[str, Any]:
    return answer("It has a tower of slate.", cited("church.txt", "a tower of slate"))


async def cites_another_document(question: Question) -> Mapping[str, Any]:
    if question.id not in RIGHT:
        return abstention()
    return answer(RIGHT[question.id][0], cited("church.txt", "a tower of slate"))


async def cites_what_is_not_there(question: Question) -> Mapping[str, Any]:
    if question.id not in RIGHT:
        return abstention()
    text, file, _ = RIGHT[question.id]
    return answer(text, cited(file, "in the year of 1871"))


async def cites_nothing(question: Question) -> Mapping[str, Any]:
    return answer(RIGHT[question.id][0]) if question.id in RIGHT else abstention()


def verdicts_on(answerer: Ask, folder: Path) -> list[Verdict]:
    return asyncio.run(run_questions(QUESTIONS, answerer, roots=make_root(folder)))
