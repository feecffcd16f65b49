"""The two legs of a search: candidates that this request may read, best first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance
from citewell.domain.passage import VisibleChunk
from citewell.ports.index import Candidate, Index
from citewell.ports.passage_reader import PassageReader
from citewell.retrieval.told_search import told_part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_CANDIDATES = 10_000
_MAX_REPEATS = 20
"""How often the index is asked again because a document changed after it had answered."""


@dataclass(frozen=True, slots=True)
class VisibleRanking:
    """What a leg found.

    Attributes:
        candidates: Visible ones only, best first.
        n_hidden: Proposals of the index that the catalog did not let through (stale points).
    """

    candidates: tuple[Candidate, ...] = ()
    n_hidden: int = 0


@dataclass(frozen=True, slots=True)
class BothLegs:
    """What both legs found, all of it visible at one and the same moment.

    Attributes:
        lexical: Of the lexical leg; empty for a question without terms.
        dense: Of the dense leg; empty without a question vector.
        chunks: Every candidate, by chunk key.
    """

    lexical: VisibleRanking
    dense: VisibleRanking
    chunks: Mapping[int, VisibleChunk]


class _Leg:
    """The proposals of one leg, of which more can be asked for."""

    def __init__(self, propose: Callable[[int], list[Candidate]] | None, wanted: int) -> None:
        """Ask for the first `wanted`; a leg without `propose` has none."""
        self._propose = propose
        self._wanted = wanted
        self._limit = min(wanted, MAX_CANDIDATES)
        self.proposed = propose(self._limit) if propose else []

    def ask_again(self, visible: Mapping[int, VisibleChunk]) -> bool:
        """Ask the same again if something proposed is not visible; say whether that changed it.

        A document may get a new version between the index's answer and the catalog's: its old
        chunks are proposed and not visible, its new ones are visible and not proposed.
        """
        if self._propose is None or all(c.chunk_key in visible for c in self.proposed):
            return False
        before = self.proposed
        self.proposed = self._propose(self._limit)
        return self.proposed != before

    def ask_for_more(self, visible: Mapping[int, VisibleChunk]) -> bool:
        """Ask for twice as many if too few are visible and there may be more; say whether."""
        if self._propose is None or len(self.proposed) < self._limit:
            return False
        n_visible = sum(candidate.chunk_key in visible for candidate in self.proposed)
        if n_visible >= self._wanted or self._limit >= MAX_CANDIDATES:
            return False
        self._limit = min(2 * self._limit, MAX_CANDIDATES)
        self.proposed = self._propose(self._limit)
        return True

    def ranking(self, visible: Mapping[int, VisibleChunk]) -> VisibleRanking:
        """Return the first `wanted` visible proposals."""
        kept = [candidate for candidate in self.proposed if candidate.chunk_key in visible]
        return VisibleRanking(tuple(kept[: self._wanted]), len(self.proposed) - len(kept))


@dataclass(frozen=True, slots=True)
class SearchLegs:
    """Searches one index for one request at a time.

    Attributes:
        reader: Decides what is visible.
        index: Proposes candidates.
        exact: Compare with every vector instead of walking the graph.
    """

    reader: PassageReader
    index: Index
    exact: bool = False

    def search(
        self,
        clearance: Clearance,
        query: SparseVector,
        vector: Callable[[], NDArray[np.float32] | None],
        *,
        wanted: int,
        document_keys: Sequence[int] | None,
    ) -> BothLegs:
        """Return up to `wanted` visible chunks of each leg, by BM25 and by cosine.

        The legs ask for more until enough of their candidates are visible or there are no more.
        What is returned was read at one moment, so it holds one version of each document.

        Args:
            clearance: What may be read.
            query: The question's terms; without one the lexical leg finds nothing.
            vector: Gives the question's vector, or None; called after the lexical leg was asked,
                so that the vector may still be on its way.
            wanted: At least 1.
            document_keys: What to narrow the search to, or None.
        """
        with told_part("lexical leg"):
            lexical = _Leg(self._lexical(clearance, query, document_keys), wanted)
        with told_part("embed question", {"gen_ai.operation.name": "embeddings"}):
            embedded = vector()
        with told_part("dense leg"):
            dense = _Leg(self._dense(clearance, embedded, document_keys), wanted)
        with told_part("visible"):
            visible = self._visible(clearance, lexical, dense)
        for _ in range(_MAX_REPEATS):
            changed = [leg.ask_again(visible) for leg in (lexical, dense)]
            if not any(changed):
                break
            visible = self._visible(clearance, lexical, dense)
        while _ask_for_more(visible, lexical, dense):
            visible = self._visible(clearance, lexical, dense)
        rankings = lexical.ranking(visible), dense.ranking(visible)
        kept = {c.chunk_key: visible[c.chunk_key] for leg in rankings for c in leg.candidates}
        return BothLegs(*rankings, kept)

    def _lexical(
        self, clearance: Clearance, query: SparseVector, document_keys: Sequence[int] | None
    ) -> Callable[[int], list[Candidate]] | None:
        if not query.indices:
            return None
        return lambda limit: self.index.search_lexical(
            clearance, query, limit=limit, document_keys=document_keys
        )

    def _dense(
        self,
        clearance: Clearance,
        vector: NDArray[np.float32] | None,
        document_keys: Sequence[int] | None,
    ) -> Callable[[int], list[Candidate]] | None:
        if vector is None or not vector.any():
            return None
        return lambda limit: self.index.search_dense(
            clearance, vector, limit=limit, document_keys=document_keys, exact=self.exact
        )

    def _visible(self, clearance: Clearance, *legs: _Leg) -> Mapping[int, VisibleChunk]:
        keys = dict.fromkeys(c.chunk_key for leg in legs for c in leg.proposed)
        return self.reader.visible_chunks(clearance, list(keys)) if keys else {}


def _ask_for_more(visible: Mapping[int, VisibleChunk], *legs: _Leg) -> bool:
    """Let each leg ask for more where it has too little, and say whether any did."""
    asked = [leg.ask_for_more(visible) for leg in legs]
    return any(asked)
