"""Whether what passages say is about what was asked."""

from __future__ import annotations

import pytest
from answering_samples import make_chunk, make_passages
from hypothesis import given
from hypothesis import strategies as st

from citewell.answering.quoting.quote import Quote
from citewell.answering.quoting.units import quotable_units
from citewell.answering.verification.answer_features import AnswerFeatures
from citewell.answering.verification.answers_question import (
    AnswerVerdict,
    answers_question,
    load_model,
)

TRAVEL = make_chunk(
    "Maria Lindqvist approved the travel rules in 2019. Employees may book a hotel in Oslo for up "
    "to 140 euros a night. Flights within Norway are not reimbursed. The largest office is in "
    "Bergen.",
    title="Travel",
)


def judge(question: str, place: int) -> AnswerVerdict:
    """Return the verdict on the unit at `place`."""
    unit = quotable_units(TRAVEL.content)[place]
    quote = Quote(TRAVEL, (unit,), score=1.0, passage_score=0.9)
    return answers_question(question, [quote], make_passages(TRAVEL))


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("Who approved the travel rules in 2019?", 0),
        ("How much may a hotel in Oslo cost a night?", 1),
        ("Which flights are not reimbursed?", 2),
        ("Where is the largest office?", 3),
    ],
)
def test_what_was_asked_is_answered(question: str, place: int):
    assert judge(question, place).is_answering


@pytest.mark.parametrize(
    ("question", "place", "reason"),
    [
        ("Who approved the travel rules in 1987?", 0, "unknown_numbers 1"),
        ("Where is the smallest office?", 3, "opposites"),
        ("Which flights within Norway are reimbursed?", 2, "negated 1"),
    ],
)
def test_another_year_or_the_opposite_is_no_answer(question: str, place: int, reason: str):
    verdict = judge(question, place)
    assert not verdict.is_answering
    assert verdict.reasons[0].startswith(reason)


def test_every_feature_speaks_against_an_answer():
    assert set(load_model().weights) == set(AnswerFeatures.__slots__)
    assert max(load_model().weights.values()) < 0


def test_a_quote_in_another_language_is_not_judged():
    assert judge("最小的办公室在哪里？", 3) == AnswerVerdict(True, 1.0, ())


@given(st.text(max_size=80), st.text(min_size=1, max_size=80))
def test_no_text_raises(question: str, content: str):
    chunk = make_chunk(content)
    quotes = [Quote(chunk, (unit,), 1.0, None) for unit in quotable_units(content)]
    verdict = answers_question(question, quotes, make_passages(chunk))
    assert 0 <= verdict.probability <= 1
