"""Settings of the engine's shards, and opening them; loaded in the index process only.

The figures behind the settings are in `docs/decisions/2026-11-29-index-process.md`.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from qdrant_edge import (
    Distance,
    EdgeConfig,
    EdgeOptimizersConfig,
    EdgeShard,
    EdgeSparseVectorParams,
    EdgeVectorParams,
    HnswIndexConfig,
    IntegerIndexParams,
    Memory,
    ScalarQuantizationConfig,
    ScalarType,
    UpdateOperation,
)

from citewell.ports.index import Leg

VECTOR = "v"
DOCUMENT_KEY = "document_key"

_UNINDEXED_KB = (
    10_000  # some 6,600 vectors of 384 or 7,000 sparse ones: searched in 2 ms without a graph
)
_FULL_SCAN_KB = 40_000  # with filters that leave fewer, a scan is faster than the graph and exact
_LEXICAL_SEGMENTS = (
    8  # a merge rewrites the smallest ones only: 1.7 s instead of 12 s per 10,000 chunks
)
_DENSE_SEGMENTS = 1  # a graph grows in place, and several of them are slower to search


def open_shard(folder: Path, leg: Leg, dim: int, *, vacuum: bool = False) -> EdgeShard:
    """Open a shard; one that does not exist is made whole or not at all.

    Args:
        folder: Of the shard.
        leg: Which one it serves.
        dim: Of the dense vectors.
        vacuum: Let `optimize` rewrite every segment that holds a deleted point.
    """
    if not folder.exists():
        _create(folder, _settings(leg, dim))
    return EdgeShard.load(str(folder), _settings(leg, dim, vacuum=vacuum))


def _create(folder: Path, settings: EdgeConfig) -> None:
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True, mode=0o700)
    shard = EdgeShard.create(str(new), settings)
    document_index = IntegerIndexParams(lookup=True, range=False, enable_hnsw=False)
    shard.update(UpdateOperation.create_field_index(DOCUMENT_KEY, document_index))
    shard.flush()
    shard.close()
    new.rename(folder)


def _settings(leg: Leg, dim: int, *, vacuum: bool = False) -> EdgeConfig:
    segments = _LEXICAL_SEGMENTS if leg == "lexical" else _DENSE_SEGMENTS
    optimizers = EdgeOptimizersConfig(
        default_segment_number=segments,
        indexing_threshold=_UNINDEXED_KB,
        deleted_threshold=1e-9 if vacuum else None,
        vacuum_min_vector_number=1 if vacuum else None,
    )
    if leg == "lexical":
        sparse = EdgeSparseVectorParams(memory=Memory.Cached)
        return EdgeConfig(sparse_vectors={VECTOR: sparse}, optimizers=optimizers, wal_enabled=False)
    dense = EdgeVectorParams(
        dim,
        Distance.Cosine,
        memory=Memory.Cold,
        hnsw_config=HnswIndexConfig(16, 100, _FULL_SCAN_KB),
        quantization_config=ScalarQuantizationConfig(ScalarType.Int8, memory=Memory.Pinned),
    )
    return EdgeConfig(vectors={VECTOR: dense}, optimizers=optimizers, wal_enabled=False)
