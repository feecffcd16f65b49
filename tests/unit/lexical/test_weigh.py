from __future__ import annotations

import math
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.domain.chunk import SparseVector
from citewell.lexical.analyze import hash_term
from citewell.lexical.weigh import (
    AVERAGE_LENGTH,
    HEADING_WEIGHT,
    K1,
    MAX_POSTINGS,
    MAX_QUESTION_TERMS,
    TITLE_WEIGHT,
    B,
    inverse_document_frequency,
    question_terms,
    weigh_chunk,
    weigh_query,
)


def _dot(chunk: SparseVector, query: SparseVector) -> float:
    weights = dict(zip(query.indices, query.values, strict=True))
    return sum(v * weights.get(i, 0.0) for i, v in zip(chunk.indices, chunk.values, strict=True))


def _saturate(frequency: float, length: int) -> float:
    return frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / AVERAGE_LENGTH))


def test_dot_product_is_bm25():
    chunk = weigh_chunk("cat sat cat mat")
    frequencies = {hash_term("cat"): 2}
    query = weigh_query("cat", frequencies, 10)
    idf = math.log(1 + (10 - 2 + 0.5) / (2 + 0.5))
    assert _dot(chunk, query) == pytest.approx(idf * _saturate(2, 4))


def test_title_and_headings_add_to_the_frequency_before_saturation():
    chunk = weigh_chunk("cat sat", title="cat", heading_path=("cat", "mat"))
    assert dict(zip(chunk.indices, chunk.values, strict=True)) == {
        hash_term("cat"): pytest.approx(_saturate(1 + TITLE_WEIGHT, 2)),
        hash_term("sat"): pytest.approx(_saturate(1, 2)),
        hash_term("mat"): pytest.approx(_saturate(HEADING_WEIGHT, 2)),
    }


def test_chunk_without_words_has_no_vector():
    assert weigh_chunk("--- ***") == SparseVector(array("I"), array("f"))


def test_question_without_words_has_no_vector():
    assert question_terms("?!") == ()
    assert weigh_query("?!", {}, 10) == SparseVector((), ())


def test_terms_needed_are_the_terms_weighed():
    question = "What does ERR-4711 mean?"
    assert weigh_query(question, {}, 5).indices == question_terms(question)


def test_question_of_five_hundred_words_keeps_the_rarest():
    words = [f"x{chr(97 + i // 26 % 26)}{chr(97 + i % 26)}" for i in range(500)]
    frequencies = {hash_term(w): 1 + i for i, w in enumerate(words)}
    query = weigh_query(" ".join(words), frequencies, 1000)
    assert len(query.indices) == MAX_QUESTION_TERMS
    assert hash_term(words[0]) in query.indices


def test_common_terms_cost_nothing_in_a_large_corpus():
    frequencies = {hash_term("the"): 900, hash_term("cat"): 3}
    assert weigh_query("the cat", frequencies, 1000).indices == (hash_term("cat"),)
    assert weigh_query("the", frequencies, 1000).indices == (hash_term("the"),)
    assert len(weigh_query("the cat", frequencies, 999).indices) == 2


def test_term_that_occurs_nowhere_does_not_displace_the_only_one_that_does():
    frequencies = {hash_term("the"): 900}
    assert set(weigh_query("the zyx", frequencies, 1000).indices) == set(question_terms("the zyx"))


def test_a_question_reads_a_bounded_number_of_postings():
    frequencies = {hash_term(w): MAX_POSTINGS // 2 for w in ("cat", "dog", "cow")}
    assert len(weigh_query("cat dog cow", frequencies, 10 * MAX_POSTINGS).indices) == 2


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_inverse_document_frequency_is_above_zero_and_falls(df: int, n: int):
    value = inverse_document_frequency(df, n)
    assert value > 0
    assert inverse_document_frequency(df + 1, n) <= value


@given(st.text(), st.text(), st.lists(st.text(), max_size=3))
def test_vectors_are_ascending_and_positive(content: str, title: str, headings: list[str]):
    vector = weigh_chunk(content, title=title, heading_path=headings)
    assert list(vector.indices) == sorted(set(vector.indices))
    assert [v for v in vector.values if not 0 < v < K1 + 1] == []
