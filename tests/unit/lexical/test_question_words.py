from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.lexical.question_words import drop_question_words


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
