"""The chunks of a prepared document as plain data, and back.

A worker may lie about its own document and about nothing else. So the text of a chunk does not
travel: it is cut out again by its span, and everything else is checked to be what chunking and
weighing could have given.
"""

from __future__ import annotations

import math
import operator
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeGuard

from citewell.domain.chunk import Chunk, SparseVector
from citewell.domain.document import ConvertedDocument, Span
from citewell.domain.errors import ConversionError
from citewell.domain.prepared import PreparedDocument, WeighedChunk
from citewell.lexical.weigh import MAX_CHUNK_WEIGHT

MALFORMED = "the converter gave a malformed result"

_MAX_HEADING_CHARACTERS = 10_000
_MAX_TOKENS = 2**31
# Overlap and repeated headers are shorter than what is new in a chunk, in tokens. A header of long
# dashes has more characters than its rows; the spare ones are for a large table of that kind.
_MAX_REPETITION = 8
_SPARE_CHARACTERS = 16 * 2**20
_MAX_WEIGHT = array("f", [MAX_CHUNK_WEIGHT])[0]


class _Row(NamedTuple):
    """One chunk as it travels; places as in `Chunk`."""

    span: Span
    header_span: Span | None
    n_tokens: int
    pages: Sequence[int] | None
    paragraphs: Sequence[int] | None
    page_breaks: Sequence[Span]
    heading: int
    indices: bytes
    weights: bytes


class _Place(NamedTuple):
    """Where a chunk lies, checked."""

    ordinal: int
    span: Span
    header_span: Span | None
    heading_path: tuple[str, ...]


def encode_chunks(prepared: PreparedDocument) -> dict[str, Any]:
    """Return heading paths, each once, and a row per chunk."""
    paths: dict[tuple[str, ...], int] = {}
    rows: list[_Row] = []
    for weighed in prepared.chunks:
        chunk = weighed.chunk
        rows.append(
            _Row(
                chunk.span,
                chunk.header_span,
                chunk.n_tokens,
                _pair(chunk.page_start, chunk.page_end),
                _pair(chunk.paragraph_start, chunk.paragraph_end),
                chunk.page_breaks,
                paths.setdefault(chunk.heading_path, len(paths)),
                array("I", weighed.terms.indices).tobytes(),
                array("f", weighed.terms.values).tobytes(),
            )
        )
    return {"headings": list(paths), "chunks": rows}


def decode_chunks(packed: Any, document: ConvertedDocument) -> PreparedDocument:
    """Return a document with the chunks that a worker sent for it; runs in the parent.

    Raises:
        ConversionError: They cannot be the chunks of this document.
        KeyError: A field is missing.
        TypeError: A row is no row.
    """
    paths = [_heading_path(path) for path in _list(packed["headings"])]
    rows = [_Row(*row) for row in _list(packed["chunks"])]
    n_left = len(document.text) * _MAX_REPETITION + _SPARE_CHARACTERS
    chunks: list[WeighedChunk] = []
    last = (0, 0)
    for ordinal, row in enumerate(rows):
        span = _span(row.span, len(document.text))
        _require(last[0] <= span[0] and last[1] <= span[1])
        header = None if row.header_span is None else _span(row.header_span, span[0])
        n_left -= span[1] - span[0] + (header[1] - header[0] if header else 0)
        _require(n_left >= 0 and _is_in(row.heading, 0, len(paths) - 1))
        place = _Place(ordinal, span, header, paths[row.heading])
        chunks.append(WeighedChunk(_chunk(row, place, document), _terms(row.indices, row.weights)))
        last = span
    _require(bool(chunks) == bool(document.text.strip()))
    return PreparedDocument(document, tuple(chunks))


def _chunk(row: _Row, place: _Place, document: ConvertedDocument) -> Chunk:
    start, end = place.span
    content = document.text[start:end]
    if place.header_span:
        content = document.text[slice(*place.header_span)] + content
    _require(_is_in(row.n_tokens, 0, _MAX_TOKENS) and not content.isspace())
    pages = _pages(row.pages, len(document.pages))
    paragraphs = _pages(row.paragraphs, len(document.text) if document.pages else 0, in_order=False)
    return Chunk(
        ordinal=place.ordinal,
        span=place.span,
        content=content,
        heading_path=place.heading_path,
        n_tokens=row.n_tokens,
        page_start=pages[0],
        page_end=pages[1],
        paragraph_start=paragraphs[0],
        paragraph_end=paragraphs[1],
        header_span=place.header_span,
        page_breaks=_page_breaks(row.page_breaks, len(content), pages),
    )


def _pair(first: int | None, last: int | None) -> tuple[int, int] | None:
    return None if first is None or last is None else (first, last)


def _heading_path(value: object) -> tuple[str, ...]:
    path = tuple(_list(value))
    for heading in path:
        _require(isinstance(heading, str) and len(heading) <= _MAX_HEADING_CHARACTERS)
    return path


def _span(value: object, limit: int) -> Span:
    """Return a span that is not empty and ends at `limit` at the latest."""
    start, end = _two(value)
    _require(_is_in(start, 0, limit) and _is_in(end, start + 1, limit))
    return start, end


def _pages(
    value: object, n_pages: int, *, in_order: bool = True
) -> tuple[int, int] | tuple[None, None]:
    """Return first and last page, or paragraph; none where the document has no pages."""
    _require((value is None) == (n_pages == 0))
    if value is None:
        return None, None
    first, last = _two(value)
    _require(_is_in(first, 1, n_pages) and _is_in(last, first if in_order else 1, n_pages))
    return first, last


def _page_breaks(
    value: object, length: int, pages: tuple[int, int] | tuple[None, None]
) -> tuple[Span, ...]:
    breaks = tuple((_two(pair)[0], _two(pair)[1]) for pair in _list(value))
    position, page = -1, pages[0] or 0
    for next_position, next_page in breaks:
        _require(_is_in(next_position, position + 1, length))
        _require(_is_in(next_page, page + 1, pages[1] or 0))
        position, page = next_position, next_page
    return breaks


def _terms(index_bytes: object, weight_bytes: object) -> SparseVector:
    packed, weighed = _bytes(index_bytes), _bytes(weight_bytes)
    _require(len(packed) % 4 == 0 and len(weighed) == len(packed))
    indices, weights = array("I", packed), array("f", weighed)
    if indices:
        _require(not any(map(operator.ge, indices, indices[1:])))
        _require(math.isfinite(sum(weights)))
        _require(min(weights) > 0 and max(weights) <= _MAX_WEIGHT)
    return SparseVector(indices, weights)


def _bytes(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise ConversionError(MALFORMED)
    return value


def _two(value: object) -> list[Any]:
    pair = _list(value)
    _require(len(pair) == 2)
    return pair


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ConversionError(MALFORMED)
    return value  # pyright: ignore[reportUnknownVariableType] - what is in it is checked later


def _is_in(value: object, least: int, most: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _require(holds: bool) -> None:  # noqa: FBT001 - reads as a sentence at every call
    if not holds:
        raise ConversionError(MALFORMED)
