"""A server from its begin to its end: sockets, application, live sync, and an orderly close."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from citewell.server.app import make_app
from citewell.server.live_sync import LiveSync
from citewell.server.logs import configure_logs
from citewell.server.metrics import Metrics
from citewell.server.observation import Observation
from citewell.server.serve import listen, serve
from citewell.server.wire import wire_server

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell
    from citewell.ports.authenticator import Authenticator

_SPARE_THREADS = 4  # beyond one for each question: an answer searches twice at a time now and then


def run_server(
    parts: Citewell,
    authenticator: Authenticator,
    *,
    is_syncing: bool,
    begun: Callable[[str], None],
) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        parts: Of a data folder that this process holds.
        authenticator: Knows who shows a credential.
        is_syncing: Whether the sources are followed.
        begun: Told the address once requests are answered.

    Raises:
        ConfigurationError: The address cannot be listened on.
    """
    settings = parts.settings
    configure_logs(settings.log_level)
    sockets = listen(settings.server_host, settings.server_port)
    parts.serve_searches()
    parts.writer.settle()
    metrics = Metrics()
    parts.observed_by(Observation(metrics).ended)
    live = LiveSync(parts)
    wired = wire_server(
        parts, authenticator, hosts=[settings.server_host], live=live, metrics=metrics
    )
    port = sockets[0].getsockname()[1]
    try:
        if is_syncing:
            live.start()
        serve(
            make_app(wired, lifespans=[_closing_model(parts)]),
            sockets,
            stopping=wired.ending.stopping,
            shutdown_s=settings.server_shutdown_seconds,
            n_threads=settings.server_questions_at_once + _SPARE_THREADS,
            begun=lambda: begun(f"http://{_in_url(settings.server_host)}:{port}"),
        )
    finally:
        live.stop()


@asynccontextmanager
async def _closing_model(parts: Citewell) -> AsyncGenerator[None]:
    """Close the language model's connections before the event loop ends."""
    try:
        yield
    finally:
        if parts.language_model is not None:
            await parts.language_model.close()


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
