"""How similar unrelated chunks are to a question: the scale on which a cosine is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.domain.clearance import Clearance
from citewell.ports.passage_reader import PassageReader
from citewell.ports.vector_store import VectorStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAMPLE_SIZE = 256


@dataclass(frozen=True, slots=True)
class Background:
    """Cosines of a question to a sample of the chunks that the reader may see.

    Attributes:
        mean: In [-1, 1].
        spread: Standard deviation, above 0.
        n_sampled: Chunks that the figures come from.
    """

    mean: float
    spread: float
    n_sampled: int


def measure_background(
    clearance: Clearance,
    vector: NDArray[np.float32],
    *,
    reader: PassageReader,
    vectors: VectorStore,
) -> tuple[Background | None, float]:
    """Return the background of a question, and the share of sampled chunks that have a vector.

    The sample is drawn from visible chunks only, so nothing hidden moves it. With fewer than two
    vectors there is no background.
    """
    keys = reader.sample_chunk_keys(clearance, limit=SAMPLE_SIZE)
    sample = vectors.get(keys).vectors
    share = len(sample) / len(keys) if keys else 0.0
    if len(sample) < 2:
        return None, share
    cosines = sample @ vector
    spread = max(float(cosines.std()), 1e-3)
    return Background(float(cosines.mean()), spread, len(sample)), share
