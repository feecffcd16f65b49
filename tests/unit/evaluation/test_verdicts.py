"""What became of a question."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from citewell.evaluation.questions import Question
from citewell.evaluation.verdicts import SentenceState, Verdict, judge_question, tally_verdicts

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
    return {"mode": mode, "answer": answer, "citations": [*citations], "sentences": []}


def cited(quote: str, *headings: str, file: str = "a.md") -> dict[str, Any]:
    return {
        "n": 1,
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


def test_fact_may_be_said_in_other_words_than_the_quote(root: Path) -> None:
    said = "Five hundred [1]; what goes beyond as many rows is cut."
    given = reply("rag", cited("500\nrows", "Limits", file="b.md"), answer=said)
    assert judge(ASKED, given, root).problems == ()
    given = reply("rag", cited("500\nrows", "Limits", file="b.md"), answer="Six hundred rows [1].")
    assert judge(ASKED, given, root).problems == ("the answer lacks '500 rows'",)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (reply("no_answer"), "mode no_answer instead of rag"),
        (reply("rag", cited("rows", "Limits")), "the answer lacks '500 rows'"),
        (
            reply("rag", cited("500 rows", file="c.md"), answer="500 rows"),
            "cites c.md instead of a.md or b.md",
        ),
        (
            reply("rag", cited("500 rows", "Other"), answer="500 rows"),
            "cites under ['Other'], not the expected heading",
        ),
        (
            reply("rag", cited("600 rows", "Limits"), answer="500 rows"),
            "does not stand under Limits",
        ),
        (
            reply("rag", cited("500 rows", "Limits") | {"source_name": "gone"}, answer="500 rows"),
            "there is no source gone",
        ),
    ],
)
def test_what_is_wrong_is_said(root: Path, given: dict[str, Any], problem: str) -> None:
    (said,) = judge(ASKED, given, root).problems
    assert problem in said


def test_page_must_be_an_expected_one(root: Path) -> None:
    question = Question("q", "en", "?", "rag", expected_sources=("a.md",), expected_pages=(2, 3))
    given = reply("rag", cited("500 rows", "Limits"), answer="500 rows")
    assert judge(question, given, root).problems == ("cites page None, not (2, 3)",)


def test_abstention_is_right_where_it_is_expected(root: Path) -> None:
    assert judge(UNKNOWN, reply("no_answer"), root).problems == ()
    wrong = judge(UNKNOWN, reply("rag", cited("500 rows", "Limits")), root)
    assert wrong.problems == ("mode rag instead of no_answer",)


def test_tally_counts_what_was_right_of_each_kind(root: Path) -> None:
    right = judge(ASKED, reply("rag", cited("500 rows", "Limits"), answer="500 rows"), root)
    wrong = judge(ASKED, reply("rag", cited("600 rows", "Limits"), answer="500 rows"), root)
    abstained = judge(UNKNOWN, reply("no_answer"), root)
    tally = tally_verdicts([right, wrong, abstained])
    assert (tally.answered, tally.abstained, tally.citations) == ((1, 2), (1, 1), (1, 2))
    assert tally.line == "answered 1/2, abstained 1/1, citations verified 1/2"
    assert not tally.is_perfect
    assert tally_verdicts([right, abstained]).is_perfect


class TestOutcome:
    """It looks at what is said alone: citations are measured apart."""

    @pytest.mark.parametrize(
        ("question", "given", "outcome"),
        [
            (ASKED, reply("rag", answer="500 rows."), "correct"),
            (ASKED, reply("rag", answer="600 rows."), "wrong"),
            (ASKED, reply("no_answer"), "abstained"),
            (ASKED, reply("refused", answer="Please rephrase."), "abstained"),
            (UNKNOWN, reply("no_answer"), "abstained"),
            (UNKNOWN, reply("rag", answer="Nobody."), "wrong"),
            (UNKNOWN, reply("fallback", answer="Nobody."), "wrong"),
            (
                Question("q", "en", "?", "rag", answers=("Rollo", "Duke Rollo of Normandy")),
                reply("rag", answer="It was Rollo [1]."),
                "correct",
            ),
            (
                Question("q", "en", "?", "rag", answers=("Rollo",)),
                reply("rag", answer="It was William [1]."),
                "wrong",
            ),
        ],
    )
    def test_is_what_a_reader_gets(
        self, root: Path, question: Question, given: dict[str, Any], outcome: str
    ) -> None:
        assert judge(question, given, root).outcome == outcome

    def test_number_of_a_marker_is_no_part_of_the_answer(self, root: Path) -> None:
        question = Question("q", "en", "?", "rag", answers=("2",))
        assert judge(question, reply("rag", answer="Many [2]."), root).outcome == "wrong"


class TestCitations:
    def test_one_of_another_document_supports_if_it_holds_the_answer(self, root: Path) -> None:
        given = reply(
            "rag",
            cited("500 rows", "Limits", file="c.md"),
            cited("Limits", "Limits", file="c.md"),
            cited("Limits", "Limits"),
            cited("600 rows", "Limits"),
            answer="500 rows",
        )
        verdict = judge(ASKED, given, root)
        assert (verdict.n_citations, verdict.n_verified, verdict.n_supporting) == (4, 3, 2)
        assert verdict.cites_expected

    def test_expected_document_must_be_cited_with_words_of_it(self, root: Path) -> None:
        verdict = judge(ASKED, reply("rag", cited("600 rows", "Limits"), answer="500 rows"), root)
        assert (verdict.n_supporting, verdict.cites_expected) == (0, False)

    def test_sentence_is_verified_by_one_citation_that_holds(self, root: Path) -> None:
        good, bad = cited("500 rows", "Limits"), cited("600 rows", "Limits") | {"n": 2}
        given = reply("rag", good, bad, answer="500 rows") | {
            "sentences": [
                {"text": "A.", "kind": "claim", "citations": [2, 1]},
                {"text": "B.", "kind": "claim", "citations": [2]},
                {"text": "C.", "kind": "notice", "citations": []},
            ]
        }
        assert judge(ASKED, given, root).sentences == (
            SentenceState("A.", "claim", ("600 rows", "500 rows"), is_verified=True),
            SentenceState("B.", "claim", ("600 rows",), is_verified=False),
            SentenceState("C.", "notice", (), is_verified=False),
        )

    def test_answer_without_one_is_told(self, root: Path) -> None:
        verdict = judge(ASKED, reply("rag", answer="500 rows"), root)
        assert verdict.problems == ("cites nothing instead of a.md or b.md",)
