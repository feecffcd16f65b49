from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.ingestion.embedder_tokens import count_by_words
from citewell.ingestion.tokens import count_tokens, is_seam


@pytest.mark.parametrize(
    ("text", "n_tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("导出上限", 4),
        ("<|endoftext|>", 7),
        ("a\ud800b", 3),
        ("a" * 1000, 125),
    ],
)
def test_tokens_are_those_of_cl100k_base(text: str, n_tokens: int) -> None:
    assert count_tokens(text) == n_tokens


@given(st.text(alphabet="ab1,.'’ \n\t\u3000中é\U0001f600#-_", max_size=60), st.data())
def test_counts_add_up_at_seams(text: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(text)))
    if is_seam(text, position):
        parts = count_tokens(text[:position]) + count_tokens(text[position:])
        assert parts == count_tokens(text)


def test_a_line_start_and_a_single_space_are_seams() -> None:
    text = "one two  three\nfour\n five"
    assert [i for i in range(1, len(text)) if is_seam(text, i)] == [3, 15]


class WordPieces:
    """Three added tokens, and one per four characters of a word; counts how often it is asked."""

    def __init__(self) -> None:
        self.n_calls = 0

    def __call__(self, text: str) -> int:
        self.n_calls += 1
        return 3 + sum(-(-len(word) // 4) for word in text.split())


@given(st.text(max_size=80))
def test_counting_by_words_gives_the_same_number(text: str) -> None:
    count = WordPieces()
    assert count_by_words(count)(text) == count(text)


def test_a_word_is_counted_once() -> None:
    count = WordPieces()
    count_words = count_by_words(count)
    n_calls = count.n_calls
    assert count_words("alpha beta alpha " * 50) == 3 + 50 * 5
    assert count.n_calls == n_calls + 2


def test_data_in_letters_is_estimated_from_above() -> None:
    count = WordPieces()
    count_words = count_by_words(count)
    n_calls = count.n_calls
    data = "0123456789abcdef" * 100
    assert count_words(data) > 1600
    assert count.n_calls == n_calls


def test_a_line_of_dashes_is_counted() -> None:
    assert count_by_words(WordPieces())("-" * 1600) == 3 + 400
