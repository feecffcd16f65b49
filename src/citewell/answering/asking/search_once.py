"""The searches of one answer: each question is searched once, for one reader."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from citewell.answering.asking.answer_log import AnswerLog
from citewell.domain.ask_request import AskRequest
from citewell.domain.clearance import Clearance
from citewell.domain.passage import SearchResult
from citewell.retrieval.search_passages import PassageSearch
from citewell.retrieval.told_search import told_search


class SearchOnce:
    """Searches for what one reader asks, and keeps what was found until the answer is made."""

    def __init__(
        self, search: PassageSearch, request: AskRequest, clearance: Clearance, log: AnswerLog
    ) -> None:
        """Take how to search, and for whom; `log` takes the trace."""
        self._search = search
        self._request = request
        self._clearance = clearance
        self._log = log
        self._found: dict[str, SearchResult] = {}

    @property
    def found(self) -> Mapping[str, SearchResult]:
        """What was found so far, by what was searched for."""
        return dict(self._found)

    def find(self, query: str) -> SearchResult:
        """Return what is found for a query.

        Raises:
            RetrievalNotReadyError: There is nothing that this reader could search.
            UsageError: A filter is not valid.
        """
        if query not in self._found:
            self._found[query] = self._find(query)
            self._log.add("searches", {"query": query, **(self._found[query].explain or {})})
        return self._found[query]

    def _find(self, query: str) -> SearchResult:
        search, request = self._search, self._request
        with told_search(self._log.span) as told:
            result = search.search_passages(
                query,
                self._clearance,
                top_k=request.top_k,
                filters=request.filters,
                explain=request.explain,
            )
            told.append(result)
        return result

    async def find_all(self, queries: Sequence[str]) -> list[SearchResult]:
        """Return what is found for each query, searched in parallel; errors as of `find`."""
        results = await asyncio.gather(*(asyncio.to_thread(self.find, query) for query in queries))
        self._log.lap("search")
        return results
