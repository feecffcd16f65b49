"""Questions with expected answers, and what became of them."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from citewell.domain.errors import UsageError
from citewell.evaluation.questions import (
    Question,
    Verdict,
    judge_question,
    load_questions,
    tally_verdicts,
)
from citewell.evaluation.samples import questions_path

ASKED = Question(
    "q1",
    "en",
    "How many rows?",
    "rag",
    expected_sources=("a.md", "b.md"),
    expected_headings=("Limits",),
    answer_facts=("500 rows",),
)
UNKNOWN = Question("q2", "en", "Who?", "no_answer")


def reply(mode: str = "rag", *citations: dict[str, Any], answer: str = "") -> dict[str, Any]:
    return {"mode": mode, "answer": answer, "citations": [*citations]}


def cited(quote: str, *headings: str, file: str = "a.md") -> dict[str, Any]:
    return {
        "source_name": "handbook",
        "source_id": file,
        "quote": quote,
        "heading_path": [*headings],
        "heading": "",
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).write_text("# Limits\n\n500 rows.\n\n# Other\n\n500 rows.\n")
    return tmp_path


def judge(question: Question, given: Mapping[str, Any], root: Path) -> Verdict:
    async def ask(asked: Question) -> Mapping[str, Any]:
        assert asked is question
        return given

    return asyncio.run(judge_question(question, ask, roots={"handbook": root}))


def test_right_answer_has_no_problems(root: Path) -> None:
    verdict = judge(ASKED, reply("rag", cited("500 rows.", "Limits"), answer="500 rows."), root)
    assert (verdict.problems, verdict.n_citations, verdict.n_verified) == ((), 1, 1)


def test_fact_may_stand_in_the_quote(root: Path) -> None:
    given = reply("rag", cited("500\nrows", "Limits", file="b.md"), answer="Five hundred.")
    assert judge(ASKED, given, root).problems == ()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (reply("no_answer"), "mode no_answer instead of rag"),
        (reply("rag", cited("rows", "Limits")), "the answer lacks '500 rows'"),
        (reply("rag", cited("500 rows", file="c.md")), "cites c.md instead of a.md or b.md"),
        (
            reply("rag", cited("500 rows", "Other")),
            "cites under ['Other'], not the expected heading",
        ),
        (
            reply("rag", cited("600 rows", "Limits"), answer="500 rows"),
            "does not stand under Limits",
        ),
        (
            reply("rag", cited("500 rows", "Limits") | {"source_name": "gone"}),
            "there is no source gone",
        ),
    ],
)
def test_what_is_wrong_is_said(root: Path, given: dict[str, Any], problem: str) -> None:
    (said,) = judge(ASKED, given, root).problems
    assert problem in said


def test_page_must_be_an_expected_one(root: Path) -> None:
    question = Question("q", "en", "?", "rag", expected_sources=("a.md",), expected_pages=(2, 3))
    given = reply("rag", cited("500 rows", "Limits"))
    assert judge(question, given, root).problems == ("cites page None, not (2, 3)",)


def test_abstention_is_right_where_it_is_expected(root: Path) -> None:
    assert judge(UNKNOWN, reply("no_answer"), root).problems == ()
    wrong = judge(UNKNOWN, reply("rag", cited("500 rows", "Limits")), root)
    assert wrong.problems == ("mode rag instead of no_answer",)


def test_tally_counts_what_was_right_of_each_kind(root: Path) -> None:
    right = judge(ASKED, reply("rag", cited("500 rows", "Limits")), root)
    wrong = judge(ASKED, reply("rag", cited("600 rows", "Limits"), answer="500 rows"), root)
    abstained = judge(UNKNOWN, reply("no_answer"), root)
    tally = tally_verdicts([right, wrong, abstained])
    assert (tally.answered, tally.abstained, tally.citations) == ((1, 2), (1, 1), (1, 2))
    assert tally.line == "answered 1/2, abstained 1/1, citations verified 1/2"
    assert not tally.is_perfect
    assert tally_verdicts([right, abstained]).is_perfect


class TestFiles:
    def test_questions_about_the_samples_are_valid(self) -> None:
        questions = load_questions(questions_path())
        assert len({question.id for question in questions}) == len(questions)
        assert {"rag", "no_answer"} <= {question.expected_mode for question in questions}
        answerable = [question for question in questions if question.expected_mode == "rag"]
        assert [question.id for question in answerable if not question.expected_sources] == []

    def test_entries_are_read(self, tmp_path: Path) -> None:
        path = tmp_path / "q.yaml"
        path.write_text(
            "- id: a\n  lang: zh\n  question: 谁?\n  expected_mode: no_answer\n  tags: [key]\n",
            encoding="utf-8",
        )
        assert load_questions(path) == [Question("a", "zh", "谁?", "no_answer", tags=("key",))]

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"- id: [", "cannot be read"),
            (b"\xff\xfe", "cannot be read"),
            (b"", "is not valid"),
            (b"- id: a\n  question: Who?\n", "is not valid"),
            (b"- {id: a, lang: en, question: Who, expected_mode: rga}", "is not valid"),
        ],
    )
    def test_file_that_is_not_valid_is_named(
        self, tmp_path: Path, content: bytes, said: str
    ) -> None:
        path = tmp_path / "q.yaml"
        path.write_bytes(content)
        with pytest.raises(UsageError, match=rf"q\.yaml {said}"):
            load_questions(path)

    def test_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"no\.yaml cannot be read"):
            load_questions(tmp_path / "no.yaml")
