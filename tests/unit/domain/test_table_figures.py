from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.domain.table_figures import leave_out_table_figures

ROWS = st.text("ab é中 19,20.%$()-|\n\t")


@pytest.mark.parametrize(
    ("row", "left"),
    [
        ("Total revenue 17,606 15,785 12,868", "Total revenue"),
        ("Product $ 35 $ 41 $ (36)", "Product"),
        ("Interest expense (35) — 25%", "Interest expense"),
        ("Other, net 2.9% 2.9 - 2.7*", "Other, net"),
        ("Services 5 % 5 % (2.5)% N/A", "Services"),
        ("| Net sales | 118,573 | 94,665 |", "| Net sales"),
        ("Net sales\t118.573\t94.665  ", "Net sales"),
        ("Year ended December 31, 2015 2016 2017", "Year ended December 2015 2016 2017"),
        ("2016 2017", "2016 2017"),
        ("2016 2017 12 13", "2016 2017"),
        ("Gewinn 12 300 14 500", "Gewinn"),
    ],
)
def test_figures_at_the_end_of_a_row_are_left_out_but_years(row: str, left: str):
    assert (
        leave_out_table_figures(f"Sales by year\n{row}\nNotes") == f"Sales by year\n{left}\nNotes"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sales rose to $ 17,606",
        "as of January 28, 2023 and January 29, 2022, and the results",
        "население города — 10 000",
        "call 112 or 110 at any time",
        "between 10 and 20",
        "ends with a dash -",
        "## 1.2",
    ],
)
def test_prose_and_lone_numbers_stay(text: str):
    assert leave_out_table_figures(text) == text


@pytest.mark.parametrize("text", ["1 2 3", "| 1 | 2 |\n| 3 | 4 |"])
def test_text_of_nothing_but_figures_stays(text: str):
    assert leave_out_table_figures(text) == text


@given(ROWS)
def test_no_word_and_no_line_is_lost(text: str):
    thinned = leave_out_table_figures(text)
    assert [c for c in thinned if c.isalpha()] == [c for c in text if c.isalpha()]
    assert thinned.count("\n") == text.count("\n")
