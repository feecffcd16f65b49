from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.lexical.question_words import asks_for_something, drop_question_words


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("Which limits does the export have?", ["limits", "the", "export", "have?"]),
        ("What's the limit?", ["the", "limit?"]),
        ("Wo liegt die Grenze?", ["liegt", "die", "Grenze?"]),
        ("Sınır nedir?", ["Sınır"]),
        ("Какой предел?", ["предел?"]),
        ("导出限制是什么？", ["导出限制是", "？"]),
        ("¿Cuál es el límite?", ["es", "el", "límite?"]),
        ("क्या सीमा है?", ["सीमा", "है?"]),
        ("ما هو الحد؟", ["هو", "الحد؟"]),
        ("How-to guide", ["How-to", "guide"]),
    ],
)
def test_words_that_ask_are_left_out(question: str, rest: list[str]):
    assert drop_question_words(question).split() == rest


@pytest.mark.parametrize(
    "question", ["WHO guidelines", "offices of Kim Smith", "任何限制", "limits"]
)
def test_names_and_other_words_stay(question: str):
    assert drop_question_words(question) == question


@pytest.mark.parametrize("question", ["what?", "什么？", "who is", "", "?!"])
def test_question_of_nothing_else_stays_as_it_is(question: str):
    assert drop_question_words(question) == question


@given(st.text())
def test_nothing_is_added(question: str):
    assert len(drop_question_words(question)) <= len(question)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much does it cost?", True),
        ("Wer genehmigt den Urlaub?", True),
        ("多少钱？", True),
        ("Does it cost money?", False),
        ("İzin ücretli mi?", False),
        ("是否收费？", False),
        ("Which is older, Oslo or Rome?", False),
        ("Which of Oslo and Rome is older?", False),
        ("哪个城市更古老？", False),
        ("price list", False),
    ],
)
def test_what_an_answer_must_add_is_told_from_what_it_may_choose(question: str, expected: bool):
    assert asks_for_something(question) == expected
