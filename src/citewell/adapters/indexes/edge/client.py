"""The default index: Qdrant Edge in a process of its own."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from typing_extensions import override

from citewell.adapters.indexes import validate
from citewell.adapters.indexes.edge.exact_weights import round_query_weights
from citewell.adapters.indexes.edge.layout import LEGS, IndexIdentity, check_identity, tier_folder
from citewell.adapters.indexes.edge.pack_points import pack_points
from citewell.adapters.indexes.edge.process import IndexProcess
from citewell.adapters.indexes.edge.supervisor import Ask, RunningIndex, Supervisor
from citewell.adapters.indexes.edge.wire import Message
from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance
from citewell.domain.errors import EmbeddingMismatchError
from citewell.ports.embedder import EmbeddingModel
from citewell.ports.index import Candidate, Index, Leg, LexicalPoint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH = 100  # points in one request: some 8 ms, so that a search never waits longer for a write
_DELETE_BATCH = 1_000
_KEYS_PAGE = 10_000

_T = TypeVar("_T")


class EdgeIndex(Index):
    """One folder of Qdrant Edge shards, one shard per tier and leg, served by a process of its own.

    The process starts at the first request and ends with `close` or with this process. It has no
    write-ahead log: **a write is durable only once `flush` has returned.** If the process dies, the
    next request starts it again; searches then go on with what was flushed, and the first write or
    flush raises `IndexRestartedError`, once, if writes since the last flush are lost. Whoever
    writes keeps them until `flush` has returned, and on that error makes them again. Writing from
    several threads, compare `restarts` before the first write and after the flush instead: only
    one of them gets the error.
    """

    def __init__(
        self,
        root: Path,
        *,
        model: EmbeddingModel | None,
        analyzer_version: int,
        catalog_id: str | None = None,
        search_timeout_s: float = 120.0,
        start: Callable[[Path, IndexIdentity], RunningIndex] = IndexProcess,
    ) -> None:
        """Take the folder; it is made at the first request.

        Args:
            root: Holds nothing else; lost without harm, as everything in it comes from the catalog.
            model: Of the dense leg; None if there is no embedder: then only the lexical leg works.
            analyzer_version: Of the analyzer that hashes terms.
            catalog_id: Of the catalog whose keys the points bear; None: it does not matter whose.
            search_timeout_s: How long a search waits for the process, e.g. while it optimizes.
            start: Starts the process, or finds that of another owner.

        Raises:
            EmbeddingMismatchError: The folder was built with another model or dimension.
            IndexUnavailableError: The folder was built with another schema, analyzer or catalog.
        """
        self._model = model
        identity = IndexIdentity(
            analyzer_version=analyzer_version,
            model_key=model.key if model else None,
            dim=model.dim if model else 0,
            catalog_id=catalog_id,
        )
        check_identity(root, identity)
        self._root = root
        self._supervisor = Supervisor(lambda: start(root, identity))
        self._search_timeout_s = search_timeout_s

    @property
    def restarts(self) -> int:
        """How many times the process was started after it had died; each may have lost writes."""
        return self._supervisor.restarts

    @property
    def process_id(self) -> int | None:
        """Of the running index process, or None."""
        return self._supervisor.process_id

    def start(self) -> None:
        """Start the process now instead of at the first request."""
        self._supervisor.read({"do": "opened"})

    @override
    def upsert_lexical(self, tier: str, points: Sequence[LexicalPoint]) -> None:
        tier_folder(tier)
        packed = pack_points(points) if points else []
        for batch in _batches(packed, _BATCH):
            self._supervisor.write({"do": "upsert_lexical", "tier": tier, "points": batch})

    @override
    def upsert_dense(
        self,
        tier: str,
        *,
        chunk_keys: Sequence[int],
        document_keys: Sequence[int],
        vectors: NDArray[np.float32],
    ) -> None:
        tier_folder(tier)
        rows = validate.as_vectors(vectors, n=len(chunk_keys), dim=self._dim)
        if len(document_keys) != len(chunk_keys):
            raise ValueError(f"{len(chunk_keys)} chunks have {len(document_keys)} documents")
        validate.check_keys(chunk_keys)
        validate.check_keys(document_keys)
        for start in range(0, len(chunk_keys), _BATCH):
            batch = slice(start, start + _BATCH)
            request = {
                "do": "upsert_dense",
                "tier": tier,
                "chunk_keys": _integers(chunk_keys[batch]),
                "document_keys": _integers(document_keys[batch]),
                "vectors": rows[batch].tobytes(),
            }
            self._supervisor.write(request)

    @override
    def delete(self, tier: str, chunk_keys: Sequence[int]) -> None:
        tier_folder(tier)
        validate.check_keys(chunk_keys)
        for batch in _batches(chunk_keys, _DELETE_BATCH):
            self._supervisor.write({"do": "delete", "tier": tier, "chunk_keys": _integers(batch)})

    @override
    def search_lexical(
        self,
        clearance: Clearance,
        query: SparseVector,
        *,
        limit: int,
        document_keys: Sequence[int] | None = None,
    ) -> list[Candidate]:
        validate.check_limit(limit)
        validate.check_query_terms(query)
        if not query.indices:
            return []
        weights = round_query_weights(query.values)
        terms = {
            "indices": array("I", query.indices).tobytes(),
            "values": array("f", weights).tobytes(),
        }
        request = {"do": "search_lexical", "limit": limit, **terms}
        return self._search(request, clearance, document_keys)

    @override
    def search_dense(
        self,
        clearance: Clearance,
        vector: NDArray[np.float32],
        *,
        limit: int,
        document_keys: Sequence[int] | None = None,
        exact: bool = False,
    ) -> list[Candidate]:
        validate.check_limit(limit)
        row = validate.as_query_vector(vector, dim=self._dim)
        nearest = {"vector": row.tobytes(), "exact": exact}
        request = {"do": "search_dense", "limit": limit, **nearest}
        return self._search(request, clearance, document_keys)

    @override
    def chunk_keys(self, tier: str, leg: Leg) -> list[int]:
        tier_folder(tier)
        keys: list[int] = []
        while True:
            after = keys[-1] if keys else -1
            request = {"tier": tier, "leg": leg, "after": after, "limit": _KEYS_PAGE}
            page = self._supervisor.read({"do": "keys_after", **request})
            keys += page
            if len(page) < _KEYS_PAGE:
                return keys

    @override
    def flush(self) -> None:
        self._supervisor.flush(_flush_all)

    @override
    def optimize(self) -> None:
        """Flush, then build graphs and merge segments, shard by shard, where it is worth it.

        Does nothing while no process was needed; takes milliseconds where nothing is worth it.
        Searches wait while one shard is at work. Raises as `flush`.
        """
        self._supervisor.flush(_optimize_all)

    @override
    def vacuum(self, tier: str) -> None:
        """Flush, then rewrite a tier's shards without what was deleted from them, leaving no trace.

        Searches wait while one shard is at work. Raises as `flush`.
        """
        tier_folder(tier)

        def rewrite(ask: Ask) -> None:
            _flush_all(ask)
            for leg in LEGS:
                ask({"do": "vacuum", "tier": tier, "leg": leg})

        self._supervisor.flush(rewrite, start=self._root.is_dir())

    def opened_shards(self) -> list[tuple[str, Leg]]:
        """Return tier and leg of the shards that the running process has opened, in order."""
        if self.process_id is None:
            return []
        return [(tier, leg) for tier, leg in self._supervisor.read({"do": "opened"})]

    @override
    def close(self) -> None:
        """Flush, end the process and release the folder.

        Raises:
            IndexRestartedError: The process had died, and writes since the last flush are lost.
        """
        self._supervisor.close()

    @property
    def _dim(self) -> int:
        if self._model is None:
            raise EmbeddingMismatchError("this index was opened without an embedding model")
        return self._model.dim

    def _search(
        self,
        request: Message,
        clearance: Clearance,
        document_keys: Sequence[int] | None,
    ) -> list[Candidate]:
        if document_keys is not None and not document_keys:
            return []
        request["tiers"] = list(clearance.tiers)
        request["document_keys"] = None if document_keys is None else _integers(document_keys)
        found = self._supervisor.read(request, timeout_s=self._search_timeout_s)
        return [Candidate(key, score) for score, key in found]


def _flush_all(ask: Ask) -> None:
    for tier, leg in ask({"do": "unflushed"}):
        ask({"do": "flush", "tier": tier, "leg": leg})


def _optimize_all(ask: Ask) -> None:
    _flush_all(ask)
    for tier, leg in ask({"do": "stored"}):
        ask({"do": "optimize", "tier": tier, "leg": leg})


def _integers(numbers: Sequence[int]) -> list[int]:
    """Return plain integers: NumPy's are not known to MessagePack."""
    return [int(number) for number in numbers]


def _batches(items: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
