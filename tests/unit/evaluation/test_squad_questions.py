from __future__ import annotations

import pytest

from citewell.evaluation.datasets import SquadArticle, SquadParagraph, SquadQuestion
from citewell.evaluation.questions import Question
from citewell.evaluation.squad_questions import (
    Half,
    Sampling,
    paragraph_documents,
    sample_questions,
    squad_questions,
)


def article(title: str, *paragraphs: str) -> SquadArticle:
    return SquadArticle(
        title,
        tuple(
            SquadParagraph(
                text,
                (
                    SquadQuestion(f"{text}-yes", f"{text}?", (text, f"the {text}")),
                    SquadQuestion(f"{text}-no", f"No {text}?", ()),
                ),
            )
            for text in paragraphs
        ),
    )


ARTICLES = [
    article("Steam_engine", "boiler", "piston"),
    article("Ürün/..: 1973_oil", "barrel"),
    article("Steam_engine", "valve"),
    article("???", "mark"),
]
QUESTIONS = squad_questions(ARTICLES, corpus="set")


def ids(*args: object, half: Half = "all") -> list[str]:
    seed, answerable, unanswerable = args
    sampling = Sampling(int(str(seed)), answerable, unanswerable, half)  # type: ignore[arg-type]
    return [question.id for question in sample_questions(QUESTIONS, sampling)]


def test_each_paragraph_is_a_document_in_the_folder_of_its_article() -> None:
    assert paragraph_documents(ARTICLES) == {
        "001 Steam engine/Steam engine 001.txt": "boiler",
        "001 Steam engine/Steam engine 002.txt": "piston",
        "002 Ürün 1973 oil/Ürün 1973 oil 001.txt": "barrel",
        "003 Steam engine/Steam engine 001.txt": "valve",
        "004 Untitled/Untitled 001.txt": "mark",
    }


def test_question_expects_its_paragraph_and_any_of_its_answers() -> None:
    assert QUESTIONS[2:4] == [
        Question(
            "piston-yes",
            "und",
            "piston?",
            "rag",
            expected_sources=("001 Steam engine/Steam engine 002.txt",),
            answers=("piston", "the piston"),
            corpus="set",
            tags=("article:1",),
        ),
        Question("piston-no", "und", "No piston?", "no_answer", corpus="set", tags=("article:1",)),
    ]


def test_sample_has_as_many_of_each_kind_as_wanted() -> None:
    drawn = ids(1, 3, 2)
    assert [name.endswith("-yes") for name in drawn] == [True, True, True, False, False]
    assert len(set(drawn)) == 5
    assert ids(1, 0, 99) == ids(1, 0, None)
    assert sorted(ids(1, 0, None)) == sorted(q.id for q in QUESTIONS if not q.is_answerable)


def test_same_seed_draws_the_same() -> None:
    assert ids(7, 3, 3) == ids(7, 3, 3)
    assert len({tuple(ids(seed, 3, 3)) for seed in range(20)}) > 1


def test_all_questions_stay_in_their_order() -> None:
    assert ids(1, None, None) == [question.id for question in QUESTIONS]


@pytest.mark.parametrize(
    ("half", "answers"), [("odd", {"boiler", "piston", "valve"}), ("even", {"barrel", "mark"})]
)
def test_halves_share_no_article(half: Half, answers: set[str]) -> None:
    assert {name.split("-")[0] for name in ids(1, None, None, half=half)} == answers
