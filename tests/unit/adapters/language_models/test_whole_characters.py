from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.language_models.whole_characters import WholeCharacters


def joined(pieces: list[str]) -> list[str]:
    characters = WholeCharacters()
    return [*(characters.feed(piece) for piece in pieces), characters.finish()]


def test_halves_of_a_character_are_joined() -> None:
    assert joined(["a\ud83d", "\ude00b"]) == ["a", "😀b", ""]


def test_a_half_without_its_other_is_replaced() -> None:
    assert joined(["a\ud83d", "b"]) == ["a", "\ufffdb", ""]
    assert joined(["a\ude00b"]) == ["a\ufffdb", ""]
    assert joined(["a\ud83d"]) == ["a", "\ufffd"]
    assert joined(["\ud83d", "", "\ude00"]) == ["", "", "😀", ""]


@given(st.lists(st.text(st.characters(exclude_categories=()))))
def test_what_comes_out_is_whole(pieces: list[str]) -> None:
    for text in joined(pieces):
        assert text.encode().decode() == text


@given(st.lists(st.text()))
def test_whole_text_passes_as_it_is(pieces: list[str]) -> None:
    assert joined(pieces) == [*pieces, ""]
