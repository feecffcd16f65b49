"""Cutting documents for the embedder in use."""

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.domain.document import ConvertedDocument, PageSpan
from citewell.ingestion.chunk import ChunkOptions
from citewell.ingestion.document_chunker import DocumentChunker
from citewell.ingestion.limits import EmbedderLimit
from citewell.testing.scripted_embedder import ScriptedEmbedder

SMALL = ChunkOptions(target_tokens=20, max_tokens=40, overlap_tokens=5)
LARGE = ChunkOptions()


def paged(*texts: str) -> ConvertedDocument:
    """Return a document of pages, parted by blank lines."""
    pieces = [f"{text}\n\n" if text else "" for text in texts]
    ends = [0, *accumulate(len(piece) for piece in pieces)]
    pages = tuple(PageSpan(n, *span) for n, span in enumerate(pairwise(ends), 1))
    return ConvertedDocument(text="".join(pieces), syntax="plain", pages=pages)


def test_chunks_are_in_order_and_cover_the_text() -> None:
    text = "# A\n\n" + "alpha beta gamma. " * 40 + "\n\n# B\n\n" + "delta. " * 40
    document = ConvertedDocument(text=text, syntax="markdown")
    chunks = DocumentChunker(SMALL, None).chunk(document)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert {chunk.heading_path for chunk in chunks} == {("A",), ("B",)}
    covered = {place for chunk in chunks for place in range(*chunk.span)}
    assert all(text[place].isspace() for place in set(range(len(text))) - covered)


def test_no_chunk_is_longer_than_the_embedder_reads() -> None:
    text = "\n\n".join("word " * 9 for _ in range(30))
    document = ConvertedDocument(text=text, syntax="plain")
    embedder = ScriptedEmbedder(max_tokens=30)
    with_limit = DocumentChunker(LARGE, EmbedderLimit.of(embedder)).chunk(document)
    without = DocumentChunker(LARGE, None).chunk(document)
    assert max(embedder.count_tokens(chunk.content) for chunk in with_limit) <= 30
    assert len(without) < len(with_limit)


def test_page_breaks_say_where_a_page_starts_in_the_content() -> None:
    document = paged("alpha one", "beta two", "", "gamma four")
    (chunk,) = DocumentChunker(LARGE, None).chunk(document)
    assert (chunk.page_start, chunk.page_end) == (1, 4)
    assert [(chunk.content[at:][:5], page) for at, page in chunk.page_breaks] == [
        ("beta ", 2),
        ("gamma", 4),
    ]


def test_chunk_of_one_page_has_no_page_break() -> None:
    (chunk,) = DocumentChunker(LARGE, None).chunk(paged("alpha one"))
    assert (chunk.page_start, chunk.page_end, chunk.page_breaks) == (1, 1, ())


@given(
    st.lists(
        st.lists(st.sampled_from(["alpha", "beta.", "gamma"]), max_size=30).map(" ".join),
        min_size=1,
        max_size=6,
    )
)
def test_page_breaks_agree_with_the_pages(texts: list[str]) -> None:
    document = paged(*texts)
    starts = {page.number: page.start for page in document.pages}
    for chunk in DocumentChunker(SMALL, None).chunk(document):
        shift = len(chunk.content) - chunk.span[1]
        for at, page in chunk.page_breaks:
            assert at == starts[page] + shift
            assert 0 < at < len(chunk.content)
        inside = [
            page.number
            for page in document.pages
            if page.start < page.end and chunk.span[0] < page.start < chunk.span[1]
        ]
        assert [page for _, page in chunk.page_breaks] == inside


@pytest.mark.parametrize(
    "other",
    [
        DocumentChunker(LARGE, None).recipe("converter-2"),
        DocumentChunker(SMALL, None).recipe("converter-1"),
        DocumentChunker(LARGE, EmbedderLimit.of(ScriptedEmbedder(max_tokens=30))).recipe(
            "converter-1"
        ),
    ],
    ids=["converter", "sizes", "limit"],
)
def test_what_changes_chunks_changes_the_recipe(other: str) -> None:
    recipe = DocumentChunker(LARGE, None).recipe("converter-1")
    assert recipe == DocumentChunker(ChunkOptions(), None).recipe("converter-1")
    assert other != recipe


def test_recipe_is_the_same_for_models_of_the_same_limit() -> None:
    first = DocumentChunker(LARGE, EmbedderLimit.of(ScriptedEmbedder(name="a"))).recipe(
        "converter-1"
    )
    assert first == DocumentChunker(LARGE, EmbedderLimit.of(ScriptedEmbedder(name="b"))).recipe(
        "converter-1"
    )
