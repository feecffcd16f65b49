"""A source and a converter in memory, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future

from typing_extensions import override

from citewell.domain.document import ConvertedDocument
from citewell.domain.errors import DocumentError, NotFoundError, SourceUnavailableError
from citewell.domain.source import RejectedItem, SourceItem
from citewell.ports.connector import Connector
from citewell.ports.converter import ConversionResult, Converter


class MemoryConnector(Connector):
    """Items that a test puts, changes and removes; each change gives another fingerprint.

    Attributes:
        rejected: Listed besides the items.
        is_available: Whether a scan succeeds.
        reads: Paths that were read, in order.
    """

    def __init__(self) -> None:
        """Start empty and available."""
        self.rejected: list[RejectedItem] = []
        self.is_available = True
        self.reads: list[str] = []
        self._items: dict[str, tuple[bytes, int]] = {}
        self._n_changes = 0

    def put(self, relative_path: str, text: str) -> None:
        """Add an item or replace its content."""
        self._n_changes += 1
        self._items[relative_path] = (text.encode(), self._n_changes)

    def rename(self, old: str, new: str) -> None:
        """Give an item another path."""
        self._items[new] = self._items.pop(old)

    def remove(self, relative_path: str) -> None:
        """Remove an item."""
        del self._items[relative_path]

    @override
    def scan(self) -> Iterator[SourceItem | RejectedItem]:
        if not self.is_available:
            raise SourceUnavailableError
        yield from self.rejected
        for path, (data, change) in sorted(self._items.items()):
            yield SourceItem(path, len(data), change * 1_000_000_000, path, f"change-{change}")

    @override
    def read(self, item: SourceItem, *, max_bytes: int) -> bytes:
        self.reads.append(item.relative_path)
        if item.locator not in self._items:
            raise NotFoundError
        data = self._items[item.locator][0]
        if len(data) > max_bytes:
            raise DocumentError(f"it is larger than {max_bytes} bytes")
        return data


class PlainConverter(Converter):
    """Takes UTF-8 text as it is, at once.

    Attributes:
        failing: Error to raise, by path.
        results: What to give instead, by path.
        converted: Paths that were converted, in order.
        revision: Part of the version; change it to make all documents anew.
    """

    def __init__(self) -> None:
        """Convert everything."""
        self.failing: dict[str, DocumentError] = {}
        self.results: dict[str, ConversionResult] = {}
        self.converted: list[str] = []
        self.revision = 1

    @property
    @override
    def version(self) -> str:
        """Name and revision."""
        return f"plain-{self.revision}"

    @override
    def submit(self, data: bytes, *, relative_path: str) -> Future[ConversionResult]:
        future: Future[ConversionResult] = Future()
        self.converted.append(relative_path)
        if relative_path in self.failing:
            future.set_exception(self.failing[relative_path])
        elif relative_path in self.results:
            future.set_result(self.results[relative_path])
        else:
            future.set_result([ConvertedDocument(text=data.decode(), syntax="markdown")])
        return future

    @override
    def close(self) -> None:
        """Do nothing."""
