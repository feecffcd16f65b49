from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.evaluation.correctness import (
    best_f1,
    contains_fact,
    is_exact,
    is_right,
    says_fact,
    token_f1,
)


def test_f1_is_that_of_squad() -> None:
    assert token_f1("the Battle of Hastings", "battle of Hastings") == 1.0
    assert token_f1("in 1066 at Hastings", "Hastings") == pytest.approx(0.4)
    assert token_f1("1066", "1067") == 0.0
    assert token_f1("", "1066") == 0.0
    assert token_f1("首席执行官", "首席财务官") == pytest.approx(0.6)


def test_f1_counts_a_repeated_word_as_often_as_both_have_it() -> None:
    assert token_f1("no no no", "no") == pytest.approx(0.5)


def test_best_of_several_right_answers_counts() -> None:
    assert best_f1("Rollo of Normandy", ["Rollo", "Rollo of Normandy"]) == 1.0
    assert best_f1("Rollo", []) == 0.0
    assert is_exact("The Rollo.", ["William", "Rollo"])
    assert not is_exact("Duke Rollo", ["Rollo"])


@pytest.mark.parametrize(
    ("answer", "fact"),
    [
        ("It was lit on June 30, 2026, at dusk.", "30 June 2026"),
        ("They came from the late 1990s on.", "in the late 1990s"),
        ("About three thousand people died.", "3,000"),
        ("The limit is 50000 rows.", "50,000"),
        ("The Congress of the United States decides.", "United States Congress"),
        ("费用为 1200元。", "1,200 元"),
        ("By whom it was", "by"),
        ("anything", "?"),
    ],
)
def test_fact_is_found_in_a_sentence(answer: str, fact: str) -> None:
    assert contains_fact(answer, fact)


@pytest.mark.parametrize(
    ("answer", "fact"),
    [
        ("It was lit on June 3, 2026.", "30 June 2026"),
        ("About 13,000 people died.", "3,000"),
        ("Mary Stuart met John, who was a far cousin of Miller.", "John Miller"),
        ("The category is art.", "cat"),
        ("", "1066"),
    ],
)
def test_other_fact_is_not_found(answer: str, fact: str) -> None:
    assert not contains_fact(answer, fact)


@pytest.mark.parametrize(
    ("answer", "rights"),
    [
        ("Comnena", ["Anna Comnena"]),
        ("It was William the Silent who led it.", ["Pierre", "William the Silent"]),
        (
            "The Norman language had a major influence on English, Irish and Breton.",
            ["the language had major influence on English, Irish"],
        ),
        ("I think so.\nAnna Comnena", ["Anna Comnena"]),
    ],
)
def test_right_answer_may_be_short_or_a_sentence(answer: str, rights: list[str]) -> None:
    assert is_right(answer, rights)


@pytest.mark.parametrize(
    ("answer", "rights"),
    [
        ("about 13 million people", ["about 12 million people"]),
        ("3,000 to 7,000", ["Nearly 3,000"]),
        ("John Miller", ["John Smith Junior"]),
        ("", ["1066"]),
        ("anything", []),
    ],
)
def test_near_answer_with_another_number_or_name_is_not_right(
    answer: str, rights: list[str]
) -> None:
    assert not is_right(answer, rights)


class TestFactsOfDocuments:
    def test_answer_may_say_it_in_its_own_words(self) -> None:
        quote = "1. Acknowledge the alert in Beacon."
        assert says_fact(
            "The engineer acknowledges it in Beacon.", [quote], "Acknowledge the alert"
        )
        assert not says_fact("The engineer sleeps.", [quote], "Acknowledge the alert")
        assert not says_fact("The engineer acknowledges it.", [], "Acknowledge the alert")

    def test_answer_in_another_language_needs_the_numbers_only(self) -> None:
        quote = "员工每周可远程办公 3 天。"
        assert says_fact("Three days a week.", [quote], "3 天")
        assert not says_fact("Two days a week.", [quote], "3 天")
        assert not says_fact("Three days a week.", ["每周 2 天"], "3 天")
        assert says_fact("The chief financial officer.", ["由首席财务官审批"], "首席财务官")


@given(st.text(max_size=40), st.text(max_size=40))
def test_what_contains_a_text_is_found_to(before: str, after: str) -> None:
    assert contains_fact(f"{before} \n Anna Comnena \n {after}", "Anna Comnena")


@given(st.text(max_size=40), st.text(max_size=40))
def test_f1_lies_between_zero_and_one_and_is_symmetric(one: str, other: str) -> None:
    assert 0 <= token_f1(one, other) <= 1
    assert token_f1(one, other) == pytest.approx(token_f1(other, one))
