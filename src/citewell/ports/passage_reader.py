"""The port through which every road to text passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from citewell.domain.clearance import Clearance
from citewell.domain.passage import SearchFilters, VisibleChunk


class PassageReader(Protocol):
    """Reads what a clearance may see, as the catalog stands now.

    A chunk is visible if and only if its document is live, the chunk belongs to the document's
    current version, and the document's tier is in the clearance. Statistics cover the same chunks.
    """

    def visible_chunks(
        self, clearance: Clearance, chunk_keys: Sequence[int]
    ) -> Mapping[int, VisibleChunk]:
        """Return those of the chunks that are visible, by key."""
        ...

    def find_chunk(self, clearance: Clearance, chunk_id: str) -> VisibleChunk | None:
        """Return a visible chunk by its id; None both when it is hidden and when it is absent."""
        ...

    def document_chunks(
        self, clearance: Clearance, document_key: int, *, ordinals: tuple[int, int]
    ) -> Sequence[VisibleChunk]:
        """Return the visible chunks of a document in a half-open range of ordinals, in order."""
        ...

    def document_frequencies(
        self, clearance: Clearance, terms: Sequence[int]
    ) -> tuple[Mapping[int, int], int]:
        """Return how many visible chunks hold each term (absent: 0), and how many there are."""
        ...

    def documents_matching(
        self, clearance: Clearance, filters: SearchFilters
    ) -> Sequence[int] | None:
        """Return the keys of visible documents that match, or None when nothing is narrowed.

        Raises:
            UsageError: A date is not ISO 8601.
        """
        ...

    def sample_chunk_keys(self, clearance: Clearance, *, limit: int) -> Sequence[int]:
        """Return keys of visible chunks; the same ones for the same corpus, as if drawn by lot."""
        ...
