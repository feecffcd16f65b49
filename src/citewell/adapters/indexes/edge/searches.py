"""Searches in the engine's shards, with ties by key; loaded in the index process only."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from qdrant_edge import (
    AcornSearchParams,
    EdgeShard,
    FieldCondition,
    Filter,
    MatchAny,
    QuantizationSearchParams,
    Query,
    QueryRequest,
    ScrollRequest,
    SearchParams,
    SparseVector,
)

from citewell.adapters.indexes.edge.engine import DOCUMENT_KEY, VECTOR

Found = tuple[float, int]
"""Score and chunk key."""

# With 100,000 clustered vectors these gave recall@10 of 0.9995 against exact search in 0.3 ms;
# without oversampling the rounding to int8 alone costs 7 points.
_GRAPH_BREADTH = 128
_OVERSAMPLING = 2.0
# A filter that hides most points breaks the graph apart (recall 0.93 at 30 % of the points);
# looking two steps ahead mends it (1.0).
_TWO_STEPS_BELOW = 0.6
_SPARE = 16  # fetched beyond the limit, so that most ties at the border need no second search


def nearest_terms(indices: bytes, values: bytes) -> Query:
    """Return a query by dot product; `uint32[n]` and `float32[n]` as raw bytes."""
    return Query.Nearest(sparse_vector(indices, values), using=VECTOR)


def nearest_vector(vector: bytes) -> Query:
    """Return a query by cosine; `float32[dim]` as raw bytes."""
    numbers = array("f")
    numbers.frombytes(vector)
    return Query.Nearest(numbers.tolist(), using=VECTOR)


def sparse_vector(indices: bytes, values: bytes) -> SparseVector:
    """Return the engine's form of `uint32[n]` and `float32[n]` as raw bytes."""
    terms, weights = array("I"), array("f")
    terms.frombytes(indices)
    weights.frombytes(values)
    return SparseVector(terms.tolist(), weights.tolist())


def search(
    shard: EdgeShard,
    query: Query,
    *,
    limit: int,
    document_keys: Sequence[int] | None,
    exact: bool,
) -> list[Found]:
    """Return the best points of one shard, best first; ties by key, also at the limit."""
    wanted = limit + _SPARE
    while True:
        found = _fetch(shard, query, limit=wanted, document_keys=document_keys, exact=exact)
        tied_at_border = len(found) == wanted and found[limit - 1][0] == found[-1][0]
        if not tied_at_border:
            return sorted(found, key=_best_first)[:limit]
        wanted *= 4


def merge(rankings: Iterable[Sequence[Found]], *, limit: int) -> list[Found]:
    """Return the best of several rankings, best first, each key once with its best score."""
    best: dict[int, float] = {}
    for ranking in rankings:
        for score, key in ranking:
            best[key] = max(score, best.get(key, score))
    return sorted(((score, key) for key, score in best.items()), key=_best_first)[:limit]


def keys_after(shard: EdgeShard, after: int, *, limit: int) -> list[int]:
    """Return at most `limit` keys of points above `after`, ascending."""
    page = ScrollRequest(offset=after + 1, limit=limit, with_payload=False, with_vector=False)
    records, _ = shard.scroll(page)
    return [int(str(record.id)) for record in records]


def _fetch(
    shard: EdgeShard,
    query: Query,
    *,
    limit: int,
    document_keys: Sequence[int] | None,
    exact: bool,
) -> list[Found]:
    restriction = None
    if document_keys is not None:
        match = MatchAny(list(document_keys))
        restriction = Filter(must=[FieldCondition(DOCUMENT_KEY, match=match)])
    params = SearchParams(
        hnsw_ef=_GRAPH_BREADTH,
        exact=exact,
        quantization=QuantizationSearchParams(rescore=True, oversampling=_OVERSAMPLING),
        acorn=AcornSearchParams(enable=restriction is not None, max_selectivity=_TWO_STEPS_BELOW),
    )
    request = QueryRequest(
        limit, query=query, filter=restriction, params=params, with_payload=False
    )
    return [(point.score, int(str(point.id))) for point in shard.query(request)]


def _best_first(found: Found) -> tuple[float, int]:
    score, key = found
    return -score, key
