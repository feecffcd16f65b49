"""What every converter promises, as tests: subclass `ConverterContract` with a `converter`."""

# ruff: noqa: D102, S101 - these are tests: their names state the facts, asserts are their means

from __future__ import annotations

import io
import zipfile

import pytest

from citewell.domain.document import ConvertedDocument, DocumentState, FailedMember
from citewell.domain.errors import DocumentError, UnsupportedDocumentError
from citewell.domain.prepared import PreparedDocument
from citewell.ports.converter import ConversionResult, Converter

TIMEOUT_S = 120
PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(20)


def convert(converter: Converter, data: bytes, relative_path: str) -> ConversionResult:
    """Return the result of one conversion."""
    return converter.submit(data, relative_path=relative_path).result(TIMEOUT_S)


def document_of(
    result: ConvertedDocument | PreparedDocument | FailedMember,
) -> ConvertedDocument:
    """Return the document of a result, prepared or not."""
    document = result.document if isinstance(result, PreparedDocument) else result
    assert isinstance(document, ConvertedDocument)
    return document


class ConverterContract:
    """The promises of the port `Converter`; each test takes the fixture `converter`."""

    def test_the_version_is_text_and_stays_the_same(self, converter: Converter) -> None:
        assert converter.version
        assert converter.version == converter.version

    def test_a_text_file_gives_one_document_without_a_member_path(
        self, converter: Converter
    ) -> None:
        document = document_of(*convert(converter, "Größe: 3 m².\r\n".encode(), "a/size.txt"))
        assert (document.text, document.syntax, document.member_path) == (
            "Größe: 3 m².\n",
            "plain",
            "",
        )
        assert document.converter

    def test_a_note_is_markdown_with_tags_and_links(self, converter: Converter) -> None:
        note = b"---\ntags: [crm]\n---\n# Limits\n\nSee [[Export|here]] #quota\n"
        document = document_of(*convert(converter, note, "products/limits.md"))
        assert document.syntax == "markdown"
        assert set(document.tags) == {"crm", "quota"}
        assert document.links == ("Export",)

    def test_text_has_no_characters_that_nobody_sees(self, converter: Converter) -> None:
        hidden = "pay\u200bment\u202e \0\U000e0041due".encode()
        document = document_of(*convert(converter, hidden, "due.txt"))
        assert document.text == "payment due"
        assert document.notes == ("removed 4 invisible characters",)

    def test_an_empty_file_is_an_empty_document(self, converter: Converter) -> None:
        document = document_of(*convert(converter, b"", "empty.md"))
        assert document.text == ""

    def test_a_type_that_nothing_reads_is_unsupported_with_a_reason(
        self, converter: Converter
    ) -> None:
        with pytest.raises(UnsupportedDocumentError, match="OCR"):
            convert(converter, PICTURE, "photo.png")

    def test_an_archive_gives_one_entry_per_member_in_its_order(self, converter: Converter) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("b/second.txt", "two")
            archive.writestr("photo.png", PICTURE)
            archive.writestr("../outside.txt", "three")
            archive.writestr("a.txt", "one")
        results = convert(converter, packed.getvalue(), "all.zip")
        outline = [
            (
                result.member_path,
                result.state if isinstance(result, FailedMember) else document_of(result).text,
            )
            for result in results
        ]
        assert outline == [
            ("b/second.txt", "two"),
            ("photo.png", DocumentState.UNSUPPORTED),
            ("%2E%2E/outside.txt", DocumentState.FAILED),
            ("a.txt", "one"),
        ]
        assert all(result.reason for result in results if isinstance(result, FailedMember))

    def test_damaged_files_raise_document_errors(self, converter: Converter) -> None:
        for name, data in (
            ("a.pdf", b"%PDF-1.7 nothing else"),
            ("b.docx", b"PK\x03\x04 nothing else"),
            ("c.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 nothing else"),
            ("d.gz", b"\x1f\x8b nothing else"),
        ):
            with pytest.raises(DocumentError):
                convert(converter, data, name)

    def test_many_files_at_once_keep_their_results_apart(self, converter: Converter) -> None:
        futures = [
            converter.submit(f"file {number}".encode(), relative_path=f"{number}.txt")
            for number in range(30)
        ]
        texts = [
            document_of(result).text for future in futures for result in future.result(TIMEOUT_S)
        ]
        assert texts == [f"file {number}" for number in range(30)]
