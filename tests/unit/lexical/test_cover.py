from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.domain.chunk import SparseVector
from citewell.lexical.analyze import hash_term
from citewell.lexical.cover import Coverage, cover_question, read_passage
from citewell.lexical.weigh import weigh_query


def _query(**weights: float) -> SparseVector:
    terms = sorted((hash_term(word), weight) for word, weight in weights.items())
    return SparseVector(tuple(i for i, _ in terms), tuple(w for _, w in terms))


def test_passage_adds_up_what_sentences_hold_apart():
    query = _query(cat=2.0, dog=1.0, cow=1.0)
    assert cover_question(query, read_passage("A cat sat. The dog ran.\nNo more.")) == Coverage(
        0.75, 0.5
    )


def test_title_and_headings_hold_for_each_sentence():
    query = _query(cat=2.0, dog=1.0, cow=1.0)
    coverage = cover_question(query, read_passage("A dog sat. The cow ran.", context="Cat"))
    assert coverage == Coverage(1.0, 0.75)


def test_chinese_sentences_are_told_apart():
    query = weigh_query("猫狗", {}, 1)
    apart = cover_question(query, read_passage("有猫。有狗。"))
    together = cover_question(query, read_passage("有猫狗。"))
    assert apart.sentence < apart.passage < together.sentence == 1.0


@pytest.mark.parametrize("text", ["", "nothing of it"])
def test_what_holds_nothing_covers_nothing(text: str):
    assert cover_question(_query(cat=2.0), read_passage(text)) == Coverage(0.0, 0.0)


def test_question_without_terms_is_not_covered():
    assert cover_question(SparseVector((), ()), read_passage("cat")) == Coverage(0.0, 0.0)


@given(st.text(), st.text())
def test_a_sentence_never_covers_more_than_its_passage(question: str, text: str):
    coverage = cover_question(weigh_query(question, {}, 1), read_passage(text))
    assert 0 <= coverage.sentence <= coverage.passage + 1e-9 <= 1 + 2e-9
