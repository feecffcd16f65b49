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


class BackgroundSampler:
    """Measures the background of a question; safe to use from several threads.

    The sample is drawn from visible chunks only, so nothing hidden moves it. Its vectors are kept
    between questions as long as the very same chunks make up the sample.
    """

    def __init__(self, reader: PassageReader, vectors: VectorStore) -> None:
        """Take what knows the visible chunks, and their vectors."""
        self._reader = reader
        self._vectors = vectors
        self._samples: dict[Clearance, _Sample] = {}

    def measure(
        self, clearance: Clearance, vector: NDArray[np.float32]
    ) -> tuple[Background | None, float]:
        """Return the background of a question, and the share of sampled chunks with a vector.

        With fewer than two vectors there is no background.
        """
        sample = self._sample(clearance)
        share = len(sample.vectors) / len(sample.keys) if sample.keys else 0.0
        if len(sample.vectors) < 2:
            return None, share
        cosines = sample.vectors @ vector
        spread = max(float(cosines.std()), 1e-3)
        return Background(float(cosines.mean()), spread, len(sample.vectors)), share

    def _sample(self, clearance: Clearance) -> _Sample:
        keys = tuple(self._reader.sample_chunk_keys(clearance, limit=SAMPLE_SIZE))
        known = self._samples.get(clearance)
        if known is not None and known.keys == keys and len(known.vectors) == len(keys):
            return known  # a key names one chunk for ever, and a chunk's vector never changes
        sample = _Sample(keys, self._vectors.get(keys).vectors)
        self._samples[clearance] = sample
        return sample


@dataclass(frozen=True, slots=True)
class _Sample:
    keys: tuple[int, ...]
    vectors: NDArray[np.float32]
