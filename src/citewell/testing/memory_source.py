"""A source and a converter in memory, for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime

from typing_extensions import override

from citewell.domain.document import ConvertedDocument
from citewell.domain.errors import (
    DocumentError,
    NotFoundError,
    SourceEmptyError,
    SourceUnavailableError,
)
from citewell.domain.source import RejectedItem, SourceItem
from citewell.ports.connector import Connector
from citewell.ports.converter import ConversionResult, Converter


@dataclass(frozen=True, slots=True)
class _Item:
    data: bytes
    change: int
    modified_ns: int


class MemoryConnector(Connector):
    """Items that a test puts, changes and removes; each change gives another fingerprint.

    Attributes:
        rejected: Listed besides the items.
        is_available: Whether a scan succeeds.
        reads: Paths that were read, in order.
        looks: What each scan was narrowed to, in order.
        on_read: Called with the path before each read; what it raises is what the read raises.
    """

    def __init__(self) -> None:
        """Start empty and available."""
        self.rejected: list[RejectedItem] = []
        self.is_available = True
        self.reads: list[str] = []
        self.looks: list[Sequence[str] | None] = []
        self.on_read: Callable[[str], None] = lambda _: None
        self._items: dict[str, _Item] = {}
        self._n_changes = 0

    def put(self, relative_path: str, text: str, *, modified_at: datetime | None = None) -> None:
        """Add an item or replace its content; it is from 1970 unless told otherwise."""
        self._n_changes += 1
        modified_s = modified_at.timestamp() if modified_at else self._n_changes
        modified_ns = round(modified_s * 1_000_000_000)
        self._items[relative_path] = _Item(text.encode(), self._n_changes, modified_ns)

    def rename(self, old: str, new: str) -> None:
        """Give an item another path."""
        self._items[new] = self._items.pop(old)

    def remove(self, relative_path: str) -> None:
        """Remove an item."""
        del self._items[relative_path]

    def take_away(self, relative_path: str) -> object:
        """Remove an item, and return what `give_back` puts there again as it was."""
        return self._items.pop(relative_path)

    def give_back(self, relative_path: str, taken: object) -> None:
        """Put an item again where it was taken away, unchanged."""
        assert isinstance(taken, _Item)  # noqa: S101 - for tests
        self._items[relative_path] = taken

    @override
    def scan(self, within: Sequence[str] | None = None) -> Iterator[SourceItem | RejectedItem]:
        if not self.is_available:
            raise SourceUnavailableError
        self.looks.append(within)
        if not self._items and not self.rejected:
            raise SourceEmptyError
        yield from self.rejected
        for path, item in sorted(self._items.items()):
            if within is None or any(f"{path}/".startswith(f"{above}/") for above in within):
                size, print_ = len(item.data), f"change-{item.change}"
                yield SourceItem(path, size, item.modified_ns, path, print_)

    @override
    def read(self, item: SourceItem, *, max_bytes: int) -> bytes:
        self.on_read(item.relative_path)
        self.reads.append(item.relative_path)
        if item.locator not in self._items:
            raise NotFoundError
        data = self._items[item.locator].data
        if len(data) > max_bytes:
            raise DocumentError(f"it is larger than {max_bytes} bytes")
        return data


class PlainConverter(Converter):
    """Takes UTF-8 text as it is, at once.

    Attributes:
        failing: Exception to raise, by path.
        results: What to give instead, by path.
        converted: Paths that were converted, in order.
        revision: Part of the version; change it to make all documents anew.
        held: Paths whose conversion does not end before `release`.
    """

    def __init__(self) -> None:
        """Convert everything."""
        self.failing: dict[str, Exception] = {}
        self.results: dict[str, ConversionResult] = {}
        self.converted: list[str] = []
        self.revision = 1
        self.held: set[str] = set()
        self._running: dict[str, tuple[Future[ConversionResult], bytes]] = {}

    def release(self, relative_path: str) -> None:
        """End a conversion that was held."""
        future, data = self._running.pop(relative_path)
        self._end(future, data, relative_path)

    @property
    @override
    def version(self) -> str:
        """Name and revision."""
        return f"plain-{self.revision}"

    @override
    def submit(self, data: bytes, *, relative_path: str) -> Future[ConversionResult]:
        future: Future[ConversionResult] = Future()
        self.converted.append(relative_path)
        if relative_path in self.held:
            self._running[relative_path] = (future, data)
        else:
            self._end(future, data, relative_path)
        return future

    @override
    def close(self) -> None:
        """Do nothing."""

    def _end(self, future: Future[ConversionResult], data: bytes, relative_path: str) -> None:
        if relative_path in self.failing:
            future.set_exception(self.failing[relative_path])
        elif relative_path in self.results:
            future.set_result(self.results[relative_path])
        else:
            future.set_result([ConvertedDocument(text=data.decode(), syntax="markdown")])
