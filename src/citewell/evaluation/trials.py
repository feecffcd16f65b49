"""Trials of the gate: a question, and a corpus of which it is known whether it holds the answer."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from citewell.evaluation.passage_pool import PoolPassage, PoolQuestion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SMALL_SIZES = (12, 60)
"""Passages of corpora below the whole set: a vault of notes, a folder."""
QUESTIONS_PER_CORPUS = 40
"""Of each kind in a small corpus."""


class Condition(StrEnum):
    """What a corpus holds of a question."""

    PRESENT = "paragraph present"
    PARAGRAPH_ABSENT = "only the paragraph absent"
    TOPIC_ABSENT = "topic absent"


@dataclass(frozen=True, slots=True)
class Trial:
    """One question asked of one corpus.

    Attributes:
        question: Which one.
        corpus: Name of the sets that the corpus is drawn from.
        size: Passages of the corpus, as planned.
        condition: What it holds.
        members: `bool[n_passages]` over the pool; shared between trials.
    """

    question: PoolQuestion
    corpus: str
    size: int
    condition: Condition
    members: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CorpusPlan:
    """Which corpora a set of questions is asked of.

    Attributes:
        name: For the report, e.g. `en` or `mixed`.
        set_names: Sets whose passages the corpora hold; translations of each other if several.
        n_draws: Small corpora drawn for each size.
        n_questions: Asked of the whole; more are thinned out evenly.
    """

    name: str
    set_names: tuple[str, ...]
    n_draws: int
    n_questions: int


def draw_trials(
    plan: CorpusPlan,
    questions: Sequence[PoolQuestion],
    passages: Sequence[PoolPassage],
    *,
    seed: int,
) -> Iterator[Trial]:
    """Yield trials over corpora of every size up to the whole, the same for the same seed.

    A small corpus takes passages of some articles: it holds the topic of questions on these, of
    some also the paragraph. From the whole, the question's article or paragraph is taken out.

    Args:
        plan: Which passages.
        questions: Of one set.
        passages: Of the pool.
        seed: Of the draws.
    """
    chance = random.Random(seed)  # noqa: S311 - repeatable draws, not secrets
    usable = [n for n, p in enumerate(passages) if p.set_name in plan.set_names]
    for size in SMALL_SIZES:
        if 2 * size <= len(usable):
            for _ in range(plan.n_draws):
                drawn = _draw_passages(usable, passages, size=size, chance=chance)
                yield from _small_corpus(plan, questions, passages, drawn, chance=chance)
    asked = questions[:: -(-len(questions) // plan.n_questions)]
    yield from _whole_corpus(plan, asked, passages, usable)


def _draw_passages(
    usable: Sequence[int], passages: Sequence[PoolPassage], *, size: int, chance: random.Random
) -> list[int]:
    """Return passages of a few or of many articles, by lot."""
    articles = sorted({passages[n].article for n in usable})
    chance.shuffle(articles)
    n_articles = chance.randint(2, min(size, len(articles)))
    while True:
        kept = set(articles[:n_articles])
        open_to_draw = [n for n in usable if passages[n].article in kept]
        if len(open_to_draw) >= size:
            return chance.sample(open_to_draw, size)
        n_articles += 1


def _small_corpus(
    plan: CorpusPlan,
    questions: Sequence[PoolQuestion],
    passages: Sequence[PoolPassage],
    drawn: Sequence[int],
    *,
    chance: random.Random,
) -> Iterator[Trial]:
    paragraphs = {number for n in drawn for number in passages[n].paragraphs}
    articles = {passages[n].article for n in drawn}
    sorted_out: dict[Condition, list[PoolQuestion]] = {condition: [] for condition in Condition}
    for question in questions:
        if question.paragraph in paragraphs:
            sorted_out[Condition.PRESENT].append(question)
        elif question.article in articles:
            sorted_out[Condition.PARAGRAPH_ABSENT].append(question)
        else:
            sorted_out[Condition.TOPIC_ABSENT].append(question)
    members = _mask(drawn, len(passages))
    for condition, asked in sorted_out.items():
        for question in chance.sample(asked, min(len(asked), QUESTIONS_PER_CORPUS)):
            yield Trial(question, plan.name, len(drawn), condition, members)


def _whole_corpus(
    plan: CorpusPlan,
    questions: Sequence[PoolQuestion],
    passages: Sequence[PoolPassage],
    usable: Sequence[int],
) -> Iterator[Trial]:
    whole = _mask(usable, len(passages))
    without_article: dict[int, NDArray[np.bool_]] = {}
    for number, question in enumerate(questions):
        yield Trial(question, plan.name, len(usable), Condition.PRESENT, whole)
        article = question.article
        if article not in without_article:
            others = [n for n in usable if passages[n].article != article]
            without_article[article] = _mask(others, len(passages))
        yield Trial(
            question, plan.name, len(usable), Condition.TOPIC_ABSENT, without_article[article]
        )
        if number % 2 == 0:
            rest = [n for n in usable if question.paragraph not in passages[n].paragraphs]
            members = _mask(rest, len(passages))
            yield Trial(question, plan.name, len(usable), Condition.PARAGRAPH_ABSENT, members)


def _mask(members: Sequence[int], n_passages: int) -> NDArray[np.bool_]:
    import numpy as np

    mask = np.zeros(n_passages, dtype=bool)
    mask[list(members)] = True
    return mask
