"""Where a chunk's characters stand in its document."""

from __future__ import annotations

import pytest
from answering_samples import make_chunk
from hypothesis import given
from hypothesis import strategies as st

from citewell.answering.citing.place import (
    Place,
    content_range,
    document_span,
    heading_path_of,
    place_of,
)
from citewell.answering.quoting.units import Unit
from citewell.domain.document import PageSpan
from citewell.ingestion.locate import locate

HEADER = "| A | B |\n|---|---|\n"


def table_chunk():
    """A chunk at 500 of its document whose table header stands at 100."""
    rows = "| x | y |"
    return make_chunk(HEADER + rows, span=(500, 500 + len(rows)), header_span=(100, 120))


def test_a_range_is_moved_to_where_the_chunk_stands():
    assert document_span(make_chunk("one two", start=40), 4, 7) == (44, 47)


def test_rows_and_repeated_header_stand_apart():
    chunk = table_chunk()
    assert document_span(chunk, 20, 29) == (500, 509)
    assert document_span(chunk, 0, 9) == (100, 109)


@pytest.mark.parametrize(("start", "end"), [(10, 25), (5, 5), (-1, 3), (20, 30)])
def test_what_is_not_one_range_of_the_document_is_refused(start: int, end: int):
    with pytest.raises(ValueError, match="not one range"):
        document_span(table_chunk(), start, end)


def test_a_span_outside_the_chunk_has_no_range():
    assert content_range(make_chunk("one two", start=40), (39, 42)) is None
    assert content_range(make_chunk("one two", start=40), (45, 48)) is None


@given(st.integers(0, 29), st.integers(0, 29))
def test_a_range_comes_back(start: int, end: int):
    chunk = table_chunk()
    if start < end and not start < 20 < end:
        assert content_range(chunk, document_span(chunk, start, end)) == (start, end)


def test_without_pages_there_is_no_place():
    assert place_of(make_chunk("one"), 0) == Place(None, None)


def test_paragraphs_are_counted_from_the_first_one_of_the_chunk():
    chunk = make_chunk("one\n\ntwo\n \n\nthree", page_start=4, page_end=4, paragraph_start=2)
    assert [place_of(chunk, offset) for offset in (0, 5, 12)] == [
        Place(4, 2),
        Place(4, 3),
        Place(4, 4),
    ]


def test_paragraphs_begin_anew_on_each_page():
    content = "one\n\ntwo\n\nthree\n\nfour"
    chunk = make_chunk(
        content, page_start=1, page_end=3, paragraph_start=5, page_breaks=((5, 2), (10, 3))
    )
    assert [place_of(chunk, content.index(word)) for word in ("one", "two", "three", "four")] == [
        Place(1, 5),
        Place(2, 1),
        Place(3, 1),
        Place(3, 2),
    ]


_PAGES = st.lists(
    st.lists(st.sampled_from(["a b", "c\nd", "e"]), min_size=1, max_size=4).map("\n\n".join),
    min_size=1,
    max_size=4,
)


@given(_PAGES, st.data())
def test_places_are_those_of_the_document(texts: list[str], data: st.DataObject):
    text = "\n\n".join(texts)
    pages: list[PageSpan] = []
    for number, page in enumerate(texts, 1):
        start = pages[-1].end + 2 if pages else 0
        pages.append(PageSpan(number, start, start + len(page)))
    letters = [i for i, c in enumerate(text) if c.isalpha()]
    start = data.draw(st.sampled_from(letters))
    first = locate(text, pages, start)
    assert first is not None
    chunk = make_chunk(
        text[start:],
        start=start,
        page_start=first.page,
        page_end=len(pages),
        paragraph_start=first.paragraph,
        page_breaks=tuple((p.start - start, p.number) for p in pages if p.number > first.page),
    )
    offset = data.draw(st.sampled_from([i for i in letters if i >= start]))
    assert place_of(chunk, offset - start) == locate(text, pages, offset)


@pytest.mark.parametrize(
    ("path", "inner", "expected"),
    [
        (("Guide", "Limits"), (), ("Guide", "Limits")),
        (("Guide", "Limits"), ("Limits",), ("Guide", "Limits")),
        (("Guide", "Limits"), ("Guide", "Limits"), ("Guide", "Limits")),
        (("Guide",), ("Short answers",), ("Guide", "Short answers")),
        (("Guide",), ("Guide", "Short answers"), ("Guide", "Short answers")),
        (("Guide", "The `code`"), ("The code",), ("Guide", "The `code`")),
        ((), ("A", "B"), ("A", "B")),
    ],
)
def test_headings_inside_the_chunk_go_on_with_its_path(path, inner, expected):
    chunk = make_chunk("text", heading_path=path)
    assert heading_path_of(chunk, Unit(0, 4, "sentence", "", 0, inner)) == expected
