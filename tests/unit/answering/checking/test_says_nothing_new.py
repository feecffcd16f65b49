"""Sentences that only repeat their question."""

import pytest

from citewell.answering.checking.says_nothing_new import says_nothing_new

PRICE = "How much will ACME pay for the firm that it wants to buy?"


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("ACME will pay for the firm that it wants to buy.", PRICE),
        ("The capital of France.", "What is the capital of France?"),
        ("公司餐厅供应午饭。", "公司餐厅何时供应午饭？"),
    ],
)
def test_repetition_is_no_answer(sentence: str, question: str) -> None:
    assert says_nothing_new(sentence, question)


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("ACME will pay EUR 41 million for the firm that it wants to buy.", PRICE),
        ("ACME will pay nothing for the firm that it wants to buy.", PRICE),
        ("It will pay.", PRICE),
        ("The capital of France is Paris.", "What is the capital of France?"),
        ("ACME pays for it.", "Does ACME pay for it?"),
        ("Rome is older than Oslo.", "Which of Rome and Oslo is older?"),
        ("公司餐厅 11 点供应午饭。", "公司餐厅何时供应午饭？"),
    ],
)
def test_what_adds_something_or_chooses_is_an_answer(sentence: str, question: str) -> None:
    assert not says_nothing_new(sentence, question)
