"""Read the structure of a text: headings, paragraphs, lists, tables and code, with their spans."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from citewell.domain.chunk import Block, BlockKind
from citewell.domain.document import Syntax
from citewell.ingestion.outline_lines import outline_markdown_lines
from citewell.ingestion.spans import trim_span

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# markdown-it-py needs 10 to 40 microseconds a line and 7 a table cell, so a spreadsheet of 100,000
# rows would take seconds; beyond these limits the linear reader takes over.
MAX_MARKDOWN_CHARACTERS = 1_000_000
MAX_MARKDOWN_LINES = 10_000
MAX_MARKDOWN_PIPES = 100_000

# Longer headings are broken input; their inline markup can take quadratic time.
MAX_TITLE_LENGTH = 300

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")
_FRONT_MATTER = re.compile(
    r"---[ \t]*\n(?=[^\n]{1,200}:)(?:(?!---[ \t]*$)[^\n]*\n){1,1000}---[ \t]*$", re.MULTILINE
)
_KINDS: dict[str, BlockKind] = {
    "paragraph_open": "paragraph",
    "blockquote_open": "paragraph",
    "html_block": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "hr": "rule",
    "heading_open": "heading",
}


def outline_blocks(text: str, syntax: Syntax) -> list[Block]:
    r"""Return the top-level blocks of a text, in order, without overlap.

    Every character that is not white space lies in exactly one block. Takes time linear in the
    length of the text, whatever it holds.

    Args:
        text: Lines end with "\n".
        syntax: `markdown` for CommonMark with tables; `plain` for paragraphs between blank lines.
    """
    if syntax == "plain":
        return _outline_plain(text)
    front_matter = _FRONT_MATTER.match(text)
    if front_matter:
        # Only what could not be read is still there; as Markdown it would be a heading.
        blank = re.sub(r"[^\n]", " ", front_matter[0])
        rest = outline_blocks(blank + text[len(blank) :], syntax)
        return [Block("code", 0, len(front_matter[0].rstrip())), *rest]
    if _is_large(text):
        return outline_markdown_lines(text)
    return _outline_markdown(text)


def _is_large(text: str) -> bool:
    return (
        len(text) > MAX_MARKDOWN_CHARACTERS
        or text.count("\n") > MAX_MARKDOWN_LINES
        or text.count("|") > MAX_MARKDOWN_PIPES
    )


def _outline_plain(text: str) -> list[Block]:
    return [
        Block("paragraph", match.start(), match.end(), header_end=match.start())
        for match in _PARAGRAPH.finditer(text)
    ]


@functools.cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _outline_markdown(text: str) -> list[Block]:
    parser = _parser()
    tokens: list[Token] = []
    # Only the block rules run here: inline markup is most of the cost and only titles need it.
    parser.block.parse(text, parser, {}, tokens)
    starts = _line_starts(text)
    blocks: list[Block] = []
    position = 0
    for index, token in enumerate(tokens):
        if token.level or not token.map or token.type not in _KINDS:
            continue
        block = _block_of(text, starts, tokens, index)
        if block is None or block.start < position:
            continue
        blocks += _unparsed(text, position, block.start)
        blocks.append(block)
        position = block.end
    return blocks + _unparsed(text, position, len(text))


def _block_of(text: str, starts: list[int], tokens: list[Token], index: int) -> Block | None:
    token = tokens[index]
    first, end_line = token.map or (0, 0)
    start, end = trim_span(text, starts[first], starts[min(end_line, len(starts) - 1)])
    if start == end:
        return None
    kind = _KINDS[token.type]
    if kind == "heading":
        title = plain_title(tokens[index + 1].content)
        return Block(kind, start, end, int(token.tag[1:]), title, header_end=start)
    if kind == "table":
        body = starts[min(first + 2, len(starts) - 1)]
        return Block(kind, start, end, header_end=min(body, end))
    return Block(kind, start, end, header_end=start)


def plain_title(content: str) -> str:
    """Return the inline Markdown of a heading without markup: `**A** [b](c)` becomes `A b`."""
    inline = _parser().parseInline(content[:MAX_TITLE_LENGTH])[0].children or []
    parts = [" " if token.type.endswith("break") else token.content for token in inline]
    return " ".join("".join(parts).split())


def _unparsed(text: str, start: int, end: int) -> list[Block]:
    """Return a paragraph for text that gives no token, such as link definitions."""
    start, end = trim_span(text, start, end)
    return [Block("paragraph", start, end, header_end=start)] if start < end else []


def _line_starts(text: str) -> list[int]:
    """Return where each line starts, and the end of the text."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return [*starts, len(text)]
