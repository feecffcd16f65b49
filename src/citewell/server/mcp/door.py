"""What the tools of MCP need of the way in by which they are called."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from citewell.access.clearance import clearance_of

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

    from citewell.answering.answer_question import Answering
    from citewell.domain.clearance import Clearance, Principal
    from citewell.ports.library_reader import LibraryReader
    from citewell.ports.passage_reader import PassageReader
    from citewell.ports.source_registry import SourceRegistry
    from citewell.ports.tracer import Tracer
    from citewell.retrieval.search_passages import PassageSearch

Result = TypeVar("Result")
Work = Callable[[], Coroutine[Any, Any, Result]]


@dataclass(frozen=True, slots=True)
class ToolParts:
    """What tools work with.

    Attributes:
        tiers: All tiers of this installation, lowest first.
        top_k: Passages per search where a call says nothing.
        searching: Returns what searches; raises where nothing can be searched yet.
        answering: Returns what answers; raises likewise.
        passages: Reads what may be seen.
        library: Lists what may be seen.
        sources: Knows the sources.
        tracer: Told what takes how long.
    """

    tiers: Sequence[str]
    top_k: int
    searching: Callable[[], PassageSearch]
    answering: Callable[[], Answering]
    passages: PassageReader
    library: LibraryReader
    sources: SourceRegistry
    tracer: Tracer

    def clearance(self, principal: Principal, narrowed_to: str | None = None) -> Clearance:
        """Return what a call of a principal may read."""
        return clearance_of(principal, tiers=self.tiers, narrowed_to=narrowed_to)


class Door(Protocol):
    """The way by which tools are called."""

    def principal_of(self, context: Context[Any, Any]) -> Principal:
        """Return who calls."""
        ...

    def request_id_of(self, context: Context[Any, Any]) -> str:
        """Return the id by which the call is found in logs."""
        ...

    def lent(self) -> AbstractAsyncContextManager[ToolParts]:
        """Lend the parts for one call."""
        ...

    async def hold(self, principal: Principal, work: Work[Result]) -> Result:
        """Run a search or a question within the limits of this way in.

        Raises:
            CitewellError: It may not begin, must end early, or failed.
        """
        ...
