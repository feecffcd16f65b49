"""The port to the part of the catalog that writes documents and their versions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from citewell.domain.record import (
    DocumentRecord,
    Failure,
    ItemCounts,
    KnownItem,
    NewVersion,
    StagedVersion,
)
from citewell.domain.source import SourceItem


class DocumentCatalog(Protocol):
    """Documents and versions. Every method is one transaction; statistics change with it.

    A version is written in two steps, so that readers see the old one or the new one: `stage`
    stores its new chunks unseen, and `switch` makes it current.
    """

    def known_items(
        self, source_id: str, *, within: Sequence[str] | None = None
    ) -> Sequence[KnownItem]:
        """Return the items of a source as of its last sync, hidden ones too, by path.

        Members of archives are left out.

        Args:
            source_id: Of the source.
            within: Only items at or below these paths; None for all.
        """
        ...

    def missing_items(self, source_id: str) -> Sequence[KnownItem]:
        """Return the hidden ones among the known items."""
        ...

    def count_items(self, source_id: str) -> ItemCounts:
        """Return how many items of a source are known, and how many of those are hidden."""
        ...

    def stage(self, version: NewVersion) -> StagedVersion:
        """Store the new chunks of a version, invisible to everyone.

        Chunks that the current version has too keep their keys. What an earlier, interrupted
        staging left of this document is removed.
        """
        ...

    def switch(self, staged: StagedVersion, version: NewVersion) -> Sequence[int]:
        """Make a staged version current and return the keys of the chunks that went."""
        ...

    def record_failure(self, version: NewVersion, failure: Failure) -> None:
        """Record that an item could not be ingested; an older version stays current.

        The version of a hidden document goes: what is there now is another item.
        """
        ...

    def touch(self, document_key: int, item: SourceItem) -> None:
        """Record that an item was read and had not changed; a hidden document is shown."""
        ...

    def hide(self, document_keys: Sequence[int], *, held_until: datetime | None = None) -> int:
        """Hide documents with their members from everyone, and return how many were hidden.

        Nothing of them is erased, so that they can be shown again without work.

        Args:
            document_keys: Live or hidden.
            held_until: Until when they wait for a confirmation; hidden ones keep what they have.
        """
        ...

    def show(self, document_keys: Sequence[int]) -> int:
        """Show hidden documents with their members again, and return how many there were."""
        ...

    def move(self, document_key: int, item: SourceItem, *, tier: str) -> None:
        """Give a document and its members another path and tier; chunks and vectors stay."""
        ...

    def delete(self, document_keys: Sequence[int]) -> int:
        """Delete documents with their members, and return how many documents went."""
        ...

    def member_keys(self, document_key: int) -> dict[str, int]:
        """Return the documents of an archive's members: relative path to key."""
        ...

    def records(self, *, source_id: str | None = None) -> Sequence[DocumentRecord]:
        """Return all documents by source and path, hidden ones too; for operators."""
        ...

    def remove_leftovers(self) -> int:
        """Delete staged chunks that never became current, and return how many."""
        ...
