"""From the parts of a data folder to those of a server."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from citewell.server.limits import LimitOptions, QuestionPlaces
from citewell.server.parts import ServerParts
from citewell.server.races import Ending
from citewell.server.searches import Searches

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell
    from citewell.ports.authenticator import Authenticator
    from citewell.settings import Settings

_OWN_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def wire_server(
    parts: Citewell, authenticator: Authenticator, *, hosts: Collection[str]
) -> ServerParts:
    """Return what the routes work with.

    Args:
        parts: Of a data folder that this process holds.
        authenticator: Knows who shows a credential.
        hosts: Names or addresses that the server listens on.
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
        answering=searches.answering,
        limits=limits,
        places=QuestionPlaces(limits),
        ending=Ending(
            authenticator,
            answer_s=settings.server_answer_seconds,
            shutdown_s=settings.server_shutdown_seconds,
        ),
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
