"""Figures over verdicts: correctness, refusals, citations, time and tokens."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from citewell.evaluation.correctness import best_f1, contains_fact, is_exact
from citewell.evaluation.verdicts import Verdict, said_in

Share = list[int]
"""How many of how many."""


def measure_answers(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return every figure of a report but those of retrieval, by name."""
    return {
        "questions": [
            sum(v.question.is_answerable for v in verdicts),
            sum(not v.question.is_answerable for v in verdicts),
        ],
        "mode_accuracy": count(v.reply["mode"] == v.question.expected_mode for v in verdicts),
        **measure_outcomes(verdicts),
        **measure_texts(verdicts),
        **measure_citations(verdicts),
        "latency_ms": measure_latency(verdicts),
        "tokens": measure_tokens(verdicts),
    }


def measure_outcomes(verdicts: Sequence[Verdict]) -> dict[str, Share]:
    """Return how many answers were right and wrong, and how many questions were refused.

    `wrong_answers` counts over all questions, the others over the answerable or the unanswerable
    ones: an answer to a question without one is wrong, whatever it says.
    """
    answerable = [v for v in verdicts if v.question.is_answerable]
    others = [v for v in verdicts if not v.question.is_answerable]
    return {
        "correct": count(v.outcome == "correct" for v in answerable),
        "wrong_answers": count(v.outcome == "wrong" for v in verdicts),
        "wrong_on_answerable": count(v.outcome == "wrong" for v in answerable),
        "wrong_on_unanswerable": count(v.outcome == "wrong" for v in others),
        "abstained_on_answerable": count(v.outcome == "abstained" for v in answerable),
        "abstained_on_unanswerable": count(v.outcome == "abstained" for v in others),
    }


def measure_texts(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """Return the means of SQuAD's measures over questions that name their right answers.

    `token_f1` and `exact_match` as in SQuAD (Rajpurkar et al., 2016), in [0, 1]; an abstention
    scores 0. They favour the shortest answer; `contains_answer` is fair to sentences. `words` is
    the mean length of what was said, in tokens.
    """
    pairs = [
        ("" if v.outcome == "abstained" else said_in(v.reply), v.question.answers)
        for v in verdicts
        if v.question.answers
    ]
    lengths = [len(said_in(v.reply).split()) for v in verdicts if v.outcome != "abstained"]
    return {
        "token_f1": _mean(best_f1(said, rights) for said, rights in pairs),
        "exact_match": _mean(is_exact(said, rights) for said, rights in pairs),
        "contains_answer": _mean(
            any(contains_fact(said, right) for right in rights) for said, rights in pairs
        ),
        "words": _mean(lengths),
    }


def measure_citations(verdicts: Sequence[Verdict]) -> dict[str, Share]:
    """Return how far citations can be trusted (after ALCE: Gao et al., 2023).

    `citation_precision`: of the citations in answers to answerable questions, those whose quote
    stands in the file and either is from an expected document or holds the right answer.
    `sentences_verified` is the recall: of all claims and quotes those with a citation that the file
    bears out. `expected_cited`: of the answerable questions that name their documents, those for
    which one was cited.
    """
    answered = [v for v in verdicts if v.question.is_answerable and v.outcome != "abstained"]
    said = [s for v in verdicts for s in v.sentences if s.kind != "notice"]
    return {
        "citation_precision": [
            sum(v.n_supporting for v in answered),
            sum(v.n_citations for v in answered),
        ],
        "sentences_verified": count(s.is_verified for s in said),
        "expected_cited": count(v.cites_expected for v in verdicts if v.question.expected_sources),
    }


def measure_latency(verdicts: Sequence[Verdict]) -> dict[str, dict[str, float]]:
    """Return median and 95th percentile in milliseconds, of each step and of the whole.

    A step counts over the questions that took it; `whole` is what the asker waited.
    """
    times: dict[str, list[float]] = {"whole": [v.elapsed_ms for v in verdicts]}
    for verdict in verdicts:
        for step, ms in verdict.reply.get("timings_ms", {}).items():
            times.setdefault(step, []).append(float(ms))
    return {
        step: {"p50": round(percentile(ms, 50), 1), "p95": round(percentile(ms, 95), 1)}
        for step, ms in times.items()
        if ms
    }


def measure_tokens(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """Return the language model's tokens over all questions, where replies tell them."""
    used = [usage_of(v.reply) for v in verdicts]
    return {
        "prompt": sum(usage[0] for usage in used),
        "reply": sum(usage[1] for usage in used),
        "calls": sum(usage[2] for usage in used),
    }


def usage_of(reply: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return prompt tokens, reply tokens and calls of a reply's `usage`, 0 where it tells none.

    The usage stands in the reply or in its trace.
    """
    usage = _mapping(reply.get("usage")) or _mapping(_mapping(reply.get("trace")).get("usage"))
    n_prompt, n_reply, n_calls = (
        int(usage.get(name) or 0) for name in ("prompt_tokens", "reply_tokens", "model_calls")
    )
    return n_prompt, n_reply, n_calls


def percentile(values: Sequence[float], q: float) -> float:
    """Return the nearest-rank percentile: the smallest value that `q` percent do not exceed.

    Raises:
        ValueError: There is no value, or `q` is not in (0, 100].
    """
    if not values or not 0 < q <= 100:
        raise ValueError("a percentile needs values, and a share in (0, 100]")
    return sorted(values)[math.ceil(q / 100 * len(values)) - 1]


def count(marks: Iterable[bool]) -> Share:
    """Return how many are true, and how many there are."""
    found = list(marks)
    return [sum(found), len(found)]


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _mean(values: Iterable[float]) -> float:
    found = [float(value) for value in values]
    return round(sum(found) / len(found), 4) if found else 0.0
