import pytest

from citewell.domain.chunk import SparseVector
from citewell.lexical.analyze import analyze
from citewell.lexical.weigh import weigh_query
from citewell.ports.index import Candidate
from citewell.retrieval.foreign import (
    FOREIGN_SHARE,
    foreign_candidates,
    foreign_score,
    language_bound_share,
)

TEXTS = {
    1: "The allowance is paid every month.",
    2: "津贴按月发放。",
    3: "手当は毎月支払われます。",
    4: "| 1 | 2 | 3 |",
}


@pytest.mark.parametrize(
    ("question", "foreign"),
    [
        ("How much is the allowance?", {2, 3}),
        ("津贴是多少？", {1, 3}),
        ("手当はいくらですか", {1, 2}),
        ("4711", set()),
    ],
)
def test_texts_in_another_script_are_foreign(question: str, foreign: set[int]) -> None:
    assert foreign_candidates(question, TEXTS) == foreign


def test_texts_of_one_script_are_told_apart_by_frequent_words() -> None:
    texts = {
        1: "Die Zulage wird jeden Monat mit dem Gehalt gezahlt, und sie ist nicht steuerfrei.",
        2: "The allowance is paid every month with the salary, and it is not free of tax.",
    }
    assert foreign_candidates("How much is the allowance of an engineer?", texts) == {1}


def test_text_that_could_be_in_the_language_of_the_question_is_not_foreign() -> None:
    assert foreign_candidates("How much is the allowance?", {1: "Beacon, Atlas CRM, ACME"}) == set()


def weighed(question: str) -> SparseVector:
    return weigh_query(question, {}, 100)


def test_identifier_is_the_same_in_every_language() -> None:
    question = "ERR-4711"
    assert analyze(question)
    assert language_bound_share(question, weighed(question)) == pytest.approx(0.0)
    assert foreign_score(question, weighed(question), [Candidate(1, 5.0)]) == pytest.approx(0.0)


def test_plain_words_are_bound_to_their_script() -> None:
    question = "How much is the allowance?"
    assert language_bound_share(question, weighed(question)) == pytest.approx(1.0)
    score = foreign_score(question, weighed(question), [Candidate(1, 5.0)])
    assert score == pytest.approx(5.0 * FOREIGN_SHARE)


def test_name_in_another_script_is_portable() -> None:
    question = "Beacon 的津贴是多少？"
    assert 0.0 < language_bound_share(question, weighed(question)) < 1.0


def test_question_without_candidates_or_terms_has_no_foreign_score() -> None:
    assert foreign_score("allowance", weighed("allowance"), []) == 0.0
    assert language_bound_share("?!", SparseVector((), ())) == 0.0
