import pytest
from sample_files import make_pdf

from citewell.adapters.converters.formats.number_ranges import describe_ranges
from citewell.adapters.converters.formats.pdf import convert_pdf
from citewell.adapters.converters.formats.pdf_lines import Line, join_lines, rejoin_words
from citewell.adapters.converters.formats.titles import is_sensible_title
from citewell.domain.document import PageSpan
from citewell.domain.errors import ConversionError


def column(*texts: str, top: float = 700, step: float = 12) -> list[tuple[float, float, str]]:
    return [(72, top - step * index, text) for index, text in enumerate(texts)]


def test_every_page_has_a_span_and_pages_are_a_blank_line_apart():
    document = convert_pdf(make_pdf([column("first page"), column("second", "page")]))

    assert document.text == "first page\n\nsecond\npage"
    assert document.pages == (PageSpan(1, 0, 10), PageSpan(2, 12, 23))
    assert document.syntax == "plain"
    assert document.converter.startswith("pdf-1 pypdfium2-")


def test_pages_without_text_have_empty_spans_and_are_named():
    document = convert_pdf(make_pdf([[], column("two"), [], [], column("five"), []]))

    assert document.text == "two\n\nfive"
    assert [(page.start, page.end) for page in document.pages] == [
        (0, 0),
        (0, 3),
        (3, 3),
        (3, 3),
        (5, 9),
        (9, 9),
    ]
    assert document.notes == ("no text on pages 1, 3-4, 6",)


def test_a_document_without_any_text_is_empty_with_a_note():
    document = convert_pdf(make_pdf([[], []]))

    assert (document.text, document.notes) == ("", ("no text on pages 1-2",))


def test_larger_distances_separate_paragraphs():
    lines = [
        *column("a1", "a2", "a3", "a4"),
        *column("b1", "b2", "b3", top=640),
    ]

    assert convert_pdf(make_pdf([lines])).text == "a1\na2\na3\na4\n\nb1\nb2\nb3"


def test_the_cells_of_a_row_stay_on_one_line():
    rows = [
        (x, 700 - 12 * row, f"{name}{row}")
        for row in range(4)
        for x, name in ((72, "name"), (250, "value"), (450, "change"))
    ]

    assert convert_pdf(make_pdf([rows])).text == (
        "name0 value0 change0\nname1 value1 change1\nname2 value2 change2\nname3 value3 change3"
    )


def test_a_jump_upwards_starts_a_new_column():
    lines = [*column("left 1", "left 2", "left 3"), *[(350, y, f"r{y}") for y in (700, 688, 676)]]

    assert convert_pdf(make_pdf([lines])).text.split("\n\n") == [
        "left 1\nleft 2\nleft 3",
        "r700\nr688\nr676",
    ]


def test_the_title_is_taken_from_the_metadata():
    assert convert_pdf(make_pdf([column("x")], title="Lease of Hall 4")).title == "Lease of Hall 4"
    assert convert_pdf(make_pdf([column("x")], title="scan_0042.pdf")).title == ""


@pytest.mark.parametrize("data", [b"%PDF-1.7", b"%PDF-1.4\n" + b"x" * 500, b"%PDF-" + bytes(99)])
def test_a_damaged_file_is_a_conversion_error(data: bytes):
    with pytest.raises(ConversionError):
        convert_pdf(data)


def test_a_truncated_file_gives_what_is_left_or_an_error():
    whole = make_pdf([column("first page"), column("second")])
    for size in range(100, len(whole), 50):
        try:
            convert_pdf(whole[:size])
        except ConversionError:
            continue


def test_signs_of_symbol_fonts_ligatures_and_blanks_become_usual_ones():
    lines = [Line("\uf0b7 \ufb01ne\xa0print \uf0fe", 0, 0)]

    assert join_lines(lines) == "• fine print ☒"


def test_lines_without_a_known_place_are_kept_in_order():
    assert join_lines([Line("a", None, None), Line("b", 0, 5), Line(" ", 0, 4)]) == "a\nb"


@pytest.mark.parametrize(
    ("texts", "mended"),
    [
        (["infor\ufffemation", "information"], ["information", "information"]),
        (["cloud\ufffebased", "our cloud-based tools"], ["cloud-based", "our cloud-based tools"]),
        (["time\ufffeshare"], ["time-share"]),
        (["Sarbanes\ufffeOxley", "ab\ufffecd ef\ufffegh", "abcd"], None),
        (["end\ufffe"], ["end-"]),
    ],
)
def test_words_cut_at_line_ends_are_mended(texts: list[str], mended: list[str] | None):
    expected = ["Sarbanes-Oxley", "abcd efgh", "abcd"] if mended is None else mended

    assert rejoin_words(texts) == expected


def test_a_cut_line_is_not_taken_for_a_paragraph():
    lines = [
        Line("one", 0, 100),
        Line("two cut\ufffehere", 0, 90),
        Line("three", 0, 70),
        Line("four", 0, 60),
        Line("five", 0, 50),
    ]

    assert join_lines(lines) == "one\ntwo cut\ufffehere\nthree\nfour\nfive"


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([3], "page 3"), ([3, 4, 5], "pages 3-5"), ([1, 3, 4, 9], "pages 1, 3-4, 9")],
)
def test_ranges_are_described_briefly(numbers: list[int], text: str):
    assert describe_ranges("page", numbers) == text


@pytest.mark.parametrize(
    ("title", "sensible"),
    [
        ("Annual report 2023", True),
        ("年度报告", True),
        ("Q1", False),
        ("Microsoft Word - draft7", False),
        ("report.docx", False),
        ("Untitled", False),
        ("", False),
        ("12345", False),
        ("Caf\ufffd menu", False),
    ],
)
def test_placeholders_are_no_titles(title: str, sensible: bool):
    assert is_sensible_title(title) is sensible
