import io
import zipfile

import pytest
from sample_files import (
    image_relationship,
    make_docx,
    make_epub,
    make_pptx,
    make_xlsx,
    make_zip,
    paragraph,
    picture,
)

from citewell.adapters.converters.convert_bytes import convert_bytes
from citewell.adapters.converters.formats.office import convert_docx, convert_epub, convert_pptx
from citewell.adapters.converters.formats.package import check_package
from citewell.adapters.converters.formats.spreadsheets import convert_xlsx
from citewell.adapters.converters.limits import MIB, ConversionLimits
from citewell.domain.errors import (
    ConversionError,
    ConversionLimitError,
    ProtectedDocumentError,
    UnsupportedDocumentError,
)

LIMITS = ConversionLimits()


def test_word_headings_and_tables_become_markdown():
    table = (
        "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>"
        "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>"
    ).format(*(paragraph(cell) for cell in ("Plan", "Limit", "Basic", "500")))

    document = convert_docx(make_docx(paragraph("Rates", style="Heading1") + table))

    assert document.text == "# Rates\n\n| Plan | Limit |\n| --- | --- |\n| Basic | 500 |"
    assert (document.syntax, document.notes) == ("markdown", ())
    assert document.converter.startswith("docx-1 markitdown-")


def test_pictures_leave_their_description_only():
    images = image_relationship("r7", "media/plan.png")
    data = make_docx(
        paragraph("Before") + picture("r7", "Floor plan") + paragraph("After"),
        images=images,
        more={"word/media/plan.png": b"\x89PNG" + bytes(1000)},
    )

    assert convert_docx(data).text == "Before\n\nFloor plan\n\nAfter"


@pytest.mark.parametrize(
    "relationship",
    [
        image_relationship("r7", "https://tracker.invalid/pixel.png", external=True),
        image_relationship("r7", "NULL"),
        image_relationship("r7", "../../../etc/passwd"),
    ],
)
def test_a_picture_that_is_not_there_does_not_fail_the_document(relationship: str):
    data = make_docx(paragraph("Before") + picture("r7", ""), images=relationship)

    assert convert_docx(data).text.startswith("Before")


@pytest.mark.parametrize("run", ["<w:vanish/>", '<w:color w:val="FFFFFF"/>'])
def test_hidden_text_in_word_is_flagged(run: str):
    document = convert_docx(make_docx(paragraph("Seen") + paragraph("Unseen", run=run)))

    assert document.notes == ("text in 1 place is hidden in the original",)


def test_files_embedded_in_word_are_named_as_not_read():
    data = make_docx(paragraph("x"), more={"word/embeddings/oleObject1.bin": b"1"})

    assert convert_docx(data).notes == ("1 embedded file not read",)


def test_a_title_in_the_properties_is_used():
    properties = "<p xmlns:dc='d'><dc:title>Hall &amp; yard lease</dc:title></p>"
    data = make_docx(paragraph("x"), more={"docProps/core.xml": properties})

    assert convert_docx(data).title == "Hall & yard lease"


def test_each_slide_is_a_page():
    data = make_pptx([("Goals", "Grow 5 %"), ("", ""), ("Risks", "<!-- Slide number: 9 -->\nfew")])

    document = convert_pptx(data)

    assert [document.text[page.start : page.end] for page in document.pages] == [
        "# Goals\nGrow 5 %",
        "",
        "# Risks\n<!-- Slide number: 9 -->\nfew",
    ]
    assert [page.number for page in document.pages] == [1, 2, 3]


def test_a_slide_show_is_read_like_a_presentation():
    source = zipfile.ZipFile(io.BytesIO(make_pptx([("Goals", "Grow")])))
    parts = {name: source.read(name) for name in source.namelist()}
    types = parts["[Content_Types].xml"]
    parts["[Content_Types].xml"] = types.replace(b"presentation.main+xml", b"slideshow.main+xml")

    assert convert_pptx(make_zip(parts)).text == "# Goals\nGrow"


