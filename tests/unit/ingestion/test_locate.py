from __future__ import annotations

import pytest

from citewell.domain.document import PageSpan
from citewell.ingestion.locate import Place, locate

TEXT = "First.\n\nSecond\nline.\n\nThird.\n \nFourth."
PAGES = (PageSpan(1, 0, 20), PageSpan(2, 20, 20), PageSpan(3, 22, len(TEXT)))


@pytest.mark.parametrize(
    ("word", "place"),
    [
        ("First", Place(1, 1)),
        ("Second", Place(1, 2)),
        ("line", Place(1, 2)),
        ("Third", Place(3, 1)),
        ("Fourth", Place(3, 2)),
    ],
)
def test_a_position_has_its_page_and_paragraph(word: str, place: Place) -> None:
    assert locate(TEXT, PAGES, TEXT.index(word)) == place


def test_a_paragraph_that_goes_on_is_the_first_of_the_next_page() -> None:
    text = "one two\nthree\n\nfour"
    pages = (PageSpan(1, 0, 8), PageSpan(2, 8, len(text)))
    assert locate(text, pages, text.index("three")) == Place(2, 1)
    assert locate(text, pages, text.index("four")) == Place(2, 2)


def test_white_space_before_the_first_paragraph_is_part_of_it() -> None:
    text = " \n\n Text"
    assert locate(text, (PageSpan(1, 0, len(text)),), 0) == Place(1, 1)
    assert locate(text, (PageSpan(1, 0, len(text)),), 5) == Place(1, 1)


def test_a_document_without_pages_has_no_places() -> None:
    assert locate("Text", (), 0) is None
