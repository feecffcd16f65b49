"""Reading an item and telling whether it changed."""

import hashlib
from dataclasses import replace

import pytest

from citewell.domain.document import DocumentState
from citewell.domain.errors import DocumentError, NotFoundError
from citewell.domain.record import Failure, KnownItem
from citewell.domain.source import SourceItem
from citewell.ingestion.read_item import read_item
from citewell.testing.memory_source import MemoryConnector

SHA = hashlib.sha256(b"alpha").hexdigest()
KNOWN = KnownItem(1, "a.md", "f", SHA, "recipe", "staff", DocumentState.SEARCHABLE)
ITEM = SourceItem("a.md", 5, 0, "a.md")


@pytest.fixture
def connector() -> MemoryConnector:
    made = MemoryConnector()
    made.put("a.md", "alpha")
    return made


def test_item_is_read_whole_with_its_digest(connector: MemoryConnector) -> None:
    read = read_item(ITEM, None, connector, max_bytes=5)
    assert (read.item, read.known, read.data, read.content_sha256) == (ITEM, None, b"alpha", SHA)


@pytest.mark.parametrize(
    ("known", "is_unchanged"),
    [
        (KNOWN, True),
        (None, False),
        (replace(KNOWN, recipe="other"), False),
        (replace(KNOWN, content_sha256="other"), False),
        (replace(KNOWN, failure=Failure("convert", "Error", "broken")), False),
    ],
    ids=["same", "new", "recipe", "bytes", "failed"],
)
def test_item_is_unchanged_only_if_nothing_that_made_its_version_is_other(
    connector: MemoryConnector, known: KnownItem | None, is_unchanged: bool
) -> None:
    read = read_item(ITEM, known, connector, max_bytes=5)
    assert read.is_unchanged("recipe") is is_unchanged


def test_errors_of_the_connector_are_passed_on(connector: MemoryConnector) -> None:
    with pytest.raises(DocumentError, match="larger than 4 bytes"):
        read_item(ITEM, None, connector, max_bytes=4)
    with pytest.raises(NotFoundError):
        read_item(replace(ITEM, locator="gone"), None, connector, max_bytes=5)
