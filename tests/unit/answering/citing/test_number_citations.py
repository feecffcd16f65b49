"""Numbering citations sentence by sentence."""

from dataclasses import replace

from answering_samples import make_chunk

from citewell.answering.citing.cite import cite_quote
from citewell.answering.citing.number_citations import CitationList
from citewell.answering.quoting.quote import Quote
from citewell.answering.quoting.units import quotable_units

CHUNK = make_chunk("The desk opens at nine. It closes at five.")
FIRST, SECOND = (
    cite_quote(Quote(CHUNK, (unit,), 0.0, None), n=0) for unit in quotable_units(CHUNK.content)
)


def test_numbers_go_up_in_order_of_appearance_and_stay() -> None:
    citations = CitationList()
    assert citations.number([SECOND]) == (replace(SECOND, n=1),)
    assert citations.number([FIRST, SECOND]) == (replace(FIRST, n=2), replace(SECOND, n=1))
    assert citations.citations == (replace(SECOND, n=1), replace(FIRST, n=2))


def test_same_words_twice_in_a_sentence_are_one_citation() -> None:
    assert [c.n for c in CitationList().number([FIRST, replace(FIRST, score=0.5)])] == [1]
