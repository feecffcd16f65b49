import pytest
from sample_files import make_pdf, make_zip

from citewell.adapters.converters.preload import needs_everything


@pytest.mark.parametrize(
    ("data", "relative_path"),
    [
        (make_zip({"word/document.xml": "<w/>"}), "plan.docx"),
        (make_zip({"a.txt": "x"}), "no suffix"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old.xls"),
        (b"<p>words</p>", "page.HTML"),
        (b"Subject: x\n\nwords", "letter.eml"),
    ],
)
def test_office_files_pages_and_letters_need_everything(data: bytes, relative_path: str):
    assert needs_everything(data, relative_path)


@pytest.mark.parametrize(
    ("data", "relative_path"),
    [
        (make_pdf([[(72, 700, "one")]]), "report.pdf"),
        (b"# Note", "note.md"),
        (b"words", "README"),
        (b"a,b\n1,2", "table.csv"),
        (b"", "empty"),
    ],
)
def test_pdf_notes_and_text_do_not(data: bytes, relative_path: str):
    assert not needs_everything(data, relative_path)
