"""Dates and times in their usual forms."""

from __future__ import annotations

import pytest

from citewell.answering.verification.dates import Date, find_dates, find_times, find_weekdays


@pytest.mark.parametrize(
    "text",
    [
        "on 1 March 2026.",
        "March 1, 2026",
        "the 1st of March 2026",
        "2026-03-01",
        "am 01.03.2026",
        "am 1. März 2026",
        "1 Mart 2026'da",
        "2026年3月1日",
        "le 1 mars 2026",
        "1 de marzo de 2026",
        "1 марта 2026",
    ],
)
def test_one_date_in_many_forms(text: str):
    assert [mention.readings for mention in find_dates(text)] == [(Date(2026, 3, 1),)]


def test_a_date_with_slashes_has_two_readings():
    (mention,) = find_dates("03/04/2026")
    assert mention.readings == (Date(2026, 4, 3), Date(2026, 3, 4))


def test_parts_of_dates():
    assert [m.readings[0] for m in find_dates("in May 2020, in March and on 4 July")] == [
        Date(2020, 5, None),
        Date(None, 3, None),
        Date(None, 7, 4),
    ]


@pytest.mark.parametrize(
    "month", ["MAYIS", "mayıs", "Kas\u0131m", "KASIM", "HAZİRAN", "auguſt", "ЯНВАРЯ"]
)
def test_the_name_of_a_month_in_any_case(month: str):
    found = [mention.readings for mention in find_dates(f"5 {month} 2026")]
    numbers = {"m": 5, "k": 11, "h": 6, "a": 8, "я": 1}
    assert found == [(Date(2026, numbers[month[0].casefold()], 5),)]


def test_words_that_look_like_months_are_none():
    assert find_dates("They may march in a mar. Marchers") == []


@pytest.mark.parametrize(
    "text", ["14:30", "2:30 pm", "2.30 p.m.", "14.30 Uhr", "下午2点30分", "下午2点半"]
)
def test_one_time_in_many_forms(text: str):
    assert [mention.minutes for mention in find_times(text)] == [14 * 60 + 30]


@pytest.mark.parametrize("text", ["1 MAYIS 2026", "1 mayis 2026", "1 Mayıs 2026"])
def test_a_month_without_its_dots(text: str):
    assert [mention.readings for mention in find_dates(text)] == [(Date(2026, 5, 1),)]


def test_days_of_the_week():
    assert find_weekdays("Mondays, dienstags, Cuma, 星期日") == {1, 2, 5, 7}
