"""Listing the sources of which a reader may see something."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.domain.clearance import Clearance
from citewell.domain.source import Source
from citewell.ports.library_reader import LibraryReader
from citewell.ports.source_registry import SourceRegistry


def list_sources(
    registry: SourceRegistry, reader: LibraryReader, clearance: Clearance
) -> Sequence[Source]:
    """Return the sources with a document that may be read, by name."""
    readable = reader.readable_sources(clearance)
    return [source for source in registry.sources() if source.id in readable]
