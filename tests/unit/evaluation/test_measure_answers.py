"""The harness tests itself: answerers that are right or broken get the figures that they must."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import answerers
import pytest
from answerers import verdicts_on
from hypothesis import given
from hypothesis import strategies as st

from citewell.evaluation.measure_answers import (
    measure_answers,
    measure_tokens,
    percentile,
    usage_of,
)
from citewell.evaluation.verdicts import Ask

PERFECT = {
    "questions": [2, 2],
    "mode_accuracy": [4, 4],
    "correct": [2, 2],
    "wrong_answers": [0, 4],
    "wrong_on_answerable": [0, 2],
    "wrong_on_unanswerable": [0, 2],
    "abstained_on_answerable": [0, 2],
    "abstained_on_unanswerable": [2, 2],
    "exact_match": 0.0,
    "contains_answer": 1.0,
    "citation_precision": [2, 2],
    "sentences_verified": [2, 2],
    "expected_cited": [2, 2],
}
BROKEN: list[tuple[Ask, dict[str, Any]]] = [
    (answerers.perfect, {}),
    (
        answerers.always_abstains,
        {
            "mode_accuracy": [2, 4],
            "correct": [0, 2],
            "abstained_on_answerable": [2, 2],
            "contains_answer": 0.0,
            "citation_precision": [0, 0],
            "sentences_verified": [0, 0],
            "expected_cited": [0, 2],
        },
    ),
    (
        answerers.always_wrong,
        {
            "mode_accuracy": [2, 4],
            "correct": [0, 2],
            "wrong_answers": [4, 4],
            "wrong_on_answerable": [2, 2],
            "wrong_on_unanswerable": [2, 2],
            "abstained_on_unanswerable": [0, 2],
            "contains_answer": 0.0,
            "citation_precision": [0, 2],
            "sentences_verified": [4, 4],
            "expected_cited": [0, 2],
        },
    ),
    (answerers.cites_another_document, {"citation_precision": [0, 2], "expected_cited": [0, 2]}),
    (
        answerers.cites_what_is_not_there,
        {"citation_precision": [0, 2], "sentences_verified": [0, 2], "expected_cited": [0, 2]},
    ),
    (
        answerers.cites_nothing,
        {"citation_precision": [0, 0], "sentences_verified": [0, 2], "expected_cited": [0, 2]},
    ),
]


@pytest.mark.parametrize(
    ("answerer", "differs"), BROKEN, ids=[answerer.__name__ for answerer, _ in BROKEN]
)
def test_answerer_gets_the_figures_that_it_must(
    answerer: Ask, differs: dict[str, Any], tmp_path: Path
) -> None:
    figures = measure_answers(verdicts_on(answerer, tmp_path))
    assert {name: figures[name] for name in PERFECT} == PERFECT | differs


def test_text_measures_count_an_abstention_as_nothing_said(tmp_path: Path) -> None:
    figures = measure_answers(verdicts_on(answerers.perfect, tmp_path))
    # "It was lit in 1871" has 2 of its 5 tokens right, "It sails twelve times day" 3 of 5
    assert figures["token_f1"] == pytest.approx((2 * 2 / 7 + 2 * 3 / 8) / 2, abs=1e-4)
    assert figures["words"] == 5.5
    abstained = measure_answers(verdicts_on(answerers.always_abstains, tmp_path))
    assert (abstained["token_f1"], abstained["words"]) == (0.0, 0.0)


def test_times_are_those_of_the_steps_and_of_the_whole(tmp_path: Path) -> None:
    figures = measure_answers(verdicts_on(answerers.perfect, tmp_path))
    assert figures["latency_ms"].keys() == {"whole", "search"}
    assert figures["latency_ms"]["search"] == {"p50": 10.0, "p95": 10.0}
    assert figures["latency_ms"]["whole"]["p95"] >= figures["latency_ms"]["whole"]["p50"] >= 0


USED = {"prompt_tokens": 900, "reply_tokens": 20, "model_calls": 2}


@pytest.mark.parametrize(
    ("reply", "used"),
    [
        ({"usage": USED}, (900, 20, 2)),
        ({"trace": {"usage": USED}}, (900, 20, 2)),
        ({"trace": None, "usage": {"prompt_tokens": None, "model_calls": 1}}, (0, 0, 1)),
        ({"usage": "much"}, (0, 0, 0)),
        ({}, (0, 0, 0)),
    ],
)
def test_usage_stands_in_the_reply_or_its_trace(
    reply: dict[str, Any], used: tuple[int, int, int]
) -> None:
    assert usage_of(reply) == used


def test_tokens_are_summed(tmp_path: Path) -> None:
    async def answerer(question: Any) -> dict[str, Any]:
        return {**await answerers.perfect(question), "usage": USED}

    tokens = measure_tokens(verdicts_on(answerer, tmp_path))
    assert tokens == {"prompt": 3600, "reply": 80, "calls": 8}


def test_percentile_is_a_value_by_nearest_rank() -> None:
    values = [float(n) for n in range(1, 21)]
    assert (percentile(values, 50), percentile(values, 95), percentile(values, 100)) == (10, 19, 20)
    assert percentile([3.0], 1) == 3.0


@pytest.mark.parametrize(("values", "q"), [([], 50), ([1.0], 0), ([1.0], 101)])
def test_percentile_of_nothing_is_refused(values: list[float], q: float) -> None:
    with pytest.raises(ValueError, match="percentile needs"):
        percentile(values, q)


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0.1, 100))
def test_at_most_the_rest_exceeds_a_percentile(values: list[float], q: float) -> None:
    found = percentile(values, q)
    assert found in values
    assert sum(value > found for value in values) <= len(values) * (1 - q / 100) + 1e-6
