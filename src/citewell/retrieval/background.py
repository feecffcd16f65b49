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
) -> Background | None:
    """Return the background of a question, or None where fewer than two chunks have vectors.

    The sample is drawn from visible chunks only, so nothing hidden moves it.
    """
    keys = reader.sample_chunk_keys(clearance, limit=SAMPLE_SIZE)
    sample = vectors.get(keys).vectors
    if len(sample) < 2:
        return None
    cosines = sample @ vector
    spread = max(float(cosines.std()), 1e-3)
    return Background(float(cosines.mean()), spread, len(sample))
