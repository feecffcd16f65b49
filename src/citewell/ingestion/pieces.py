"""Cut blocks into pieces: whole where they fit, else at their natural borders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from citewell.domain.chunk import Block
from citewell.ingestion.borders import Piece, text_key
from citewell.ingestion.spans import trim_span
from citewell.ingestion.tokens import count_tokens, is_seam

# How good a border is, best first: pages, blocks, parts of blocks (sentences, rows, items, lines of
# code), lines of prose, words; a heading is parted from its text only when nothing else is left.
RANK_PAGE = 5
RANK_BLOCK = 4
RANK_PART = 3
RANK_LINE = 2
RANK_WORD = 1
RANK_AFTER_HEADING = 0

# Sentences and items with more characters are cut between their lines too, which in tables of a PDF
# are the rows.
_LONG_PART = 500

# A border keeps its key when the end of its paragraph is edited.
_KEY_LENGTH = 100

_SENTENCE_START = re.compile(
    r"(?:[.!?…][\"'”’»)\]]*\s+(?![a-z\s])|[。！？｡．؟۔।॥][\"'”’»)\]」』）]*\s*)(?=\S)"
)
# What ends in a full stop and seldom ends a sentence: initials and the commonest abbreviations.
_ABBREVIATION = re.compile(
    r"(?:^|[^\w])(?:[A-Za-z]|[Mm]rs?|[Mm]s|[Dd]r|[Pp]rof|[Ss]t|[Nn]o|[Nn]r|vs|Inc|Ltd|Co|Corp|[Ff]ig"
    r"|[Ee]q|approx|bzw|ca|vgl|Abs)$"
)
_ABBREVIATION_LENGTH = 7
_LINE_START = re.compile(r"\n(?=[^\n])")
_ITEM_START = re.compile(r"\n(?=[ \t]{0,3}(?:[-*+]|\d{1,9}[.)])[ \t])")

# Marks that belong to the character before them: combining marks, Thai and Devanagari vowels and
# tones, variation selectors, skin tones, and what a zero-width joiner ties on.
_MARKS = (
    r"[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a"
    r"\u0e47-\u0e4e\u1ab0-\u1aff\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f"
    r"\U0001f3fb-\U0001f3ff]"
)
_GRAPHEME_REST = rf"(?:{_MARKS}|\u200d\S){{0,20}}"
_WORD = re.compile(rf"\s*\S{{1,60}}{_GRAPHEME_REST}")
_REST = re.compile(_GRAPHEME_REST)
_MAX_GROUP_LENGTH = 120


def cut_block(
    text: str, block: Block, *, stays_whole: Callable[[str, int], bool], rank: int
) -> list[Piece]:
    """Return the pieces of one block.

    Args:
        text: The document's text.
        block: What to cut; its `end` is where the next block starts.
        stays_whole: Whether a text of so many tokens may be one piece.
        rank: Of the border before the block.
    """
    whole = make_piece(text, block.start, block.end, rank)
    if stays_whole(text[block.start : block.end], whole.size):
        return [whole]
    return cut_at_natural_borders(text, block, stays_whole=stays_whole, rank=rank)


def cut_at_natural_borders(
    text: str, block: Block, *, stays_whole: Callable[[str, int], bool], rank: int
) -> list[Piece]:
    """Return sentences, rows, items or lines of a block, and words of those that are too long."""
    pieces: list[Piece] = []
    for start, end, part_rank in _spans(block, part_starts(text, block), rank):
        lines = line_starts(text, start, end) if end - start > _LONG_PART else []
        borders = [(start, part_rank), *((line, RANK_LINE) for line in lines), (end, 0)]
        for (line_start, line_rank), (line_end, _) in pairwise(borders):
            piece = make_piece(text, line_start, line_end, line_rank)
            if stays_whole(text[line_start:line_end], piece.size):
                pieces.append(piece)
            else:
                pieces += cut_between_words(text, piece)
    return pieces


def _spans(block: Block, starts: Sequence[int], rank: int) -> Iterator[tuple[int, int, int]]:
    start = block.start
    for next_start in starts:
        yield start, next_start, rank
        start, rank = next_start, RANK_PART
    yield start, block.end, rank


def make_piece(text: str, start: int, end: int, rank: int) -> Piece:
    """Measure a piece of the text."""
    content = text[start:end]
    key = text_key(content[:_KEY_LENGTH])
    return Piece(start, end, rank, count_tokens(content), key, is_seam(text, start))


def part_starts(text: str, block: Block) -> Sequence[int]:
    """Return where the parts of a block start after the first: rows, lines, items, sentences."""
    if block.kind == "table":
        lines = line_starts(text, block.start, block.end)
        return [line for line in lines if line >= block.header_end]
    if block.kind == "code":
        return line_starts(text, block.start, block.end)
    if block.kind == "list":
        return [match.end() for match in _ITEM_START.finditer(text, block.start, block.end)]
    return sentence_starts(text, block.start, block.end)


def sentence_starts(text: str, start: int, end: int) -> list[int]:
    """Return where sentences start after the first, in order; a space belongs to what follows it.

    A mark that ends sentences, then white space and anything but a small Latin letter; in scripts
    without spaces the mark alone. Errors cost little: a chunk may start inside a sentence.
    """
    found: list[int] = []
    for match in _SENTENCE_START.finditer(text, start, end):
        mark = match.start()
        before = text[max(start, mark - _ABBREVIATION_LENGTH) : mark]
        if text[mark] != "." or not _ABBREVIATION.search(before):
            position = match.end()
            found.append(position - (text[position - 1] == " "))
    return found


def line_starts(text: str, start: int, end: int) -> list[int]:
    """Return where lines start after the first, in order."""
    return [match.end() for match in _LINE_START.finditer(text, start, end)]


def cut_between_words(text: str, piece: Piece) -> list[Piece]:
    """Cut a piece without natural borders between words, never inside a grapheme."""
    # Without the white space at the end: the pattern would look through it from each position.
    end = trim_span(text, piece.start, piece.end)[1]
    starts = list(_group_starts(_WORD.finditer(text, piece.start, end)))
    starts = [piece.start, *starts[1:], piece.end]
    ranks = [piece.rank, *[RANK_WORD] * (len(starts) - 2)]
    return [
        make_piece(text, start, end, rank)
        for (start, end), rank in zip(pairwise(starts), ranks, strict=True)
    ]


def cut_anywhere(text: str, piece: Piece) -> list[Piece]:
    """Cut a piece in two near its middle, if possible not inside a grapheme."""
    middle = (piece.start + piece.end) // 2
    match = _REST.match(text, middle, piece.end)
    if match and match.end() < piece.end:
        middle = match.end()
    if not piece.start < middle < piece.end:
        return [piece]
    first = make_piece(text, piece.start, middle, piece.rank)
    return [first, make_piece(text, middle, piece.end, RANK_WORD)]


def _group_starts(words: Iterator[re.Match[str]]) -> Iterator[int]:
    """Yield where groups of about eight words start; groups end at words chosen by their hash."""
    group = -1
    for word in words:
        if group < 0:
            group = word.start()
            yield group
        if text_key(word[0]) % 8 == 0 or word.end() - group >= _MAX_GROUP_LENGTH:
            group = -1
