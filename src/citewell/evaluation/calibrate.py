"""Calibrate the gate: fit it for an embedder on question sets, and report on unseen articles."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.domain.errors import ConfigurationError
from citewell.evaluation.datasets import SquadArticle
from citewell.evaluation.fit_gate import MeasuredTrial, fit_gate, judge_held_out
from citewell.evaluation.passage_pool import (
    PassagePool,
    PoolPassage,
    PoolQuestion,
    VectorCache,
    answerable_questions,
    embed_pool_passages,
    embed_pool_questions,
    join_paragraphs,
    number_articles,
)
from citewell.evaluation.report_gate import report_gate
from citewell.evaluation.trials import CorpusPlan, Trial, draw_trials
from citewell.ports.embedder import Embedder
from citewell.retrieval.assess import Gate, gate_as_json
from citewell.retrieval.gate_features import CosineScale, measure_features

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCALE_QUESTIONS = 200
"""Questions per set that the scale of cosines is measured with."""

Sets = Mapping[str, Sequence[SquadArticle]]


@dataclass(frozen=True, slots=True)
class CalibrationOptions:
    """How much is tried.

    Attributes:
        joins: Paragraphs per passage, one pool each. Paragraphs of 120 words and pairs of them
            stand on both sides of the 300 words of a usual chunk.
        n_draws: Small corpora per set and size.
        n_questions: Per set, asked of the whole set; more are thinned out evenly.
        n_cross_questions: The same for questions in another language than the passages.
        seed: Of the draws.
    """

    joins: tuple[int, ...] = (1, 2)
    n_draws: int = 12
    n_questions: int = 600
    n_cross_questions: int = 200
    seed: int = 5


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a calibration gives.

    Attributes:
        gate: Fitted to all articles.
        gate_json: The gate's file.
        report: Markdown, with figures for articles that the judging fit had not seen.
    """

    gate: Gate
    gate_json: str
    report: str


def calibrate_gate(
    sets: Sets,
    embedder: Embedder,
    *,
    cache: VectorCache | None = None,
    options: CalibrationOptions | None = None,
    on_progress: Callable[[str], None] = lambda _: None,
) -> Calibration:
    """Fit the gate of an embedder.

    Every question is asked of corpora of several sizes, in its own language, in others and in all
    together, that hold its paragraph, only its topic, or neither; search and features are the
    product's. Articles are split in parts; the report judges each part by a fit to the others. The
    gate itself is fitted to all.

    Args:
        sets: Articles by name of the set; sets with the same question ids are translations.
        embedder: Whose gate is fitted.
        cache: Vectors of earlier runs by model, kind and text; filled as it goes.
        options: How much is tried.
        on_progress: Told what is being done.

    Raises:
        ConfigurationError: scikit-learn is not installed, or the sets are too small.
        EmbedderError: The embedder cannot be reached.
    """
    measured, scale = measure_trials(
        sets,
        embedder,
        cache={} if cache is None else cache,
        options=options or CalibrationOptions(),
        on_progress=on_progress,
    )
    return _fit_and_report(measured, embedder_key=embedder.model.key, scale=scale)


def measure_trials(
    sets: Sets,
    embedder: Embedder,
    *,
    cache: VectorCache,
    options: CalibrationOptions,
    on_progress: Callable[[str], None],
) -> tuple[list[MeasuredTrial], CosineScale]:
    """Return what the gate would look at in every trial, and the scale of the cosines.

    Arguments and errors as for `calibrate_gate`.
    """
    numbers = number_articles(sets.values())
    questions = {
        name: answerable_questions(name, articles, numbers=numbers)
        for name, articles in sets.items()
    }
    paragraphs = {
        name: join_paragraphs(name, articles, n_joined=1, numbers=numbers)
        for name, articles in sets.items()
    }
    scale = _measure_scale(paragraphs, questions, embedder, cache)
    measured: list[MeasuredTrial] = []
    for n_joined in options.joins:
        passages = [
            passage
            for name, articles in sets.items()
            for passage in join_paragraphs(name, articles, n_joined=n_joined, numbers=numbers)
        ]
        on_progress(f"embedding {len(passages)} passages")
        pool = PassagePool(passages, embed_pool_passages(passages, embedder, cache))
        for name, plan in _plans(sets, options):
            on_progress(f"asking {name} of {plan.name}, {n_joined} paragraphs a passage")
            asked = embed_pool_questions(questions[name], embedder, cache)
            cosines = dict(zip(questions[name], asked @ pool.vectors.T, strict=True))
            measured += [
                _measure(trial, pool, cosines[trial.question], scale=scale)
                for trial in draw_trials(plan, questions[name], passages, seed=options.seed)
            ]
    return measured, scale


def _measure(
    trial: Trial, pool: PassagePool, cosines: NDArray[np.float32], *, scale: CosineScale
) -> MeasuredTrial:
    question = trial.question.text
    by_words = pool.search_by_words(question, trial.members)
    return MeasuredTrial(
        trial,
        features=measure_features(pool.search(question, cosines, trial.members), scale=scale),
        by_words=None if by_words is None else measure_features(by_words, scale=scale),
    )


def _fit_and_report(
    measured: Sequence[MeasuredTrial], *, embedder_key: str, scale: CosineScale
) -> Calibration:
    def fit(part: Sequence[MeasuredTrial]) -> Gate:
        return fit_gate(part, embedder_key=embedder_key, scale=scale)

    gate = fit(measured)
    return Calibration(
        gate=gate,
        gate_json=json.dumps(gate_as_json(gate), indent=2) + "\n",
        report=report_gate(gate, judge_held_out(measured, fit)),
    )


def _measure_scale(
    paragraphs: Mapping[str, Sequence[PoolPassage]],
    questions: Mapping[str, Sequence[PoolQuestion]],
    embedder: Embedder,
    vectors: VectorCache,
) -> CosineScale:
    """Return mean and spread of the cosine of questions to passages of other articles."""
    means: list[float] = []
    spreads: list[float] = []
    for name, passages in paragraphs.items():
        matrix = embed_pool_passages(passages, embedder, vectors)
        few = questions[name][:: len(questions[name]) // SCALE_QUESTIONS + 1]
        if not few:
            continue
        rows = embed_pool_questions(few, embedder, vectors) @ matrix.T
        for question, cosines in zip(few, rows, strict=True):
            others = [n for n, p in enumerate(passages) if p.article != question.article]
            if len(others) > 1:
                means.append(float(cosines[others].mean()))
                spreads.append(float(cosines[others].std()))
    if not means:
        raise ConfigurationError("the question sets are too small to calibrate: one article only")
    return CosineScale(mean=sum(means) / len(means), spread=max(sum(spreads) / len(spreads), 1e-3))


def _plans(sets: Sets, options: CalibrationOptions) -> Iterator[tuple[str, CorpusPlan]]:
    """Yield a set of questions and the corpora it is asked of."""
    for name in sets:
        translations = tuple(other for other in sets if _ids(sets[other]) == _ids(sets[name]))
        yield name, CorpusPlan(name, (name,), options.n_draws, options.n_questions)
        if len(translations) > 1:
            yield (
                name,
                CorpusPlan("mixed", translations, options.n_draws, options.n_cross_questions),
            )
        for other in translations:
            if other != name:
                few = max(options.n_draws // 4, 1)
                yield name, CorpusPlan(other, (other,), few, options.n_cross_questions)


def _ids(articles: Sequence[SquadArticle]) -> list[str]:
    return [
        question.id
        for article in articles
        for paragraph in article.paragraphs
        for question in paragraph.questions
    ]
