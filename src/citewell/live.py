"""Composition root of the live process: what watches sources, for the CLI and for a server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell
    from citewell.domain.source import Source
    from citewell.ingestion.watch_sources import SourcesWatch, WatchObservers
    from citewell.ports.change_feed import ChangeFeed
    from citewell.ports.connector import Connector

_PASSAGES_AT_ONCE = 8
"""Vectors made before they are kept: some tenths of a second, or what a stop loses."""


def watch_of(parts: Citewell, observers: WatchObservers, *, vectors: bool = True) -> SourcesWatch:
    """Return what watches the sources of a data folder that this process holds.

    Args:
        parts: Of the data folder.
        observers: Who is told what goes on.
        vectors: Make vectors too.
    """
    from citewell.adapters.change_feeds.folder import FolderFeeds
    from citewell.adapters.connectors.names import path_of_bytes
    from citewell.ingestion.watch_sources import SourcesWatch

    feeds = FolderFeeds(
        poll_interval_s=parts.settings.watch_poll_seconds,
        path_of=path_of_bytes,
        apart=parts.settings.data_dir.resolve(),
    )

    def open_feed(source: Source, connector: Connector, wake: Callable[[], None]) -> ChangeFeed:
        return feeds.open(source.root, connector, wake)

    def keep_up() -> None:
        outcome = parts.erasure.erase_due()
        for store, reason in outcome.waiting.items() if outcome else ():
            observers.trouble(f"deleted text is not yet erased from the {store}: {reason}")

    filling = parts.vector_filling if vectors else None
    size = min(parts.settings.embedding_batch_size, _PASSAGES_AT_ONCE)
    return SourcesWatch(
        parts=parts.sync.parts,
        open_feed=open_feed,
        connector=parts.connector,
        filling=filling and replace(filling, batch_size=size),
        observers=observers,
        upkeep=keep_up,
    )
