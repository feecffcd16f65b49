"""Question sets in SQuAD's layout as documents and questions about them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from citewell.evaluation.datasets import SquadArticle, SquadParagraph
from citewell.evaluation.questions import Question

Half = Literal["all", "odd", "even"]
"""Articles that questions are taken from, by their number from 1."""

_MAX_TITLE = 60
_ARTICLE = "article:"
_NO_FILE_NAME = re.compile(r"[^\w() -]+")


@dataclass(frozen=True, slots=True)
class Sampling:
    """Which questions of a set are asked.

    Attributes:
        seed: Of the draw; the same seed draws the same questions.
        n_answerable: Questions whose paragraph answers them; None for all.
        n_unanswerable: Questions whose paragraph does not; None for all.
        half: What is tuned on one half of the articles can be measured on the other.
    """

    seed: int = 0
    n_answerable: int | None = None
    n_unanswerable: int | None = None
    half: Half = "all"

    @property
    def takes_all(self) -> bool:
        """Whether nothing is left out."""
        return self.half == "all" and self.n_answerable is None and self.n_unanswerable is None


def paragraph_documents(articles: Sequence[SquadArticle]) -> dict[str, str]:
    """Return the text of every paragraph by the relative path of its document.

    Each is a document of its own in the folder of its article, e.g. `014 Warsaw/Warsaw 007.txt`.
    """
    return {path: paragraph.text for _, path, paragraph in _paragraphs(articles)}


def squad_questions(articles: Sequence[SquadArticle], *, corpus: str) -> list[Question]:
    """Return every question, with the document of its paragraph and its right answers.

    Args:
        articles: Of one set, all of them: the numbers in the names of documents depend on it.
        corpus: Name of the source that holds the documents.
    """
    return [
        Question(
            id=question.id,
            lang="und",
            question=question.text,
            expected_mode="rag" if question.answers else "no_answer",
            expected_sources=(path,) if question.answers else (),
            answers=question.answers,
            corpus=corpus,
            tags=(f"{_ARTICLE}{number}",),
        )
        for number, path, paragraph in _paragraphs(articles)
        for question in paragraph.questions
    ]


def sample_questions(questions: Sequence[Question], sampling: Sampling) -> list[Question]:
    """Return the sample: answerable ones first, each kind in the order of the draw.

    A kind of which there are fewer than wanted is taken whole. All questions stay in their order.
    """
    if sampling.takes_all:
        return list(questions)
    drawn: list[Question] = []
    for is_answerable, wanted in (
        (True, sampling.n_answerable),
        (False, sampling.n_unanswerable),
    ):
        chance = random.Random(sampling.seed)  # noqa: S311 - repeatable draws, not secrets
        kind = [q for q in questions if (q.expected_mode == "rag") == is_answerable]
        kind = [q for q in kind if _is_in(q, sampling.half)]
        drawn += chance.sample(kind, len(kind) if wanted is None else min(wanted, len(kind)))
    return drawn


def _is_in(question: Question, half: Half) -> bool:
    if half == "all":
        return True
    number = int(question.tags[0].removeprefix(_ARTICLE))
    return (number % 2 == 1) == (half == "odd")


def _paragraphs(articles: Sequence[SquadArticle]) -> Iterator[tuple[int, str, SquadParagraph]]:
    for number, article in enumerate(articles, 1):
        words = _NO_FILE_NAME.sub(" ", article.title.replace("_", " ")).split()
        title = " ".join(words)[:_MAX_TITLE].strip() or "Untitled"
        for place, paragraph in enumerate(article.paragraphs, 1):
            # two articles may have the same title
            yield number, f"{number:03} {title}/{title} {place:03}.txt", paragraph
