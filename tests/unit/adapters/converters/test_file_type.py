import pytest
from sample_files import make_docx, make_odt, make_pptx, make_xlsx, make_zip, paragraph

from citewell.adapters.converters.convert_bytes import convert_bytes
from citewell.adapters.converters.file_type import recognise
from citewell.adapters.converters.limits import ConversionLimits
from citewell.domain.document import ConvertedDocument
from citewell.domain.errors import (
    ConversionError,
    ProtectedDocumentError,
    UnsupportedDocumentError,
)


@pytest.mark.parametrize(
    ("data", "name", "file_type"),
    [
        (b"%PDF-1.7", "a.txt", "pdf"),
        (b"junk\n%PDF-1.7", "a.pdf", "pdf"),
        (b"the magic is %PDF-1.7", "a.md", "markdown"),
        (make_docx(paragraph("x")), "a.zip", "docx"),
        (make_xlsx({"S": {"A1": 1}}), "a", "xlsx"),
        (make_pptx([("a", "b")]), "a.dat", "pptx"),
        (make_odt(""), "a.odt", "opendocument"),
        (make_zip({"mimetype": "application/epub+zip"}), "a.epub", "epub"),
        (make_zip({"a.txt": "x"}), "a.docx", "zip"),
        (b"<!DOCTYPE html><p>x", "a.docx", "html"),
        (b"  <html lang=en>", "noext", "html"),
        (b"<html> in a note", "a.md", "markdown"),
        (b"<html> as text", "a.txt", "text"),
        (b'<?xml version="1.0"?><a/>', "a", "xml"),
        (b'<?xml version="1.0"?><svg xmlns="x"/>', "a.xml", "svg"),
        (b"<!---->" * 500 + b"<htm", "a", "text"),
        (b"<!-- a --> <!-- b --><html>", "a", "html"),
        (b"a: 1", "a.yaml", "text"),
        (b"# A", "A.MD", "markdown"),
        (b"# A", "a.markdown ", "markdown"),
        (b"import this", "a.mdx", "markdown"),
        (b"a,b", "a.CSV", "table"),
        (b"Subject: x", "a.eml", "mail"),
        (b"{}", "a.ipynb", "notebook"),
        (b"MZ is a place", "a.txt", "text"),
        (b"BZh is not bzip2", "a.txt", "text"),
        (b"", "a.txt", "text"),
    ],
)
def test_content_decides_where_it_can(data: bytes, name: str, file_type: str):
    assert recognise(data, name).file_type == file_type


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n\0", "PNG image: text in pictures is not read yet (no OCR)"),
        (b"\xff\xd8\xff\xe0\0", "JPEG image: text in pictures is not read yet (no OCR)"),
        (b"ID3\x04\0\0", "MP3 audio: sound and video are not transcribed"),
        (b"\0\0\0\x20ftypisom", "MP4 audio or video: sound and video are not transcribed"),
        (b"7z\xbc\xaf\x27\x1c", "7z archive: unpack it or pack it as zip to have it read"),
        (b"\x7fELF\x02\0", "Linux binary: a program, not a document"),
        (b"SQLite format 3\0", "SQLite: a database, not a document"),
        (b"{\\rtf1\\ansi", "RTF document: save it as .docx to have it read"),
        (b"\x80\x81\x00\x01\x02\x03" * 40, "the content is binary data of an unknown type"),
    ],
)
def test_what_nothing_reads_is_unsupported_with_a_reason(data: bytes, reason: str):
    with pytest.raises(UnsupportedDocumentError) as raised:
        convert_bytes(data, "a.docx", ConversionLimits())

    assert str(raised.value).startswith(reason)


@pytest.mark.parametrize(
    ("data", "name"),
    [(b"-----BEGIN PGP MESSAGE-----\n", "a.txt"), (b"\x85\x01\x0c\x03", "a.pdf.gpg")],
)
def test_encrypted_files_are_protected(data: bytes, name: str):
    with pytest.raises(ProtectedDocumentError, match="PGP"):
        convert_bytes(data, name, ConversionLimits())


def test_an_empty_file_is_an_empty_document():
    assert convert_bytes(b"", "a.pdf", ConversionLimits()) == [
        ConvertedDocument("", "plain", notes=("the file is empty",), converter="none-1")
    ]


def test_a_compound_file_that_is_damaged_is_an_error_with_a_reason():
    with pytest.raises(UnsupportedDocumentError, match="damaged Office 97 file"):
        convert_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(20), "a.doc", ConversionLimits())


@pytest.mark.parametrize("name", ["a.json", "a.html", "a.xml", "a.ipynb", "a.canvas", "a.svg"])
@pytest.mark.parametrize("data", [b"[" * 20_000, b"<a>" * 20_000, b'{"a":' * 20_000])
def test_endless_nesting_is_text_or_an_error(name: str, data: bytes):
    try:
        (document,) = convert_bytes(data, name, ConversionLimits())
    except ConversionError:
        return

    assert isinstance(document, ConvertedDocument)
