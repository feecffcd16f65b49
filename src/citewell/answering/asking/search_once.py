"""The searches of one answer: each question is searched once, for one reader."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from citewell.answering.asking.answer_log import AnswerLog
from citewell.domain.ask_request import AskRequest
from citewell.domain.clearance import Clearance
from citewell.domain.passage import SearchResult
from citewell.retrieval.search_passages import PassageSearch


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
            self._found[query] = self._search.search_passages(
                query,
                self._clearance,
                top_k=self._request.top_k,
                filters=self._request.filters,
                explain=self._request.explain,
            )
            self._log.add("searches", {"query": query, **(self._found[query].explain or {})})
        return self._found[query]

    async def find_all(self, queries: Sequence[str]) -> list[SearchResult]:
        """Return what is found for each query, searched in parallel; errors as of `find`."""
        results = await asyncio.gather(*(asyncio.to_thread(self.find, query) for query in queries))
        self._log.lap("search")
        return results
