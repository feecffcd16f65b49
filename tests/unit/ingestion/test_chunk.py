from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.domain.chunk import Block, Chunk
from citewell.domain.document import ConvertedDocument, PageSpan
from citewell.ingestion.chunk import ChunkOptions, chunk_document
from citewell.ingestion.outline import outline_blocks
from citewell.ingestion.tokens import count_tokens
from citewell.ports.embedder import PassageText

SMALL = ChunkOptions(target_tokens=60, max_tokens=120, overlap_tokens=15)

WORDS = ("alpha", "beta", "gamma", "Δοκιμή", "测试", "тест", "データ", "naïve", "x=1", "p1", "ok")

words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)
sentences = st.tuples(words, st.sampled_from([".", "!", "?", "。", ""])).map("".join)
paragraphs = st.lists(sentences, min_size=1, max_size=8).map(" ".join)
headings = st.tuples(st.integers(1, 3), words).map(lambda h: "#" * h[0] + " " + h[1])
lists = st.lists(words, min_size=1, max_size=12).map(lambda w: "\n".join(f"- {x}" for x in w))
tables = st.lists(words, min_size=1, max_size=25).map(
    lambda rows: "\n".join(["| name | value |", "|---|---|", *(f"| {r} | 1 |" for r in rows)])
)
code_blocks = st.lists(words, min_size=1, max_size=20).map(
    lambda lines: "\n".join(["```", *(f"    {x}" for x in lines), "```"])
)
endless_lines = st.integers(200, 900).map(lambda n: "0123456789abcdef" * (n // 16))
noise = st.text(max_size=40).map(lambda t: t.replace("\r", " ").replace("\0", " "))
markdown_texts = st.lists(
    st.one_of(paragraphs, headings, lists, tables, code_blocks, endless_lines, noise), max_size=14
).map("\n\n".join)
page_texts = st.lists(
    st.lists(st.one_of(sentences, words), max_size=12).map("\n".join), min_size=1, max_size=8
)


def paged_document(pages: list[str], *, separator: str = "\n\n") -> ConvertedDocument:
    spans: list[PageSpan] = []
    start = 0
    for number, page in enumerate(pages, start=1):
        spans.append(PageSpan(number, start, start + len(page)))
        start += len(page) + len(separator)
    return ConvertedDocument(separator.join(pages), "plain", pages=tuple(spans))


def chunks_of(
    document: ConvertedDocument, *, options: ChunkOptions = SMALL, **embedder: object
) -> list[Chunk]:
    blocks = outline_blocks(document.text, document.syntax)
    return chunk_document(document, blocks, options=options, **embedder)  # type: ignore[arg-type]


def chunks_of_markdown(text: str, *, options: ChunkOptions = SMALL) -> list[Chunk]:
    return chunks_of(ConvertedDocument(text, "markdown"), options=options)


def assert_sound(document: ConvertedDocument, chunks: list[Chunk], options: ChunkOptions) -> None:
    text = document.text
    uncovered = {i for i, character in enumerate(text) if not character.isspace()}
    for ordinal, chunk in enumerate(chunks):
        start, end = chunk.span
        header = text[slice(*chunk.header_span)] if chunk.header_span else ""
        assert chunk.ordinal == ordinal
        assert chunk.content == header + text[start:end]
        assert chunk.content.strip()
        assert not text[end - 1].isspace()
        assert chunk.n_tokens == count_tokens(chunk.content)
        assert chunk.n_tokens <= options.max_tokens
        uncovered -= set(range(start, end))
    assert uncovered == set()
    for before, after in pairwise(chunks):
        assert before.span[0] < after.span[0]
        assert before.span[1] < after.span[1]
        if after.span[0] < before.span[1]:
            assert before.heading_path == after.heading_path
            repeated = text[after.span[0] : before.span[1]]
            assert count_tokens(repeated) <= options.overlap_tokens


@given(markdown_texts)
def test_markdown_chunks_cover_the_text_and_stay_within_the_maximum(text: str) -> None:
    document = ConvertedDocument(text, "markdown")
    assert_sound(document, chunks_of(document), SMALL)


@given(st.text(max_size=400).map(lambda t: t.replace("\r", "\n").replace("\0", " ")))
def test_arbitrary_text_is_covered_and_within_the_maximum(text: str) -> None:
    for syntax in ("markdown", "plain"):
        document = ConvertedDocument(text, syntax)
        assert_sound(document, chunks_of(document), SMALL)


@given(page_texts, st.sampled_from(["\n\n", "\n", "\f"]))
def test_chunks_of_pages_know_the_pages_of_their_first_and_last_character(
    pages: list[str], separator: str
) -> None:
    document = paged_document(pages, separator=separator)
    chunks = chunks_of(document)
    assert_sound(document, chunks, SMALL)

    def page_of(position: int) -> int:
        return max(page.number for page in document.pages if page.start <= position)

    for chunk in chunks:
        start, end = chunk.span
        first = next(i for i in range(start, end) if not document.text[i].isspace())
        assert (chunk.page_start, chunk.page_end) == (page_of(first), page_of(end - 1))


@given(markdown_texts)
def test_units_that_fit_stay_whole(text: str) -> None:
    document = ConvertedDocument(text, "markdown")
    spans = [chunk.span for chunk in chunks_of(document)]
    for block in outline_blocks(text, "markdown"):
        # One token more than the block itself: the chunk's limit includes the break after it.
        if count_tokens(text[block.start : block.end]) + 4 <= SMALL.max_tokens:
            assert any(start <= block.start and block.end <= end for start, end in spans)


def path_at(blocks: list[Block], position: int) -> tuple[str, ...]:
    path: list[tuple[int, str]] = []
    for block in blocks:
        if block.kind == "heading" and block.start <= position:
            path = [*(p for p in path if p[0] < block.level), (block.level, block.title)]
    return tuple(title for _, title in path if title)


@given(markdown_texts)
def test_heading_path_holds_for_all_of_a_chunk(text: str) -> None:
    blocks = outline_blocks(text, "markdown")
    for chunk in chunks_of_markdown(text):
        start, end = chunk.span
        path = path_at(blocks, end - 1)
        assert path[: len(chunk.heading_path)] == chunk.heading_path
        headings_inside = [b for b in blocks if b.kind == "heading" and start <= b.start < end]
        if len(headings_inside) <= 1:
            assert path == chunk.heading_path


@settings(max_examples=40)
@given(markdown_texts, st.integers(40, 200))
def test_no_chunk_is_over_the_limit_of_the_embedder(text: str, limit: int) -> None:
    def count(passage: str) -> int:
        return 3 + sum(1 + len(word.encode()) // 3 for word in passage.split())

    document = ConvertedDocument(text, "markdown", title="A title")
    chunks = chunks_of(document, count_embedder_tokens=count, embedder_max_tokens=limit)
    assert_sound(document, chunks, SMALL)
    for chunk in chunks:
        passage = PassageText(chunk.content, title="A title", heading_path=chunk.heading_path)
        prefix = count(passage.text) - count(chunk.content)
        assert count(passage.text) <= limit + max(0, prefix - limit // 2)


def test_document_without_text_has_no_chunks() -> None:
    assert chunks_of_markdown(" \n\n\t\n") == []
    assert chunks_of(paged_document(["", " ", ""])) == []


HOSTILE = {
    "one line": "word " * 40_000,
    "one word": "a" * 200_000,
    "one grapheme": "a" + "\u0301" * 50_000,
    "a gap of spaces": "a" + " " * 200_000 + "b.",
    "a gap of lines": "a" + "\n" * 200_000 + "b.",
    "equal lines": "a line\n" * 20_000,
    "equal paragraphs": "A sentence. And another.\n\n" * 8_000,
    "headings": "# a\n" * 9_000,
    "sections": "# a\n\ntext\n\n" * 6_000,
    "no spaces": "\u8fd9\u662f\u4e00\u4e2a\u6d4b\u8bd5" * 10_000,
    "full stops": ". " * 50_000,
    "rare characters": "".join(chr(0x12000 + i % 900) for i in range(20_000)),
}


@pytest.mark.parametrize("syntax", ["markdown", "plain"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_chunked_whole(name: str, syntax: str) -> None:
    text = HOSTILE[name]
    chunks = chunks_of(ConvertedDocument(text, syntax), options=ChunkOptions())
    position = 0
    for chunk in chunks:
        start, end = chunk.span
        assert not text[position:start].strip()
        assert chunk.n_tokens <= 1200
        position = max(position, end)
    assert not text[position:].strip()


def test_a_limit_without_a_counter_is_kept_by_a_safe_ratio() -> None:
    text = " ".join(f"Sentence {i} of a text." for i in range(200))
    chunks = chunks_of(
        ConvertedDocument(text, "plain", title="Title"),
        options=ChunkOptions(),
        embedder_max_tokens=200,
    )
    assert max(chunk.n_tokens for chunk in chunks) <= 200 / 1.7


def test_a_table_header_that_fills_the_embedder_is_not_repeated() -> None:
    """Dashes are few tokens for one tokenizer and many for the other."""
    text = f"| {'name ':400}|\n|{'-' * 402}|\n" + "\n".join(f"| row {i} |" for i in range(200))
    chunks = chunks_of(
        ConvertedDocument(text, "markdown"),
        options=ChunkOptions(),
        count_embedder_tokens=lambda t: len("".join(t.split())),
        embedder_max_tokens=512,
    )
    assert 2 <= len(chunks) < 20
    assert {chunk.header_span for chunk in chunks} == {None}
