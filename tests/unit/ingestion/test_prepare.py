import pytest

from citewell.domain.chunk import Chunk
from citewell.domain.document import ConvertedDocument, DocumentState, PageSpan
from citewell.domain.errors import InvalidDocumentError
from citewell.domain.source import SourceItem
from citewell.ingestion.prepare import Origin, prepare_version

ORIGIN = Origin("s1", SourceItem("notes/Plan.md", 10, 5, "", "f"), "employee", "sha", "recipe")


def one_chunk(document: ConvertedDocument) -> list[Chunk]:
    return [Chunk(0, (0, len(document.text)), document.text, (), 1)]


def test_version_takes_type_and_title_from_the_path() -> None:
    version, vectors = prepare_version(
        ConvertedDocument(text="alpha", syntax="plain"), ORIGIN, chunk_document=one_chunk
    )
    assert (version.type, version.title, version.state) == (
        "md",
        "Plan",
        DocumentState.SEARCHABLE,
    )
    assert [chunk.terms for chunk in version.chunks] == [vectors[0].indices]


@pytest.mark.parametrize(
    ("pages", "state"),
    [((), DocumentState.EMPTY), ((PageSpan(1, 0, 0),), DocumentState.NO_TEXT)],
)
def test_document_without_text_has_a_state_and_no_chunks(
    pages: tuple[PageSpan, ...], state: DocumentState
) -> None:
    document = ConvertedDocument(text=" \n", syntax="plain", pages=pages)
    version, vectors = prepare_version(document, ORIGIN, chunk_document=one_chunk)
    assert (version.state, tuple(version.chunks), vectors) == (state, (), [])
    assert version.notes == ("no text was found in it",)


@pytest.mark.parametrize(
    ("chunks", "reason"),
    [
        ([], "gave nothing"),
        ([Chunk(0, (0, 1), " ", (), 1)], "empty"),
        ([Chunk(0, (0, 5), "other", (), 1)], "does not match its span"),
    ],
)
def test_chunks_that_cannot_be_indexed_are_refused(chunks: list[Chunk], reason: str) -> None:
    document = ConvertedDocument(text="alpha", syntax="plain")
    with pytest.raises(InvalidDocumentError, match=reason):
        prepare_version(document, ORIGIN, chunk_document=lambda _: chunks)


def test_version_depends_on_bytes_and_recipe() -> None:
    document = ConvertedDocument(text="alpha", syntax="plain")
    versions = {
        prepare_version(
            document, Origin("s1", ORIGIN.item, tier, sha, recipe), chunk_document=one_chunk
        )[0].version
        for tier, sha, recipe in [
            ("employee", "sha", "recipe"),
            ("director", "sha", "recipe"),
            ("employee", "other", "recipe"),
            ("employee", "sha", "other"),
        ]
    }
    assert len(versions) == 3
