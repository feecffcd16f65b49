"""Reading an item's bytes and telling whether they changed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from citewell.domain.failpoints import reach
from citewell.domain.record import KnownItem
from citewell.domain.source import SourceItem
from citewell.ports.connector import Connector


@dataclass(frozen=True, slots=True)
class ReadItem:
    """An item with its bytes.

    Attributes:
        item: As scanned.
        known: As of the last sync, or None.
        data: The whole content.
        content_sha256: Hex digest of `data`.
    """

    item: SourceItem
    known: KnownItem | None
    data: bytes
    content_sha256: str

    def is_unchanged(self, recipe: str) -> bool:
        """Return whether the current version was made from these bytes by this recipe."""
        return (
            self.known is not None
            and self.known.failure is None
            and self.known.recipe == recipe
            and self.known.content_sha256 == self.content_sha256
        )


def read_item(
    item: SourceItem, known: KnownItem | None, connector: Connector, *, max_bytes: int
) -> ReadItem:
    """Read an item whole; raises as `Connector.read`."""
    data = connector.read(item, max_bytes=max_bytes)
    digest = hashlib.sha256(data).hexdigest()
    reach("hashed")
    return ReadItem(item, known, data, digest)
