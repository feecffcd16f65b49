"""Comparing a report with an earlier one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from citewell.domain.errors import UsageError

TOLERANCES = {
    "answered": 0.0,
    "abstained": 0.0,
    "citations": 0.0,
    "sentences_verified": 0.0,
    "mode_accuracy": 0.02,
    "correct": 0.02,
    "expected_cited": 0.02,
    "citation_precision": 0.02,
    "token_f1": 0.02,
    "contains_answer": 0.02,
    "wrong_answers": 0.02,
}
"""How much worse a share may be. Nothing where Citewell promises something; otherwise 0.02, two
questions of a hundred: another version of a provider or another processor moves a model's words
that much."""
_RETRIEVAL_TOLERANCE = 0.005
_LOWER_IS_BETTER = frozenset({"wrong_answers"})


def compare_reports(report: Mapping[str, Any], baseline: Mapping[str, Any]) -> list[str]:
    """Return what is worse than in the baseline, one sentence each.

    Figures that the baseline lacks are not compared, nor are times: those are for benchmarks.

    Raises:
        UsageError: The baseline is not a report, or one of another sample.
    """
    ours, theirs = report.get("sample"), baseline.get("sample")
    if ours != theirs:
        raise UsageError(f"the baseline is of another sample: {theirs}, not {ours}")
    try:
        return [*_worse_figures(report, baseline), *_worse_retrieval(report, baseline)]
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise UsageError(f"the baseline is not a report of rag eval run: {error}") from error


def _worse_figures(report: Mapping[str, Any], baseline: Mapping[str, Any]) -> list[str]:
    worse: list[str] = []
    for name, tolerance in TOLERANCES.items():
        if name not in baseline:
            continue
        now, before = report[name], baseline[name]
        loss = _share_of(before) - _share_of(now)
        if name in _LOWER_IS_BETTER:
            loss = -loss
        if loss > tolerance + 1e-9:
            worse.append(f"{name}: {_shown(now)}, before {_shown(before)}")
    return worse


def _worse_retrieval(report: Mapping[str, Any], baseline: Mapping[str, Any]) -> list[str]:
    worse: list[str] = []
    for name, before in baseline.get("retrieval", {}).items():
        now = report["retrieval"].get(name, 0.0)
        if name != "questions" and now < before - _RETRIEVAL_TOLERANCE:
            worse.append(f"{name}: {now:.3f}, before {before:.3f}")
    return worse


def _share_of(figure: float | Sequence[int]) -> float:
    """Return a share; one of nothing is the best there is, so that it never counts as worse."""
    if isinstance(figure, int | float):
        return float(figure)
    n, of = figure
    return n / of if of else 1.0


def _shown(figure: float | Sequence[int]) -> str:
    if isinstance(figure, int | float):
        return f"{figure:.3f}"
    return f"{figure[0]}/{figure[1]}"
