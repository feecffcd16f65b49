"""The port through which sources are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from citewell.domain.source import RejectedItem, SourceItem


class Connector(Protocol):
    """Lists the items of one source and reads their bytes; never writes, moves or locks them."""

    def scan(self, within: Sequence[str] | None = None) -> Iterator[SourceItem | RejectedItem]:
        """List what is in the source, each relative path once, in order of the path.

        Cheap: names and metadata only, no content is read.

        Args:
            within: Only what lies at or below these relative paths, and other names of the same
                items; nothing for a path that is not there. None for everything.

        Raises:
            SourceUnavailableError: The root cannot be read or is missing, or, as
                `SourceEmptyError`, it is empty of everything.
        """
        ...

    def read(self, item: SourceItem, *, max_bytes: int) -> bytes:
        """Return the whole content of an item.

        Opens regular files only, inside the root only, and never blocks on a FIFO or device. A file
        that changes while it is read is read again, a few times.

        Raises:
            NotFoundError: It is gone.
            DocumentError: It cannot be read, is not a regular file, leads outside the root, keeps
                changing, or is larger than `max_bytes`. The message says which.
        """
        ...
