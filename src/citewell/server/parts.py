"""What the routes work with: services and ports, wired elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from citewell.access.clearance import clearance_of
from citewell.conversations.ask_in_conversation import ConversationalAnswering
from citewell.domain.clearance import Clearance, Principal
from citewell.ports.tracer import UNTOLD, Tracer
from citewell.server.metrics import Metrics
from citewell.server.request_state import principal_of

if TYPE_CHECKING:
    from citewell.answering.answer_question import Answering
    from citewell.conversations.keep_conversations import Conversations
    from citewell.ingestion.watch_source import SyncRequest
    from citewell.ports.authenticator import Authenticator
    from citewell.ports.library_reader import LibraryReader
    from citewell.ports.passage_reader import PassageReader
    from citewell.ports.run_log import RunLog
    from citewell.ports.source_registry import SourceRegistry
    from citewell.retrieval.search_passages import PassageSearch
    from citewell.server.health import Health
    from citewell.server.limits import LimitOptions, QuestionPlaces
    from citewell.server.races import Ending


@dataclass(frozen=True, slots=True)
class ServerParts:
    """The parts of a server.

    Attributes:
        tiers: All tiers of this installation, lowest first.
        hosts: Host names in lower case, without port, under which the server answers.
        origins: Other web sites whose pages may call it.
        top_k: Passages per search where a request says nothing.
        authenticator: Knows who shows a credential.
        searching: Returns what searches; raises where nothing can be searched yet.
        answering: Returns what answers; raises likewise, and where no model can be asked.
        conversations: Keeps conversations and feedback.
        passages: Reads what may be seen.
        library: Lists what may be seen.
        sources: Knows the sources.
        runs: Keeps their history.
        syncs: Has the source of an id looked at now; raises `BusyError` or `UnavailableError`.
        health: Knows how the parts stand.
        limits: How much may be asked.
        places: Where questions are answered.
        ending: What may end an answer early.
        tracer: Told what takes how long.
        metrics: What operators are told of questions and syncs.
        heartbeat_s: After so many seconds of silence a stream sends a comment, so that proxies keep
            the connection.
    """

    tiers: tuple[str, ...]
    hosts: frozenset[str]
    origins: frozenset[str]
    top_k: int
    authenticator: Authenticator
    searching: Callable[[], PassageSearch]
    answering: Callable[[], Answering]
    conversations: Conversations
    passages: PassageReader
    library: LibraryReader
    sources: SourceRegistry
    runs: RunLog
    syncs: Callable[[str, SyncRequest], None]
    health: Health
    limits: LimitOptions
    places: QuestionPlaces
    ending: Ending
    tracer: Tracer = UNTOLD
    metrics: Metrics = field(default_factory=Metrics)
    heartbeat_s: float = 10.0

    def asking(self) -> ConversationalAnswering:
        """Return what answers, with the turns of a conversation; raises as `answering`."""
        return ConversationalAnswering(self.answering(), self.conversations)

    def clearance(self, principal: Principal, narrowed_to: str | None = None) -> Clearance:
        """Return what a request of a principal may read."""
        return clearance_of(principal, tiers=self.tiers, narrowed_to=narrowed_to)


def _parts(request: Request) -> ServerParts:
    return request.app.state.parts


def _principal(request: Request) -> Principal:
    return principal_of(request.scope)


Parts = Annotated[ServerParts, Depends(_parts)]
"""A route's parts."""

Asker = Annotated[Principal, Depends(_principal)]
"""Who asks."""
