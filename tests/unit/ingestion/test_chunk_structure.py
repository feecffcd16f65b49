from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from citewell.domain.chunk import Chunk
from citewell.domain.document import ConvertedDocument, PageSpan
from citewell.ingestion.chunk import ChunkOptions, chunk_document
from citewell.ingestion.outline import outline_blocks
from citewell.ingestion.tokens import count_tokens

OPTIONS = ChunkOptions(target_tokens=60, max_tokens=120, overlap_tokens=15)


def chunks_of(text: str, *, options: ChunkOptions = OPTIONS) -> list[Chunk]:
    document = ConvertedDocument(text, "markdown")
    return chunk_document(document, outline_blocks(text, "markdown"), options=options)


def sentences(n: int, *, start: int = 0) -> str:
    return " ".join(f"This is sentence number {i} of the text." for i in range(start, start + n))


def test_each_section_is_a_chunk_with_its_heading_line_and_path() -> None:
    text = f"# Guide\n\n{sentences(3)}\n\n## Limits **here**\n\n{sentences(4)}\n"
    assert [(c.heading_path, c.content) for c in chunks_of(text)] == [
        (("Guide",), f"# Guide\n\n{sentences(3)}"),
        (("Guide", "Limits here"), f"## Limits **here**\n\n{sentences(4)}"),
    ]


def test_text_before_the_first_heading_has_an_empty_path() -> None:
    chunks = chunks_of(f"{sentences(4)}\n\n# Title\n\n{sentences(4)}")
    assert [c.heading_path for c in chunks] == [(), ("Title",)]


def test_heading_without_text_joins_the_section_below_it() -> None:
    text = f"# Guide\n\n## Limits\n\n{sentences(4)}"
    assert [(c.heading_path, c.content) for c in chunks_of(text)] == [(("Guide", "Limits"), text)]


def test_heading_without_text_does_not_join_a_section_beside_it() -> None:
    text = f"## Empty\n\n## Full\n\n{sentences(5)}"
    assert [(c.heading_path, c.content) for c in chunks_of(text)] == [
        (("Empty",), "## Empty"),
        (("Full",), f"## Full\n\n{sentences(5)}"),
    ]


def test_a_skipped_level_returns_to_the_right_parent() -> None:
    body = sentences(4)
    text = f"# A\n\n{body}\n\n### B\n\n{body}\n\n## C\n\n{body}"
    assert [c.heading_path for c in chunks_of(text)] == [("A",), ("A", "B"), ("A", "C")]


def test_hundreds_of_tiny_sections_are_joined_under_their_parent() -> None:
    text = "# Glossary\n\n" + "\n\n".join(f"## Term {i}\n\nMeaning {i}." for i in range(300))
    chunks = chunks_of(text, options=ChunkOptions())
    assert len(chunks) < 100
    assert {c.heading_path for c in chunks[1:]} == {("Glossary",)}
    assert min(c.n_tokens for c in chunks[1:-1]) >= 20


def test_a_single_tiny_section_keeps_its_own_path() -> None:
    body = sentences(5)
    text = f"# A\n\n{body}\n\n## Tiny\n\nYes.\n\n## B\n\n{body}"
    assert [c.heading_path for c in chunks_of(text)] == [("A",), ("A", "Tiny"), ("A", "B")]


def test_parts_of_a_large_table_repeat_its_header() -> None:
    header = "| Product | Price |\n|---|---|\n"
    rows = [f"| Product number {i} | {i} EUR |" for i in range(40)]
    text = f"# Prices\n\n{header}" + "\n".join(rows)
    first, *others = chunks_of(text)
    start = text.index(header)
    assert first.header_span is None
    assert others
    for chunk in others:
        assert chunk.header_span == (start, start + len(header))
        assert chunk.content == header + text[slice(*chunk.span)]
        assert chunk.n_tokens == count_tokens(chunk.content) <= OPTIONS.max_tokens
    cut = [line for chunk in (first, *others) for line in text[slice(*chunk.span)].splitlines()]
    assert [line for line in cut if line in rows] == rows


def test_a_table_header_that_is_too_long_is_not_repeated() -> None:
    header = "| " + " | ".join(f"column {i}" for i in range(20)) + " |\n|" + "---|" * 20 + "\n"
    text = header + "\n".join("| " + "1 | " * 20 for _ in range(20))
    assert {chunk.header_span for chunk in chunks_of(text)} == {None}


def test_a_large_code_block_is_cut_between_lines() -> None:
    lines = [f"    call_function_number_{i}(argument={i})" for i in range(40)]
    text = "\n".join(["```python", *lines, "```"])
    chunks = chunks_of(text)
    assert len(chunks) > 2
    cut = [line for chunk in chunks for line in chunk.content.splitlines()]
    assert cut == text.splitlines()


