"""From the parts of a data folder to those of a server."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from citewell.domain.errors import UnavailableError
from citewell.server.health import Health
from citewell.server.limits import LimitOptions, QuestionPlaces
from citewell.server.metrics import Metrics
from citewell.server.parts import ServerParts
from citewell.server.races import Ending
from citewell.server.searches import Searches

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell
    from citewell.ports.authenticator import Authenticator
    from citewell.server.live_sync import LiveSync
    from citewell.settings import Settings

_OWN_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def wire_server(
    parts: Citewell,
    authenticator: Authenticator,
    *,
    hosts: Collection[str],
    live: LiveSync | None = None,
    metrics: Metrics | None = None,
) -> ServerParts:
    """Return what the routes work with.

    Args:
        parts: Of a data folder that this process holds.
        authenticator: Knows who shows a credential.
        hosts: Names or addresses that the server listens on.
        live: Follows the sources; None where nobody does.
        metrics: Counts what `parts` tells of; None where nobody does.
    """
    settings = parts.settings
    limits = limits_of(settings)
    searches = Searches(parts)
    names = {*_OWN_NAMES, *hosts, *settings.server_allowed_hosts}
    return ServerParts(
        tiers=settings.access_tiers,
        hosts=frozenset(name.strip("[]").lower() for name in names),
        origins=frozenset(settings.server_allowed_origins),
        top_k=settings.rag_top_k,
        authenticator=authenticator,
        searching=searches.search,
        answering=searches.answering,
        passages=parts.catalog.passages,
        library=parts.catalog.library,
        sources=parts.catalog.sources,
        runs=parts.catalog.runs,
        syncs=live.request_sync if live is not None else _refuse_sync,
        health=health_of(parts),
        conversations=parts.conversations,
        limits=limits,
        tracer=parts.tracer,
        metrics=metrics or Metrics(),
        places=QuestionPlaces(limits),
        ending=Ending(
            authenticator,
            answer_s=settings.server_answer_seconds,
            shutdown_s=settings.server_shutdown_seconds,
        ),
    )


def _refuse_sync(_source_id: str, _request: object) -> None:
    raise UnavailableError("this server does not follow the sources")


def health_of(parts: Citewell) -> Health:
    """Return what tells how the parts stand."""
    from citewell.choose_language_model import can_reach_language_model

    settings = parts.settings
    return Health(
        tiers=settings.access_tiers,
        sources=parts.catalog.sources,
        passages=parts.catalog.passages,
        pending=parts.catalog.pending,
        index=parts.index,
        embedder=parts.embedder.uncached,
        embedder_notice=parts.embedder.reason,
        language_model=None if settings.llm_provider == "extractive" else settings.llm_model or "",
        can_reach_model=lambda: can_reach_language_model(settings),
        is_model_configured=lambda: parts.language_model is not None,
    )


def limits_of(settings: Settings) -> LimitOptions:
    """Return how much may be asked, as the settings want it."""
    return LimitOptions(
        requests_per_minute=settings.server_requests_per_minute,
        questions_per_minute=settings.server_questions_per_minute,
        questions_per_principal=settings.server_questions_per_principal,
        questions_at_once=settings.server_questions_at_once,
        questions_waiting=settings.server_questions_waiting,
        waiting_s=settings.server_waiting_seconds,
    )
