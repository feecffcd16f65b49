"""The shards of one index folder, opened when first needed; loaded in the index process only.

Every engine call holds the interpreter for as long as it takes, so each method here does one piece
of work and the owner asks for the next: searches get in between.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from qdrant_edge import EdgeShard, Point, Query, UpdateOperation

from citewell.adapters.indexes.edge import searches
from citewell.adapters.indexes.edge.engine import DOCUMENT_KEY, VECTOR, open_shard
from citewell.adapters.indexes.edge.layout import (
    LEGS,
    IndexIdentity,
    read_identity,
    rebuild,
    stored_shards,
    tier_folder,
    write_identity,
)
from citewell.domain.errors import IndexUnavailableError
from citewell.ports.index import Leg

_Name = tuple[str, Leg]


@dataclass(slots=True)
class _OpenShard:
    shard: EdgeShard
    unflushed: bool = False


class Shards:
    """Reads and writes points; not thread-safe."""

    def __init__(self, root: Path, identity: IndexIdentity) -> None:
        """Take the folder, which the caller holds, and what its points are made with (checked)."""
        found = read_identity(root)
        self._root = root
        self._identity = found if found and identity.model_key is None else identity
        self._open: dict[_Name, _OpenShard] = {}

    def upsert_lexical(self, *, tier: str, points: Sequence[tuple[int, int, bytes, bytes]]) -> None:
        """Write points: chunk key, document key, `uint32[n]` terms, `float32[n]` weights."""
        made = [
            Point(
                key, {VECTOR: searches.sparse_vector(indices, values)}, {DOCUMENT_KEY: document_key}
            )
            for key, document_key, indices, values in points
        ]
        self._write(tier, "lexical", UpdateOperation.upsert_points(made))

    def upsert_dense(
        self, *, tier: str, chunk_keys: Sequence[int], document_keys: Sequence[int], vectors: bytes
    ) -> None:
        """Write points; `vectors` is `float32[n, dim]` as raw bytes."""
        dim = self._identity.dim
        rows = array("f")
        rows.frombytes(vectors)
        made = [
            Point(key, {VECTOR: rows[i * dim : (i + 1) * dim].tolist()}, {DOCUMENT_KEY: document})
            for i, (key, document) in enumerate(zip(chunk_keys, document_keys, strict=True))
        ]
        self._write(tier, "dense", UpdateOperation.upsert_points(made))

    def delete(self, *, tier: str, chunk_keys: Sequence[int]) -> None:
        """Remove points from both legs."""
        for leg in LEGS:
            if self._folder(tier, leg).is_dir():
                self._write(tier, leg, UpdateOperation.delete_points(list(chunk_keys)))

    def search_lexical(
        self,
        *,
        tiers: Sequence[str],
        indices: bytes,
        values: bytes,
        limit: int,
        document_keys: Sequence[int] | None,
    ) -> list[searches.Found]:
        """Return the best points of several tiers by dot product."""
        query = searches.nearest_terms(indices, values)
        return self._search(
            tiers, "lexical", query, limit=limit, document_keys=document_keys, exact=False
        )

    def search_dense(
        self,
        *,
        tiers: Sequence[str],
        vector: bytes,
        limit: int,
        document_keys: Sequence[int] | None,
        exact: bool,
    ) -> list[searches.Found]:
        """Return the best points of several tiers by cosine."""
        query = searches.nearest_vector(vector)
        return self._search(
            tiers, "dense", query, limit=limit, document_keys=document_keys, exact=exact
        )

    def keys_after(self, *, tier: str, leg: Leg, after: int, limit: int) -> list[int]:
        """Return at most `limit` keys of points above `after`, ascending."""
        if not self._folder(tier, leg).is_dir():
            return []
        return searches.keys_after(self._opened(tier, leg).shard, after, limit=limit)

    def opened(self) -> list[_Name]:
        """Return tier and leg of the shards opened so far."""
        return sorted(self._open)

    def unflushed(self) -> list[_Name]:
        """Return tier and leg of the shards written to since their last flush."""
        return sorted(name for name, entry in self._open.items() if entry.unflushed)

    def stored(self) -> list[_Name]:
        """Return tier and leg of every shard in the folder."""
        return stored_shards(self._root)

    def flush(self, *, tier: str, leg: Leg) -> None:
        """Make the writes to one shard durable."""
        entry = self._opened(tier, leg)
        entry.shard.flush()
        entry.unflushed = False

    def optimize(self, *, tier: str, leg: Leg) -> bool:
        """Build graphs and merge segments of one shard; return whether that was worth it."""
        entry = self._opened(tier, leg)
        if not entry.shard.optimize():
            return False
        entry.shard.flush()
        entry.unflushed = False
        _return_freed_memory()
        return True

    def vacuum(self, *, tier: str, leg: Leg) -> None:
        """Rewrite one shard without what was deleted from it."""
        folder = self._folder(tier, leg)
        if not folder.is_dir():
            return
        self._close(tier, leg)
        shard = open_shard(folder, leg, self._identity.dim, vacuum=True)
        shard.optimize()
        shard.flush()
        shard.close()
        _return_freed_memory()
        self._opened(tier, leg)

    def close(self) -> None:
        """Flush and close every shard."""
        for tier, leg in self.opened():
            self._close(tier, leg)

    def _search(
        self,
        tiers: Sequence[str],
        leg: Leg,
        query: Query,
        *,
        limit: int,
        document_keys: Sequence[int] | None,
        exact: bool,
    ) -> list[searches.Found]:
        rankings = [
            searches.search(
                self._opened(tier, leg).shard,
                query,
                limit=limit,
                document_keys=document_keys,
                exact=exact,
            )
            for tier in tiers
            if self._folder(tier, leg).is_dir()
        ]
        return searches.merge(rankings, limit=limit)

    def _write(self, tier: str, leg: Leg, operation: UpdateOperation) -> None:
        entry = self._opened(tier, leg)
        entry.unflushed = True
        entry.shard.update(operation)

    def _opened(self, tier: str, leg: Leg) -> _OpenShard:
        if (tier, leg) not in self._open:
            self._record_identity(leg)
            folder = self._folder(tier, leg)
            try:
                shard = open_shard(folder, leg, self._identity.dim)
            except Exception as error:
                raise IndexUnavailableError(
                    f"{folder} cannot be opened ({error}): {rebuild(self._root.absolute())}"
                ) from error
            self._open[tier, leg] = _OpenShard(shard)
        return self._open[tier, leg]

    def _record_identity(self, leg: Leg) -> None:
        """Write down what the folder is built with before its first shard of a leg exists."""
        found = read_identity(self._root)
        if found is None:
            found = replace(self._identity, model_key=None, dim=0)
            write_identity(self._root, found)
        if leg == "dense" and found.model_key is None:
            ours = self._identity
            write_identity(self._root, replace(found, model_key=ours.model_key, dim=ours.dim))

    def _close(self, tier: str, leg: Leg) -> None:
        entry = self._open.pop((tier, leg), None)
        if entry is not None:
            entry.shard.flush()
            entry.shard.close()

    def _folder(self, tier: str, leg: Leg) -> Path:
        return self._root / tier_folder(tier) / leg


def _return_freed_memory() -> None:
    """Give back what a rebuild has freed: glibc keeps it, 600 MB after one of 100,000 chunks."""
    with suppress(AttributeError):  # other C libraries have no such call
        ctypes.CDLL(None).malloc_trim(0)
