"""The port to documents as readers see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from citewell.domain.clearance import Clearance
from citewell.domain.library import ReadableDocument


class LibraryReader(Protocol):
    """Lists what a clearance may see, as the catalog stands now.

    A document is readable if and only if it is live and its tier is in the clearance, whether it
    has text or not.
    """

    def readable_documents(
        self,
        clearance: Clearance,
        *,
        limit: int,
        source: str | None = None,
        after: tuple[str, str] | None = None,
    ) -> Sequence[ReadableDocument]:
        """Return readable documents by name of the source and path.

        Args:
            clearance: What may be read.
            limit: At most so many, at least 1.
            source: Only of the source of this name.
            after: Only those after this source and path.
        """
        ...

    def find_document(self, clearance: Clearance, document_id: str) -> ReadableDocument | None:
        """Return a readable document; None both when it is hidden and when it is absent."""
        ...

    def readable_sources(self, clearance: Clearance) -> frozenset[str]:
        """Return the ids of the sources that have a readable document."""
        ...
