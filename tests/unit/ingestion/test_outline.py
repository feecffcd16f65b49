from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.domain.chunk import Block
from citewell.ingestion import outline
from citewell.ingestion.outline import outline_blocks, plain_title
from citewell.ingestion.outline_lines import outline_markdown_lines

MARKDOWN = """# Guide to **exports** [here](http://example.org)

One line
and another.

Second *title*
--------------

- item
- item

  more of it

| a | b |
|---|---|
| 1 | 2 |

```py
# no heading
```

    indented code

> [!note] Callout
> text

1. first
2. second

<div>html</div>

***

[reference]: http://example.org
"""


def described(text: str, blocks: list[Block]) -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end]) for block in blocks]


def test_markdown_blocks_have_their_kind_and_exact_text() -> None:
    assert described(MARKDOWN, outline_blocks(MARKDOWN, "markdown")) == [
        ("heading", "# Guide to **exports** [here](http://example.org)"),
        ("paragraph", "One line\nand another."),
        ("heading", "Second *title*\n--------------"),
        ("list", "- item\n- item\n\n  more of it"),
        ("table", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("code", "```py\n# no heading\n```"),
        ("code", "    indented code"),
        ("paragraph", "> [!note] Callout\n> text"),
        ("list", "1. first\n2. second"),
        ("paragraph", "<div>html</div>"),
        ("rule", "***"),
        ("paragraph", "[reference]: http://example.org"),
    ]


def test_headings_have_level_and_title_without_markup() -> None:
    blocks = outline_blocks(MARKDOWN, "markdown")
    headings = [(b.level, b.title) for b in blocks if b.kind == "heading"]
    assert headings == [(1, "Guide to exports here"), (2, "Second title")]


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("`code` and *stress*", "code and stress"),
        ("[[Page|alias]]", "[[Page|alias]]"),
        ("a &amp; b \\# c", "a & b # c"),
        ("two\nlines", "two lines"),
        ("![image](x.png) after", "image after"),
    ],
)
def test_title_is_what_a_reader_sees(content: str, title: str) -> None:
    assert plain_title(content) == title


def test_table_header_ends_after_the_rule() -> None:
    text = "Before\n\n| a | b |\n| - | :-: |\n| 1 | 2 |\n"
    for read in (lambda t: outline_blocks(t, "markdown"), outline_markdown_lines):
        table = next(block for block in read(text) if block.kind == "table")
        assert text[table.start : table.header_end] == "| a | b |\n| - | :-: |\n"


def test_headings_inside_quotes_and_lists_are_part_of_them() -> None:
    text = "> # quoted\n\n- # listed\n"
    kinds = [block.kind for block in outline_blocks(text, "markdown")]
    assert kinds == ["paragraph", "list"]


def test_plain_paragraphs_are_parted_by_blank_lines() -> None:
    text = "\n# not a heading\nsame paragraph\n \t\nsecond\n\n\n  third  \n"
    assert described(text, outline_blocks(text, "plain")) == [
        ("paragraph", "# not a heading\nsame paragraph"),
        ("paragraph", "second"),
        ("paragraph", "third  "),
    ]


def test_front_matter_that_was_kept_is_no_heading() -> None:
    text = "---\ntitle: [unclosed\ntags: x\n---\n\nText.\n"
    assert described(text, outline_blocks(text, "markdown")) == [
        ("code", "---\ntitle: [unclosed\ntags: x\n---"),
        ("paragraph", "Text."),
    ]


def test_line_reader_knows_the_common_blocks() -> None:
    assert described(MARKDOWN, outline_markdown_lines(MARKDOWN)) == [
        ("heading", "# Guide to **exports** [here](http://example.org)"),
        ("paragraph", "One line\nand another."),
        ("paragraph", "Second *title*\n--------------"),
        ("list", "- item\n- item"),
        ("paragraph", "  more of it"),
        ("table", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("code", "```py\n# no heading\n```"),
        ("paragraph", "    indented code"),
        ("paragraph", "> [!note] Callout\n> text"),
        ("list", "1. first\n2. second"),
        ("paragraph", "<div>html</div>"),
        ("paragraph", "***"),
        ("paragraph", "[reference]: http://example.org"),
    ]


def test_line_reader_gives_headings_level_and_title() -> None:
    text = "## A **b** [c](http://d) ##\n#notag\n###### deep\n####### seven\n"
    headings = [(b.level, b.title) for b in outline_markdown_lines(text) if b.kind == "heading"]
    assert headings == [(2, "A b c"), (6, "deep")]


def test_line_reader_keeps_an_unclosed_fence_open() -> None:
    text = "~~~\n# code\n```\n\nstill code\n"
    (block,) = outline_markdown_lines(text)
    assert described(text, [block]) == [("code", text.rstrip())]


def test_large_texts_go_to_the_line_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outline, "MAX_MARKDOWN_LINES", 3)
    assert outline_blocks("Title\n=====\n\ntext\n", "markdown")[0].kind == "paragraph"


HOSTILE = {
    "one line of 3 MB": "word " * 600_000,
    "one word of 3 MB": "a" * 3_000_000,
    "nested quotes": "> " * 20_000 + "x",
    "quotes of growing depth": "".join("> " * depth + "x\n" for depth in range(300)),
    "nested elements": "<div>\n" * 20_000,
    "deep lists": "".join("  " * depth + "- x\n" for depth in range(600)),
    "one line of list marks": "- " * 20_000,
    "unclosed links": "[a" * 50_000,
    "unclosed links in a heading": "# " + "[a" * 50_000,
    "stress marks in a heading": "# " + "*a " * 50_000,
    "backticks": "`" * 50_000,
    "link definitions": "[a]: b\n" * 20_000,
    "comments": "<!-- " * 20_000,
    "a table of 100,000 rows": "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 100_000,
    "a table of 5,000 columns": "|a" * 5_000 + "\n" + "|-" * 5_000 + "\n" + "|a" * 5_000,
    "blank lines": " \n" * 500_000,
}


@pytest.mark.parametrize("syntax", ["markdown", "plain"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_outlined_whole(name: str, syntax: str) -> None:
    text = HOSTILE[name]
    blocks = outline_blocks(text, syntax)  # type: ignore[arg-type]
    assert sum(len("".join(text[b.start : b.end].split())) for b in blocks) == len(
        "".join(text.split())
    )


@given(st.text(alphabet="#-*|>`~ \n\ta1.[]:<!_=é中", max_size=120), st.booleans())
def test_blocks_are_in_order_and_hold_all_that_is_not_white_space(text: str, linear: bool) -> None:
    blocks = outline_markdown_lines(text) if linear else outline_blocks(text, "markdown")
    position = 0
    for block in blocks:
        assert not text[position : block.start].strip()
        assert position <= block.start < block.end
        assert block.start <= block.header_end <= block.end
        assert not text[block.end - 1].isspace()
        position = block.end
    assert not text[position:].strip()