def test_a_large_paragraph_is_cut_between_sentences() -> None:
    chunks = chunks_of(sentences(40))
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.content.startswith("This is sentence")
        assert chunk.content.endswith("of the text.")


def test_a_large_list_is_cut_between_items() -> None:
    items = [f"- item {i} with some words\n  and a second line" for i in range(30)]
    for chunk in chunks_of("\n".join(items)):
        assert chunk.content.startswith("- item")
        assert chunk.content.endswith("second line")


def test_an_endless_line_is_cut_between_words() -> None:
    words = [f"word{i}" for i in range(600)]
    chunks = chunks_of(" ".join(words), options=replace(OPTIONS, overlap_tokens=0))
    assert [word for chunk in chunks for word in chunk.content.split()] == words


def test_an_endless_word_is_never_cut_inside_a_grapheme() -> None:
    text = "e\u0301" * 1500
    chunks = chunks_of(text)
    assert "".join(chunk.content for chunk in chunks) == text
    assert [chunk for chunk in chunks if chunk.content.startswith("\u0301")] == []


def test_neighbours_in_a_section_overlap_by_whole_sentences() -> None:
    text = sentences(40)
    chunks = chunks_of(text)
    for before, after in pairwise(chunks):
        repeated = text[after.span[0] : before.span[1]]
        assert repeated.startswith("This is sentence")
        assert 0 < count_tokens(repeated) <= OPTIONS.overlap_tokens


def test_sections_do_not_overlap() -> None:
    text = f"# A\n\n{sentences(5)}\n\n# B\n\n{sentences(5)}"
    first, second = chunks_of(text)
    assert first.span[1] <= second.span[0]


def test_overlap_can_be_switched_off() -> None:
    text = sentences(40)
    chunks = chunks_of(text, options=replace(OPTIONS, overlap_tokens=0))
    assert " ".join(chunk.content for chunk in chunks) == text


def paged(*pages: str) -> ConvertedDocument:
    spans: list[PageSpan] = []
    start = 0
    for number, page in enumerate(pages, start=1):
        spans.append(PageSpan(number, start, start + len(page)))
        start += len(page) + 2
    return ConvertedDocument("\n\n".join(pages), "plain", pages=tuple(spans))


def chunks_of_pages(*pages: str) -> list[Chunk]:
    document = paged(*pages)
    return chunk_document(document, outline_blocks(document.text, "plain"), options=OPTIONS)


def test_page_borders_are_cut_first() -> None:
    chunks = chunks_of_pages(sentences(5), sentences(5, start=5), sentences(5, start=10))
    assert [(c.page_start, c.page_end) for c in chunks] == [(1, 1), (2, 2), (3, 3)]
    assert [c.content for c in chunks] == [sentences(5, start=n) for n in (0, 5, 10)]


def test_page_borders_are_cut_before_those_of_paragraphs() -> None:
    pages = [f"{sentences(2, start=n)}\n\n{sentences(3, start=n + 2)}" for n in range(0, 60, 5)]
    chunks = chunks_of_pages(*pages)
    assert [c.content for c in chunks] == pages


def test_what_introduces_a_paragraph_stays_with_it() -> None:
    names = [f"Person number {i}" for i in range(12)]
    text = "\n\n".join(f"{name}\n\n{sentences(4)}" for name in names)
    for chunk in chunks_of(text, options=replace(OPTIONS, overlap_tokens=0)):
        assert chunk.content.startswith("Person")
        assert chunk.content.endswith("of the text.")


def test_small_pages_share_a_chunk() -> None:
    (chunk,) = chunks_of_pages("One short page.", "", "Another one.")
    assert (chunk.page_start, chunk.page_end) == (1, 3)
    assert (chunk.paragraph_start, chunk.paragraph_end) == (1, 1)


def test_a_sentence_that_goes_on_is_repeated_on_the_next_page() -> None:
    first = sentences(5) + " The limit of exports is"
    _, second = chunks_of_pages(first, "five thousand rows. " + sentences(5, start=5))
    assert second.content.startswith("The limit of exports is\n\nfive thousand rows.")
    assert (second.page_start, second.page_end) == (1, 2)


def test_paragraphs_are_counted_within_the_page() -> None:
    page = f"Heading\n\n{sentences(4)}\n\n{sentences(4, start=4)}"
    chunks = chunks_of_pages(sentences(6), page)
    assert [(c.page_start, c.paragraph_start, c.page_end, c.paragraph_end) for c in chunks] == [
        (1, 1, 1, 1),
        (2, 1, 2, 2),
        (2, 2, 2, 3),  # it repeats the last sentence of the second
    ]
