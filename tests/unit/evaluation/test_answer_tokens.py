from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.evaluation.answer_tokens import answer_tokens, numbers_of


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The Norman Conquest!", ["norman", "conquest"]),
        ("It is 3. [1][2]", ["it", "is", "3"]),
        ("so they say [1, 3].", ["so", "they", "say"]),
        ("１２ Ｋm", ["12", "km"]),
        ("3 天", ["3", "天"]),
        ("首席财务官", ["首", "席", "财", "务", "官"]),
        ("3,000", ["3000"]),
        ("3\u202f000", ["3000"]),
        ("3'000", ["3000"]),
        ("1.234.567,5", ["1234567.5"]),
        ("1,234,567.50", ["1234567.5"]),
        ("three thousand", ["3000"]),
        ("3,000 万元", ["30000000", "元"]),
        ("1.2亿", ["120000000"]),
        ("三百", ["300"]),
        ("$12 million", ["$", "12000000"]),
        ("99.95 %", ["99.95", "%"]),
        ("50 percent", ["50", "%"]),
        ("50 per cent", ["50", "%"]),
        ("25th", ["25"]),
        ("60-minute", ["60", "minute"]),
        ("10th-century", ["10", "century"]),
        ("1990s", ["1990s"]),
        ("12km", ["12", "km"]),
        ("ATL-4102", ["atl", "4102"]),
        ("P1", ["p1"]),
        ("2/3", ["2", "3"]),
        ("", []),
        ("...", []),
    ],
)
def test_tokens_are_words_and_numbers_written_one_way(text: str, tokens: list[str]) -> None:
    assert answer_tokens(text) == tokens


def test_numbers_are_the_tokens_with_a_value() -> None:
    assert numbers_of(answer_tokens("p1 in 1990s: 3,000 of 12 %")) == {"1990s", "3000", "12"}


@given(st.text())
def test_any_text_has_tokens(text: str) -> None:
    assert "" not in answer_tokens(text)


@given(st.integers(0, 10**12))
def test_a_number_is_the_same_with_groups_and_without(number: int) -> None:
    assert answer_tokens(f"{number:,}") == answer_tokens(str(number)) == [str(number)]
