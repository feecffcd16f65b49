"""What every connector promises, as tests: subclass `ConnectorContract` with a fixture `shelf`."""

# ruff: noqa: D102, S101 - these are tests: their names state the facts, asserts are their means

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import pytest

from citewell.domain.errors import DocumentError, NotFoundError, SourceEmptyError
from citewell.domain.source import RejectedItem, SourceItem
from citewell.ports.connector import Connector

ITEMS = {
    "notes/Größe café.md": b"# Size\n\n" + "größer".encode(),
    "notes/空 格.md": "出口".encode(),
    "a.md": b"first",
    "a/b.md": b"",
    "z.bin": bytes(range(256)) * 5_000,
}
MAX_BYTES = 10_000_000


class ItemShelf(Protocol):
    """A source that a test can change, with the connector that reads it."""

    @property
    def connector(self) -> Connector:
        """Read the source."""
        ...

    def put(self, relative_path: str, data: bytes) -> None:
        """Add an item, or replace its content."""
        ...

    def remove(self, relative_path: str) -> None:
        """Remove an item."""
        ...


def filled(shelf: ItemShelf) -> Connector:
    """Put all of `ITEMS` on a shelf."""
    for path, data in ITEMS.items():
        shelf.put(path, data)
    return shelf.connector


def items_of(connector: Connector) -> dict[str, SourceItem]:
    """Scan, and return the items by path."""
    return {
        found.relative_path: found for found in connector.scan() if isinstance(found, SourceItem)
    }


class ConnectorContract:
    """The promises of the port `Connector`; each test takes the fixture `shelf`, empty at first."""

    def test_every_item_is_listed_once_in_order_of_its_path(self, shelf: ItemShelf) -> None:
        paths = [found.relative_path for found in filled(shelf).scan()]
        assert paths == sorted(ITEMS)

    def test_every_item_is_read_whole(self, shelf: ItemShelf) -> None:
        connector = filled(shelf)
        read = {
            path: connector.read(item, max_bytes=MAX_BYTES)
            for path, item in items_of(connector).items()
        }
        assert read == ITEMS

    def test_sizes_are_those_of_the_content(self, shelf: ItemShelf) -> None:
        sizes = {path: item.size_bytes for path, item in items_of(filled(shelf)).items()}
        assert sizes == {path: len(data) for path, data in ITEMS.items()}

    def test_paths_and_locators_are_valid_text(self, shelf: ItemShelf) -> None:
        for found in filled(shelf).scan():
            assert isinstance(found, SourceItem | RejectedItem)
            parts = found.relative_path.split("/")
            assert found.relative_path.encode()
            assert not {"", ".", ".."} & set(parts)
            if isinstance(found, SourceItem):
                assert found.locator.encode()

    def test_scanning_again_gives_the_same(self, shelf: ItemShelf) -> None:
        connector = filled(shelf)
        assert list(connector.scan()) == list(connector.scan())

    def test_a_look_at_some_paths_lists_what_is_at_or_below_them(self, shelf: ItemShelf) -> None:
        connector = filled(shelf)
        looks = (["a.md"], ["a"], ["notes", "a.md"], ["notes/空 格.md", "notes"], list(ITEMS))
        found = [[item.relative_path for item in connector.scan(within)] for within in looks]
        notes = sorted(path for path in ITEMS if path.startswith("notes/"))
        assert found == [["a.md"], ["a/b.md"], ["a.md", *notes], notes, sorted(ITEMS)]

    def test_a_look_at_what_is_not_there_finds_nothing(self, shelf: ItemShelf) -> None:
        connector = filled(shelf)
        for path in ("b.md", "a.md/c.md", "a/b", "note", "../a.md", ".", "", "a\0b"):
            assert list(connector.scan([path])) == []
        assert list(connector.scan([])) == []

    def test_a_look_gives_items_as_a_scan_does(self, shelf: ItemShelf) -> None:
        connector = filled(shelf)
        assert list(connector.scan(list(ITEMS))) == list(connector.scan())

    def test_a_changed_item_has_another_fingerprint_or_none(self, shelf: ItemShelf) -> None:
        connector = filled(shelf)
        before = items_of(connector)["a.md"]
        shelf.put("a.md", b"later")
        after = items_of(connector)["a.md"]
        assert after.fingerprint != before.fingerprint or not after.fingerprint
        assert connector.read(before, max_bytes=MAX_BYTES) == b"later"

    def test_a_new_item_is_listed_and_a_removed_one_is_not(self, shelf: ItemShelf) -> None:
        connector = filled(shelf)
        shelf.put("new.md", b"new")
        shelf.remove("a.md")
        assert set(items_of(connector)) == {*ITEMS, "new.md"} - {"a.md"}

    def test_reading_what_is_gone_says_so(self, shelf: ItemShelf) -> None:
        connector = filled(shelf)
        item = items_of(connector)["a.md"]
        shelf.remove("a.md")
        with pytest.raises(NotFoundError):
            connector.read(item, max_bytes=MAX_BYTES)

    def test_what_is_too_large_is_not_read(self, shelf: ItemShelf) -> None:
        connector = filled(shelf)
        item = items_of(connector)["z.bin"]
        with pytest.raises(DocumentError, match="larger"):
            connector.read(item, max_bytes=item.size_bytes - 1)
        assert len(connector.read(item, max_bytes=item.size_bytes)) == item.size_bytes

    def test_a_forged_locator_opens_nothing(self, shelf: ItemShelf) -> None:
        connector = filled(shelf)
        item = items_of(connector)["a.md"]
        for locator in ("", "../a.md", "/etc/passwd", "a.md/../../../etc/passwd", "\0", "a" * 9999):
            with pytest.raises((NotFoundError, DocumentError)):
                connector.read(replace(item, locator=locator), max_bytes=MAX_BYTES)

    def test_an_empty_source_is_unavailable(self, shelf: ItemShelf) -> None:
        for within in (None, ["a.md"], []):
            with pytest.raises(SourceEmptyError):
                list(shelf.connector.scan(within))
