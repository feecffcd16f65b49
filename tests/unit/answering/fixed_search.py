"""A search whose results a test gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from answering_samples import ListReader, make_passages

from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance
from citewell.domain.passage import SearchFilters, SearchResult, VisibleChunk
from citewell.lexical.weigh import weigh_query


class FixedSearch:
    """Finds the given chunks for the given questions, and for others chunks that are not enough.

    Attributes:
        asked: The questions, in order.
    """

    def __init__(
        self,
        found: Mapping[str, Sequence[VisibleChunk]],
        *,
        others: Sequence[VisibleChunk] = (),
        other_confidence: float = 0.1,
    ) -> None:
        self.asked: list[str] = []
        self._found = found
        self._others = others
        self._other_confidence = other_confidence

    @property
    def chunks(self) -> list[VisibleChunk]:
        """All that can be found."""
        return [chunk for chunks in (*self._found.values(), self._others) for chunk in chunks]

    def search_passages(
        self,
        question: str,
        clearance: Clearance,
        *,
        top_k: int = 5,
        filters: SearchFilters | None = None,
        explain: bool = False,
    ) -> SearchResult:
        self.asked.append(question)
        is_known = question in self._found
        chunks = [c for c in self._found.get(question, self._others) if clearance.allows(c.tier)]
        return SearchResult(
            confidence=0.9 if is_known else self._other_confidence,
            passages=make_passages(*chunks[:top_k]),
            is_sufficient=is_known and bool(chunks),
        )

    def weigh_question(self, question: str, clearance: Clearance) -> SparseVector:
        return weigh_query(question, {}, 10)


def reader_of(search: FixedSearch) -> ListReader:
    """Return a reader of all that a search can find."""
    return ListReader(*search.chunks)
