"""Weights on a grid, so that sums of their products are exact in 32-bit floats.

The engine adds up a score's products in an order that depends on which terms it met first, and that
order changes when it rewrites a segment. Sums of arbitrary floats then differ in the last digit, so
that equal chunks would not tie and a deletion elsewhere would move a score. Multiples of a power of
two whose sum stays below 2**24 steps have no rounding error, whatever the order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STEPS_PER_UNIT = 256  # of a chunk's weight: half a step is 0.2 % of a weight of 1
_QUERY_STEPS = 2**13  # 2**24 / 256 leaves 2**16 for the query; weights of chunks stay below 8


def round_chunk_weights(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return each weight as a multiple of 1/256, at least one step.

    Sums are exact for weights below 8, which leaves room above the k1 + 1 of BM25; larger ones are
    accepted and lose only that.
    """
    import numpy as np

    steps = np.maximum(np.rint(values * _STEPS_PER_UNIT), 1)
    return (steps / _STEPS_PER_UNIT).astype(np.float32)


def round_query_weights(values: Sequence[float]) -> list[float]:
    """Return each weight as a multiple of a step that fits the query's total, at least one step.

    The step is the smallest power of two of which the total takes at most 2**13: for ten terms of
    weight 5 it is 1/128.
    """
    if not values:
        return []
    step = 2.0 ** math.ceil(math.log2(math.fsum(values) / _QUERY_STEPS))
    return [(round(value / step) or 1) * step for value in values]
