"""Chunks as a worker sends them, and as a worker that was taken over might."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.converters.chunk_wire import decode_chunks, encode_chunks
from citewell.adapters.converters.packing import pack, unpack
from citewell.domain.document import ConvertedDocument, PageSpan
from citewell.domain.errors import ConversionError
from citewell.domain.prepared import PreparedDocument
from citewell.ingestion.chunk import ChunkOptions
from citewell.ingestion.document_chunker import DocumentChunker
from citewell.ingestion.prepare import prepare_document

SMALL = DocumentChunker(ChunkOptions(target_tokens=20, max_tokens=40, overlap_tokens=5), None)
TABLE = "# Limits\n\n| tier | rows |\n| --- | --- |\n" + "| staff | 5000 |\n" * 20
PAGES = ("first page\n\n" * 8, "", "second page\n\n" * 8)
MALFORMED = "malformed"


def prepared(document: ConvertedDocument) -> PreparedDocument:
    return prepare_document(document, "notes/a.md", chunk_document=SMALL.chunk)


def paged() -> ConvertedDocument:
    """Return a document of three pages, the second without text."""
    ends = [0, len(PAGES[0]), len(PAGES[0]), len("".join(PAGES))]
    pages = tuple(PageSpan(n, ends[n - 1], ends[n]) for n in (1, 2, 3))
    return ConvertedDocument("".join(PAGES), "plain", pages=pages)


def sent(document: PreparedDocument) -> dict[str, Any]:
    """Return what arrives of a document's chunks."""
    arrived = unpack(pack(encode_chunks(document)))
    assert isinstance(arrived, dict)
    return arrived


@pytest.mark.parametrize(
    "document",
    [
        ConvertedDocument(TABLE, "markdown"),
        ConvertedDocument("# One\n\nalpha\n\n## Two\n\nbeta " * 9, "markdown", title="Title"),
        ConvertedDocument(" \n", "plain"),
        paged(),
    ],
)
def test_chunks_arrive_as_they_were_made(document: ConvertedDocument) -> None:
    made = prepared(document)
    assert decode_chunks(sent(made), document) == made


@given(st.text(st.sampled_from("ab .\n#|-中é")))
def test_chunks_of_any_text_arrive_as_they_were_made(text: str) -> None:
    document = ConvertedDocument(text, "markdown")
    made = prepared(document)
    assert decode_chunks(sent(made), document) == made


def test_the_text_of_a_chunk_is_cut_from_the_document_not_sent() -> None:
    document = ConvertedDocument("secret words", "plain")
    assert b"secret" not in pack(encode_chunks(prepared(document)))


# Places in a row, as they travel.
SPAN, HEADER, N_TOKENS, PAGE_PAIR, PARAGRAPHS, BREAKS, HEADING, INDICES, WEIGHTS = range(9)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (SPAN, [0, 10_000]),
        (SPAN, [5, 5]),
        (SPAN, [-1, 5]),
        (SPAN, [True, 5]),
        (SPAN, [0]),
        (SPAN, "ab"),
        (SPAN, [10, 12]),
        (HEADER, [0, 10_000]),
        (HEADER, [1, 1]),
        (N_TOKENS, -1),
        (N_TOKENS, 1.5),
        (N_TOKENS, 2**40),
        (PAGE_PAIR, None),
        (PAGE_PAIR, [0, 1]),
        (PAGE_PAIR, [1, 4]),
        (PAGE_PAIR, [2, 1]),
        (PAGE_PAIR, [1, "2"]),
        (PARAGRAPHS, None),
        (PARAGRAPHS, [0, 1]),
        (PARAGRAPHS, [1, 10**6]),
        (BREAKS, [[10_000, 2]]),
        (BREAKS, [[3, 1]]),
        (BREAKS, [[3, 4]]),
        (BREAKS, [[3, 2], [2, 3]]),
        (BREAKS, 7),
        (HEADING, 1),
        (HEADING, -1),
        (HEADING, None),
        (INDICES, b"\0\0\0"),
        (INDICES, b"\0" * 8),
        (INDICES, b"\0" * 16),
        (INDICES, "text"),
        (WEIGHTS, b""),
        (WEIGHTS, struct.pack("4f", 1, 0, 1, 1)),
        (WEIGHTS, struct.pack("4f", 1, -1, 1, 1)),
        (WEIGHTS, struct.pack("4f", 1, math.nan, 1, 1)),
        (WEIGHTS, struct.pack("4f", 1, math.inf, 1, 1)),
        (WEIGHTS, struct.pack("4f", 1, 2.3, 1, 1)),
        (WEIGHTS, None),
    ],
)
def test_a_lie_in_a_row_is_refused(place: int, value: object) -> None:
    packed = sent(prepared(paged()))
    row = packed["chunks"][1]
    assert len(row[INDICES]) == 4 * 4
    row[place] = value
    with pytest.raises(ConversionError, match=MALFORMED):
        decode_chunks(packed, paged())


@pytest.mark.parametrize(
    "change",
    [
        {"chunks": []},
        {"chunks": None},
        {"chunks": [5]},
        {"headings": None},
        {"headings": [5]},
        {"headings": [[5]]},
        {"headings": [["x" * 20_000]]},
    ],
)
def test_chunks_of_the_wrong_shape_are_refused(change: dict[str, Any]) -> None:
    packed = sent(prepared(paged())) | change
    with pytest.raises((ConversionError, TypeError)):
        decode_chunks(packed, paged())


def test_chunks_of_a_document_without_text_are_refused() -> None:
    packed = sent(prepared(ConvertedDocument("words", "plain")))
    with pytest.raises(ConversionError, match=MALFORMED):
        decode_chunks(packed, ConvertedDocument("     ", "plain"))


def test_the_same_text_over_and_over_is_refused() -> None:
    """A few bytes must not become gigabytes in the parent."""
    document = ConvertedDocument("word " * 100_000, "plain")
    (first, *_) = prepared(replace(document, text="word word")).chunks
    whole = replace(first, chunk=replace(first.chunk, span=(0, len(document.text) - 1)))
    packed = sent(PreparedDocument(document, (whole,) * 1_000))
    with pytest.raises(ConversionError, match=MALFORMED):
        decode_chunks(packed, document)


def test_a_page_is_refused_where_there_are_none() -> None:
    document = ConvertedDocument("words", "plain")
    packed = sent(prepared(document))
    packed["chunks"][0][PAGE_PAIR] = [1, 1]
    with pytest.raises(ConversionError, match=MALFORMED):
        decode_chunks(packed, document)
