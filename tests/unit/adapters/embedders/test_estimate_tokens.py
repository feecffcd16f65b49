from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.embedders.estimate_tokens import cut_to_tokens, estimate_tokens
from citewell.ingestion.tokens import count_tokens

# The vocabulary is read by a call that Python has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:open_binary is deprecated:DeprecationWarning")

NATURAL = [
    "Data exports are limited to 50,000 rows per day; ask support (ext. 4711) for more.",
    "Müşteri verileri dışarıya gönderilmez; ihlaller güvenlik ekibine bildirilir.",
    "Экспорт ограничен: не более 50 000 строк в день.",
    "| limit | value |\n|---|---|\n| rows | 50000 |\n| files | 12 |",
    "def find(x):\n    return [y for y in x if y.id == 'ERR_4711']",
]


@pytest.mark.parametrize("text", NATURAL)
def test_natural_text_is_not_estimated_too_short(text: str) -> None:
    n_tokens = count_tokens(text)
    assert estimate_tokens(text) >= n_tokens + 2


def test_an_estimate_of_english_is_not_twice_too_long() -> None:
    text = NATURAL[0]
    n_tokens = count_tokens(text)
    assert estimate_tokens(text) < 2 * n_tokens


def test_a_chinese_character_is_a_token() -> None:
    assert estimate_tokens("客户数据，上限") == 9


@given(st.text(max_size=100), st.integers(2, 60))
def test_a_cut_text_is_the_longest_beginning_that_fits(text: str, max_tokens: int) -> None:
    cut = cut_to_tokens(text, max_tokens)
    assert text.startswith(cut)
    assert estimate_tokens(cut) <= max_tokens
    assert cut == text or estimate_tokens(text) > max_tokens
