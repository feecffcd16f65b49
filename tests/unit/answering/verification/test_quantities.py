"""Numbers with their scale, sign and unit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.answering.verification.facts import read_facts
from citewell.answering.verification.number_words import read_chinese


def numbers(text: str, language: str | None = None) -> list[tuple[float, str | None]]:
    """Return the likeliest value of each number with what its unit measures."""
    return [
        (q.value, q.measure.dimension if q.measure else None)
        for q in read_facts(text, language).quantities
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs EUR 1,200.50 now", [(1200.5, "EUR")]),
        ("worth $5bn or 5 million pounds", [(5e9, "USD"), (5e6, "gram")]),
        ("30 % and 30 percent", [(30, "percent"), (30, "percent")]),
        ("at -5 °C", [(-5, "celsius")]),
        ("2½ hours", [(2.5, "second")]),
        ("between 5 and 10 GB", [(5, "byte"), (10, "byte")]),
        ("5-10 million users", [(5e6, None), (10e6, None)]),
        ("three hundred and five miles", [(305, "metre")]),
        ("one of twenty-one people", [(21, None)]),
        ("the 3rd and the twenty-first", [(3, None), (21, None)]),
        ("in the 1980s", [(1980, None)]),
        ("TLS 3.11.7 with ERR-4711", []),
    ],
)
def test_english_numbers(text: str, expected: list[tuple[float, str | None]]):
    assert numbers(text, "en") == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("kostet 1.200,5 Euro", "de", [(1200.5, "EUR")]),
        ("1.200 Tage", "de", [(1200, "second")]),
        ("einundzwanzig Tage, zweihundertfünfzig Meter", "de", [(21, "second"), (250, "metre")]),
        ("zwei Millionen Euro am dritten Ort", "de", [(2e6, "EUR"), (3, None)]),
        ("yüzde 30 ve %30", "tr", [(30, "percent"), (30, "percent")]),
        (
            "yirmi bir gün, iki bin kişi, 21 günlük",
            "tr",
            [(21, "second"), (2000, None), (21, "second")],
        ),
        ("1.2亿元", "han", [(1.2e8, "CNY")]),
        ("三百万美元和百分之三十", "han", [(3e6, "USD"), (30, "percent")]),
        ("两名员工在第三天", "han", [(2, None), (3, None)]),
        ("五千公里", "han", [(5000, "metre")]),
    ],
)
def test_numbers_of_other_languages(
    text: str, language: str, expected: list[tuple[float, str | None]]
):
    assert numbers(text, language) == expected


def test_a_number_with_one_point_has_two_readings_where_the_language_is_not_known():
    (quantity,) = read_facts("1.200").quantities
    assert quantity.values == (1200.0, 1.2)


@pytest.mark.parametrize(
    ("numeral", "value"),
    [("三百零五万", 3_050_000), ("二〇二六", 2026), ("十二", 12), ("一亿两千万", 120_000_000)],
)
def test_chinese_numerals(numeral: str, value: float):
    assert read_chinese(numeral) == value


@given(st.integers(0, 10**9))
def test_grouped_and_plain_digits_are_one_number(number: int):
    assert read_facts(f"{number:,} rows", "en").numbers == {float(number)}
    assert read_facts(f"{number} rows", "en").numbers == {float(number)}
