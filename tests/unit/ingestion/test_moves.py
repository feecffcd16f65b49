"""Telling a renamed item from one deleted and one added."""

import hashlib
from dataclasses import replace

import pytest

from citewell.domain.document import DocumentState
from citewell.domain.record import Failure, KnownItem
from citewell.domain.source import RejectedItem, SourceItem
from citewell.ingestion.diff import Diff
from citewell.ingestion.moves import find_moves
from citewell.testing.memory_source import MemoryConnector


def known_item(key: int, path: str, text: str) -> KnownItem:
    return KnownItem(
        document_key=key,
        relative_path=path,
        fingerprint="f",
        content_sha256=hashlib.sha256(text.encode()).hexdigest(),
        recipe="recipe",
        tier="employee",
        state=DocumentState.SEARCHABLE,
        size_bytes=len(text.encode()),
    )


def source_items(connector: MemoryConnector) -> dict[str, SourceItem]:
    found = [item for item in connector.scan() if not isinstance(item, RejectedItem)]
    connector.reads.clear()
    return {item.relative_path: item for item in found}


@pytest.fixture
def connector() -> MemoryConnector:
    return MemoryConnector()


def moves(connector: MemoryConnector, *vanished: KnownItem) -> dict[str, str]:
    """Return old path to new path, where everything in the source is new."""
    new = tuple((item, None) for item in source_items(connector).values())
    diff = Diff(to_read=new, unchanged=(), vanished=vanished)
    found = find_moves(diff, connector, max_bytes=100)
    return {move.known.relative_path: move.item.relative_path for move in found}


def test_same_bytes_at_a_new_path_are_a_move(connector: MemoryConnector) -> None:
    connector.put("b.md", "alpha")
    assert moves(connector, known_item(1, "a.md", "alpha")) == {"a.md": "b.md"}


def test_other_bytes_of_the_same_size_are_none(connector: MemoryConnector) -> None:
    connector.put("b.md", "gamma")
    assert moves(connector, known_item(1, "a.md", "alpha")) == {}


def test_item_of_another_size_is_not_read(connector: MemoryConnector) -> None:
    connector.put("b.md", "alpha beta")
    assert moves(connector, known_item(1, "a.md", "alpha")) == {}
    assert connector.reads == []


def test_same_bytes_with_another_suffix_are_another_document(connector: MemoryConnector) -> None:
    connector.put("a.md", "# alpha")
    assert moves(connector, known_item(1, "a.txt", "# alpha")) == {}
    assert connector.reads == []


def test_suffix_in_other_letters_is_the_same(connector: MemoryConnector) -> None:
    connector.put("a.MD", "alpha")
    assert moves(connector, known_item(1, "a.md", "alpha")) == {"a.md": "a.MD"}


def test_of_several_with_equal_bytes_each_is_used_once(connector: MemoryConnector) -> None:
    for path in ("c.md", "d.md", "e.md"):
        connector.put(path, "alpha")
    vanished = (known_item(1, "a.md", "alpha"), known_item(2, "b.md", "alpha"))
    assert moves(connector, *vanished) == {"a.md": "c.md", "b.md": "d.md"}


def test_item_that_failed_or_was_never_read_did_not_move(connector: MemoryConnector) -> None:
    connector.put("b.md", "alpha")
    failed = replace(known_item(1, "a.md", "alpha"), failure=Failure("convert", "Error", "broken"))
    unread = replace(known_item(2, "c.md", "alpha"), content_sha256="")
    assert moves(connector, failed, unread) == {}


def test_known_item_that_changed_is_not_where_another_moved(connector: MemoryConnector) -> None:
    connector.put("b.md", "alpha")
    item = source_items(connector)["b.md"]
    diff = Diff(
        to_read=((item, known_item(2, "b.md", "before")),),
        unchanged=(),
        vanished=(known_item(1, "a.md", "alpha"),),
    )
    assert find_moves(diff, connector, max_bytes=100) == []


def test_item_that_cannot_be_read_is_left_to_the_ordinary_road(connector: MemoryConnector) -> None:
    text = "x" * 200
    connector.put("b.md", text)
    assert moves(connector, known_item(1, "a.md", text)) == {}
    assert connector.reads == ["b.md"]
