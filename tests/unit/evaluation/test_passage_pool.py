from __future__ import annotations

from citewell.evaluation.datasets import SquadArticle, SquadParagraph, SquadQuestion
from citewell.evaluation.passage_pool import (
    PoolPassage,
    PoolQuestion,
    answerable_questions,
    join_paragraphs,
    number_articles,
)


def _article(title: str, *question_ids: str, answers: tuple[str, ...] = ("yes",)) -> SquadArticle:
    return SquadArticle(
        title,
        tuple(
            SquadParagraph(
                f"{title} {question_id}", (SquadQuestion(question_id, f"{question_id}?", answers),)
            )
            for question_id in question_ids
        ),
    )


def test_one_topic_has_one_number_in_all_sets():
    english = [_article("Bees", "b1"), _article("Ships", "s1")]
    turkish = [_article("Arılar", "b1"), _article("Ships", "s2"), _article("Stars", "x1")]
    assert number_articles([english, turkish]) == {"Bees": 0, "Ships": 1, "Arılar": 0, "Stars": 2}


def test_passages_and_questions_carry_the_number_of_their_topic():
    articles = [_article("Bees", "b1", "b2", "b3"), _article("Ships", "s1")]
    numbers = {"Bees": 7, "Ships": 3}
    assert join_paragraphs("en", articles, n_joined=2, numbers=numbers) == [
        PoolPassage("en", 7, (0, 1), "Bees b1\n\nBees b2"),
        PoolPassage("en", 7, (2,), "Bees b3"),
        PoolPassage("en", 3, (3,), "Ships s1"),
    ]
    assert answerable_questions("en", articles, numbers=numbers)[-1] == PoolQuestion(
        "en", 3, 3, "s1?"
    )


def test_questions_without_an_answer_are_not_asked():
    articles = [_article("Bees", "b1", answers=())]
    assert answerable_questions("en", articles, numbers={"Bees": 0}) == []
