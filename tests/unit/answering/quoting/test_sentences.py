"""Where sentences end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.answering.quoting.sentences import MAX_SENTENCE, cut_at_clauses, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["Dr. Smith paid $3.50 on Jan. 5.", "He left at 5 p.m. today.", "It is v2.1.3."],
        ["Acme Inc. was founded in the U.S. in 1990.", "See Fig. 3 for details."],
        ["The work of J. R. Miller is known.", "It is read."],
        ["Am 3. Oktober 1990 war es.", "Die 2. Auflage ist z. B. am 5. Mai erschienen."],
        ["Er kam z.B. am 1. Januar an.", "Das ist der 3. Versuch."],
        ["3. Murat bir padişahtı ve 1595'te öldü.", "Bu bir cümledir."],
        ["Это было в 1990 г. в Москве.", "Он, т.е. Иванов И. И., пришёл."],
        ["Il est né en 1990.", "C'est le 3 mai."],
        ["यह पहला वाक्य है।", "यह दूसरा है।"],
        ["هل هذا أول؟", "نعم هذا ثان."],
    ],
)
def test_spaced_scripts(expected: list[str]):
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["这是第一句。", "价格是3.5元！", "真的吗？"],
        ["他说：“可以。”", "她同意了。"],
        ["これは一つ目です。", "「引用です。」", "三つ目です。"],
    ],
)
def test_scripts_without_spaces(expected: list[str]):
    assert sentences("".join(expected)) == expected


def test_line_breaks_inside_a_sentence_do_not_end_it():
    assert sentences("The service was\nstarted in the year\n2020. It ended\nlater.") == [
        "The service was\nstarted in the year\n2020.",
        "It ended\nlater.",
    ]


def test_characters_outside_the_basic_plane_do_not_shift_positions():
    assert sentences("😀 One é. Two 😀 ü. Three.") == ["😀 One é.", "Two 😀 ü.", "Three."]


def test_thai_without_marks_is_cut_at_spaces_when_it_is_long():
    text = " ".join(["ประโยคนี้ยาวมากและไม่มีเครื่องหมาย"] * 40)
    pieces = sentences(text)
    assert " ".join(pieces) == text
    assert max(len(piece) for piece in pieces) <= MAX_SENTENCE


def test_clauses_are_cut_at_the_last_semicolon_rather_than_at_a_comma():
    text = "one two three; four, five six"
    assert [text[a:b] for a, b in cut_at_clauses(text, (0, len(text)), max_length=22)] == [
        "one two three;",
        "four, five six",
    ]


def test_a_word_without_a_border_is_cut_where_it_must():
    assert cut_at_clauses("abcdefghij", (0, 10), max_length=4) == [(0, 4), (4, 8), (8, 10)]


@given(st.text(max_size=300), st.integers(3, 50))
def test_pieces_are_trimmed_and_hold_every_character(text: str, max_length: int):
    spans = cut_at_clauses(text, (0, len(text)), max_length=max_length)
    assert all(text[a:b] and text[a:b] == text[a:b].strip() for a, b in spans)
    assert [b - a for a, b in spans if b - a > max_length] == []
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())


@given(
    st.lists(st.sampled_from(["Dr.", "3.", "a.", "Word", "z.B.", "?!", "。", "你好", "\n", "I."]))
)
def test_sentences_hold_every_character(words: list[str]):
    text = " ".join(words)
    assert "".join("".join(sentence.split()) for sentence in sentences(text)) == "".join(
        text.split()
    )