def test_sheets_become_sections_with_tables():
    data = make_xlsx(
        {
            "Prices": {
                "A1": "Price list 2024",
                "A2": "Item",
                "B2": "Net",
                "C2": "Share",
                "A3": "Bolt | M6",
                "B3": 0.1 + 0.2,
                "C3": (0.125, "0.0%"),
                "A6": "Remark",
            },
            "Empty": {},
            "Old": {"B2": True, "C2": 7},
        },
        hidden=["Old"],
    )

    document = convert_xlsx(data)

    assert document.text == (
        "## Prices\n\nPrice list 2024\n\n"
        "| Item | Net | Share |\n| --- | --- | --- |\n| Bolt \\| M6 | 0.3 | 12.5% |\n\n"
        "Remark\n\n"
        "## Old\n\n| TRUE | 7 |\n| --- | --- |"
    )
    assert document.notes == ("sheet 'Old' is hidden in the original",)


def test_dates_are_written_in_iso_order():
    import datetime

    day = datetime.datetime(2024, 3, 1)  # noqa: DTZ001 - spreadsheets know no time zones
    data = make_xlsx({"S": {"A1": day, "B1": day.replace(hour=9, minute=5), "C1": "x"}})

    assert "| 2024-03-01 | 2024-03-01 09:05:00 | x |" in convert_xlsx(data).text


def test_a_cell_at_the_far_end_of_a_sheet_is_read_without_effort():
    data = make_xlsx({"S": {"A1": "near", "XFD1048576": "far"}})

    assert convert_xlsx(data).text == "## S\n\nnear\n\nfar"


def test_an_e_book_is_read_in_the_order_of_its_spine():
    data = make_epub({"b": "<h1>First</h1><p>One.</p>", "a": "<p>Two.</p>"}, title="Handbook")

    document = convert_epub(data)

    assert document.text == "**Title:** Handbook\n\n# First\n\nOne.\n\nTwo."
    assert document.title == "Handbook"


def test_sizes_are_looked_at_before_a_library_opens_the_file():
    bomb = make_docx(paragraph("x"), more={"word/media/a.xml": b"0" * (20 * MIB)})

    with pytest.raises(ConversionLimitError, match="200 times its size"):
        check_package(bomb, LIMITS)
    with pytest.raises(ConversionLimitError, match="more than 10 MiB"):
        check_package(bomb, ConversionLimits(unpacked_bytes=10 * MIB))
    check_package(make_docx(paragraph("x")), LIMITS)


def test_an_office_file_with_a_password_is_protected():
    data = bytearray(make_zip({"word/document.xml": "x", "[Content_Types].xml": "x"}))
    directory = data.index(b"PK\x01\x02")
    data[directory + 8] |= 1

    with pytest.raises(ProtectedDocumentError):
        convert_bytes(bytes(data), "secret.docx", LIMITS)


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx", "a.pptx"])
def test_a_truncated_office_file_is_a_document_error(name: str):
    whole = {
        "a.docx": make_docx(paragraph("x")),
        "a.xlsx": make_xlsx({"S": {"A1": 1}}),
        "a.pptx": make_pptx([("a", "b")]),
    }[name]

    with pytest.raises(ConversionError):
        convert_bytes(whole[: len(whole) // 2], name, LIMITS)


def test_an_office_file_without_its_main_part_is_a_document_error():
    data = make_zip({"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<broken"})

    with pytest.raises(ConversionError, match="damaged or unusual"):
        convert_bytes(data, "a.xlsx", LIMITS)


def test_a_binary_workbook_is_unsupported_with_advice():
    data = make_zip({"[Content_Types].xml": "<Types/>", "xl/workbook.bin": b"\0"})

    with pytest.raises(UnsupportedDocumentError, match=r"save it as \.xlsx"):
        convert_bytes(data, "a.xlsb", LIMITS)
