from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.lexical.stems import fold_text, fold_word


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("", " "),
        ("A cat, the Dog!", " a cat the dog "),
        ("snake_case e-mail", " snake case e mail "),
        ("Ihlamur ILIK ılık", " ihlamur ilik ilik "),
        ("Élan, Łódź; Œuvre", " elan lodz oeuvre "),
        ("ещё йод", " еще йод "),
        ("中国，北京", " 中国 北京 "),
        ("सीमा क्या है", " सीमा क्या है "),
    ],
)
def test_words_of_a_text_are_folded_and_set_apart(text: str, folded: str):
    assert fold_text(text) == folded


@given(st.from_regex(r"[a-zA-Zäöüßéçğışа-яА-Яё]{1,12}", fullmatch=True))
def test_word_in_a_text_is_folded_as_it_is_alone(word: str):
    assert fold_text(word) == f" {fold_word(word)} "


@given(st.text())
def test_folded_text_starts_and_ends_with_one_space(text: str):
    folded = fold_text(text)
    assert folded == " " or (folded[0] == folded[-1] == " " and "  " not in folded)
