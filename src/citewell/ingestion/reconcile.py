"""Drift between the catalog and its projections: found by comparing keys, repaired by the outbox.

A key names one chunk of one version for ever, so a projection is right when it holds exactly the
keys of the current versions: nothing is read but keys.
"""

from __future__ import annotations

from dataclasses import dataclass

from citewell.ingestion.write_index import IndexWriter
from citewell.ports.index import Index, Leg
from citewell.ports.pending_work import PendingWork
from citewell.ports.vector_store import VectorStore

_Keys = dict[Leg, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """The parts that find drift and repair it.

    Attributes:
        pending: Knows what the index must hold.
        index: What is compared.
        vectors: The store of vectors; None without an embedder, which leaves the dense leg alone.
        writer: Applies the repairs.
        tiers: All tiers.
    """

    pending: PendingWork
    index: Index
    vectors: VectorStore | None
    writer: IndexWriter
    tiers: tuple[str, ...]

    def repair_drift(self) -> int:
        """Repair what differs from the catalog, and return how many points and vectors did.

        Raises:
            IndexUnavailableError: The index cannot be reached.
        """
        self.writer.settle()  # what the outbox still asks for is no drift
        n_repaired = self._remove_orphaned_vectors()
        for tier in self.tiers:
            n_repaired += self._repair_tier(tier)
        if n_repaired:
            self.writer.settle()
        return n_repaired

    def _repair_tier(self, tier: str) -> int:
        there, wanted = self._compare(tier)
        orphaned = {leg: there[leg] - wanted[leg] for leg in wanted}
        removed = frozenset[int]().union(*orphaned.values())
        self.pending.request_removal(tier, sorted(removed))
        n_missing = 0
        for leg, keys in wanted.items():
            n_missing += len(keys - there[leg])
            # a removal takes a key out of both legs
            self.pending.request_points(tier, leg, sorted(keys - there[leg] | keys & removed))
        return n_missing + sum(map(len, orphaned.values()))

    def _compare(self, tier: str) -> tuple[_Keys, _Keys]:
        """Return what the legs hold and what they must hold.

        In this order: what is written meanwhile may be written again, but is not taken for an
        orphan.
        """
        there: _Keys = {"lexical": self._indexed(tier, "lexical")}
        if self.vectors is None:
            return there, {"lexical": self._expected(tier, "lexical")}
        there["dense"] = self._indexed(tier, "dense")
        dense = self._expected(tier, "dense") & frozenset(self.vectors.keys())
        return there, {"lexical": self._expected(tier, "lexical"), "dense": dense}

    def _indexed(self, tier: str, leg: Leg) -> frozenset[int]:
        return frozenset(self.index.chunk_keys(tier, leg))

    def _expected(self, tier: str, leg: Leg) -> frozenset[int]:
        return frozenset(self.pending.expected_keys(tier, leg))

    def _remove_orphaned_vectors(self) -> int:
        if self.vectors is None:
            return 0
        stored = frozenset(self.vectors.keys())
        orphaned = sorted(stored.difference(self.pending.current_keys()))
        if orphaned:
            self.pending.record_orphans(orphaned)
            self.vectors.delete(orphaned)
        return len(orphaned)
