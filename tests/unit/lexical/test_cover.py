from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.domain.chunk import SparseVector
from citewell.lexical.analyze import hash_term
from citewell.lexical.cover import Coverage, cover_question, read_passage, read_question
from citewell.lexical.weigh import weigh_query


def _query(**weights: float) -> SparseVector:
    terms = sorted((hash_term(word), weight) for word, weight in weights.items())
    return SparseVector(tuple(i for i, _ in terms), tuple(w for _, w in terms))


def _cover(question: str, text: str, *, context: str = "") -> Coverage:
    words = read_question(question, weigh_query(question, {}, 1))
    return cover_question(words, read_passage(text, context=context))


CATTLE = read_question("cat dog cow", _query(cat=2.0, dog=1.0, cow=1.0))


def test_passage_adds_up_what_sentences_hold_apart():
    passage = read_passage("A cat sat. The dog ran.\nNo more.")
    assert cover_question(CATTLE, passage) == Coverage(0.75, 0.5)


def test_title_and_headings_hold_for_each_sentence():
    passage = read_passage("A dog sat. The cow ran.", context="Cat")
    assert cover_question(CATTLE, passage) == Coverage(1.0, 0.75)


def test_chinese_sentences_are_told_apart():
    apart = _cover("猫狗", "有猫。有狗。")
    together = _cover("猫狗", "有猫狗。")
    assert apart.sentence < apart.passage < together.sentence == 1.0


def test_numbers_and_names_between_chinese_characters_are_words():
    assert _cover("NASA 2010", "在2010年，NASA的").sentence == 1.0
    assert _cover("2010", "在20105年").sentence < 1.0


@pytest.mark.parametrize("text", ["", "nothing of it"])
def test_what_holds_nothing_covers_nothing(text: str):
    assert cover_question(CATTLE, read_passage(text)) == Coverage(0.0, 0.0)


def test_question_without_terms_is_not_covered():
    assert cover_question((), read_passage("cat")) == Coverage(0.0, 0.0)


def test_words_that_ask_and_words_without_weight_are_not_looked_for():
    assert read_question("who is it?", _query(cat=2.0)) == ()
    assert [w.weight for w in read_question("who saw the cat?", _query(cat=2.0))] == [2.0]


def test_word_is_looked_for_once_by_the_weight_of_its_rarest_term():
    (word,) = read_question("limits, limits", _query(limit=3.0, limi=1.0))
    assert word.weight == 3.0
    assert word.pieces == (" lim", "limi", "imit", "mits", "its ")


def test_half_counts_what_is_found_from_the_start_of_a_word():
    start = _cover("abcdefgh", "abcdwxyz")
    middle = _cover("abcdefgh", "wxefghyz")
    assert start.passage == pytest.approx((2 / 7 + 2 / 7) / 2)
    assert middle.passage == pytest.approx((1 / 7 + 0) / 2)


@pytest.mark.parametrize(
    ("question", "inflected", "other"),
    [
        ("protestanlığı", "protestanların", "proteinlerin"),
        ("kütüphanelerde", "kütüphanesi", "küçültmeler"),
        ("Versicherung", "Krankenversicherung", "Verschickung"),
        ("библиотеках", "библиотекой", "библейских"),
    ],
)
def test_inflections_and_compounds_count_for_most_of_a_word(
    question: str, inflected: str, other: str
):
    close, far = _cover(question, f"x {inflected} y"), _cover(question, f"x {other} y")
    assert far.sentence < close.sentence < 1.0


def test_case_accents_and_joining_do_not_matter():
    assert _cover("İstanbul café e-mail", "ISTANBUL CAFE e mail").sentence == 1.0


@given(st.text(), st.text())
def test_a_sentence_never_covers_more_than_its_passage(question: str, text: str):
    coverage = _cover(question, text)
    assert 0 <= coverage.sentence <= coverage.passage + 1e-9 <= 1 + 2e-9


@given(st.text("abAZ éßıİœ ЖйЁ 0195 -_.+# 中国猫 กขเ ကခ 가나 ابت सीमा"))
def test_a_question_covers_itself(question: str):
    words = read_question(question, weigh_query(question, {}, 1))
    passage = read_passage(question.replace("\n", " "))
    assert cover_question(words, passage).passage == pytest.approx(1.0 if words else 0.0)
