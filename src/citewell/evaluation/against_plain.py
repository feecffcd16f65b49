"""What Citewell gains over its own language model, asked plainly, and what it loses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST_WRONG = 0.6
"""Wrong answers, as a share of the plain model's, that Citewell may give."""
MOST_LOST = 0.05
"""Right answers, as a share of the answerable questions, that its checks may cost."""


def compare_with_plain(ours: Mapping[str, Any], plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ratio of wrong answers, the difference of right ones, and whether both suffice.

    Args:
        ours: Figures of `measure_answers` for Citewell.
        plain: Those for the plain model, asked the same questions.
    """
    wrong, plain_wrong = ours["wrong_answers"][0], plain["wrong_answers"][0]
    right, n_answerable = ours["correct"]
    lost = (plain["correct"][0] - right) / max(n_answerable, 1)
    ratio = wrong / plain_wrong if plain_wrong else float(wrong > 0)
    return {
        "wrong_ratio": round(ratio, 4),
        "correct_lost": round(lost, 4),
        "holds": ratio <= MOST_WRONG and lost <= MOST_LOST + 1e-9,
    }
