from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.embedders.clean import clean_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("page\0engineer", "page engineer"),
        ("a\ud800b\udfffc", "a\ufffdb\ufffdc"),
        ("größer 客户 👩‍👧", "größer 客户 👩‍👧"),
        ("", ""),
    ],
)
def test_only_nul_and_lone_surrogates_are_replaced(text: str, expected: str) -> None:
    assert clean_text(text) == expected


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_any_string_becomes_utf_8_of_the_same_length(text: str) -> None:
    cleaned = clean_text(text)
    assert "\0" not in cleaned
    assert len(cleaned.encode("utf-8").decode("utf-8")) == len(text)
