from __future__ import annotations

from typing import Any

import pytest

from citewell.domain.errors import UsageError
from citewell.evaluation.against_plain import compare_with_plain
from citewell.evaluation.compare_reports import compare_reports

BASE: dict[str, Any] = {
    "answered": [40, 50],
    "abstained": [50, 50],
    "citations": [80, 80],
    "sentences_verified": [60, 60],
    "correct": [40, 50],
    "wrong_answers": [10, 100],
    "token_f1": 0.5,
    "citation_precision": [0, 0],
    "retrieval": {"questions": 50.0, "mrr": 0.9},
    "latency_ms": {"whole": {"p50": 10.0, "p95": 20.0}},
}


def test_same_report_is_not_worse() -> None:
    assert compare_reports(BASE, BASE) == []


@pytest.mark.parametrize(
    ("changed", "worse"),
    [
        ({"answered": [39, 50]}, ["answered: 39/50, before 40/50"]),
        ({"sentences_verified": [59, 60]}, ["sentences_verified: 59/60, before 60/60"]),
        ({"correct": [39, 50]}, []),
        ({"correct": [38, 50]}, ["correct: 38/50, before 40/50"]),
        ({"wrong_answers": [12, 100]}, []),
        ({"wrong_answers": [13, 100]}, ["wrong_answers: 13/100, before 10/100"]),
        ({"wrong_answers": [0, 100], "token_f1": 0.9}, []),
        ({"token_f1": 0.47}, ["token_f1: 0.470, before 0.500"]),
        ({"citation_precision": [1, 2]}, ["citation_precision: 1/2, before 0/0"]),
        ({"retrieval": {"questions": 50.0, "mrr": 0.89}}, ["mrr: 0.890, before 0.900"]),
        ({"latency_ms": {"whole": {"p50": 9e9, "p95": 9e9}}}, []),
    ],
)
def test_what_is_worse_by_more_than_its_tolerance_is_told(
    changed: dict[str, Any], worse: list[str]
) -> None:
    assert compare_reports(BASE | changed, BASE) == worse


def test_figure_that_the_baseline_lacks_is_not_compared() -> None:
    old = {name: BASE[name] for name in ("answered", "abstained")}
    assert compare_reports(BASE | {"correct": [0, 50]}, old) == []


def test_other_sample_is_refused() -> None:
    with pytest.raises(UsageError, match="another sample"):
        compare_reports(BASE | {"sample": {"seed": 1}}, BASE | {"sample": {"seed": 2}})


@pytest.mark.parametrize("baseline", [{"answered": "all"}, {"answered": None}, {"retrieval": 3}])
def test_what_is_no_report_is_refused(baseline: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="not a report"):
        compare_reports(BASE, baseline)


@pytest.mark.parametrize(
    ("ours", "plain", "found"),
    [
        ((20, 38), (40, 40), {"wrong_ratio": 0.5, "correct_lost": 0.04, "holds": True}),
        ((24, 38), (40, 40), {"wrong_ratio": 0.6, "correct_lost": 0.04, "holds": True}),
        ((25, 45), (40, 40), {"wrong_ratio": 0.625, "correct_lost": -0.1, "holds": False}),
        ((20, 37), (40, 40), {"wrong_ratio": 0.5, "correct_lost": 0.06, "holds": False}),
        ((0, 40), (0, 40), {"wrong_ratio": 0.0, "correct_lost": 0.0, "holds": True}),
        ((1, 40), (0, 40), {"wrong_ratio": 1.0, "correct_lost": 0.0, "holds": False}),
    ],
)
def test_gain_over_the_plain_model(
    ours: tuple[int, int], plain: tuple[int, int], found: dict[str, Any]
) -> None:
    figures = [{"wrong_answers": [w, 100], "correct": [c, 50]} for w, c in (ours, plain)]
    assert compare_with_plain(*figures) == found
