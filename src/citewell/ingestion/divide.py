"""Divide the text of one section into parts, each the draft of a chunk."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citewell.domain.chunk import Block
from citewell.domain.document import Span
from citewell.ingestion.borders import Piece, best_halving, choose_borders
from citewell.ingestion.limits import Size, SizeLimit
from citewell.ingestion.overlap import Overlap, find_overlaps, find_unfinished
from citewell.ingestion.pieces import (
    RANK_AFTER_HEADING,
    RANK_BLOCK,
    RANK_PAGE,
    RANK_PART,
    cut_anywhere,
    cut_at_natural_borders,
    cut_between_words,
    cut_block,
)
from citewell.ingestion.spans import trim_span
from citewell.ingestion.tokens import count_tokens

# A page longer than this per token of the target is cut into lines without counting it first.
_MAX_CHARACTERS_PER_TOKEN = 6

# A paragraph of one line below this, without a mark at its end, is taken for a title.
_LONGEST_TITLE = 100

_NOT_REPEATED = frozenset({"heading", "table", "code", "rule"})


@dataclass(frozen=True, slots=True)
class Draft:
    """Where a chunk lies.

    Attributes:
        span: Trimmed, overlap included.
        n_tokens: Of the text of both spans.
        header_span: The table header to repeat before it, or None.
    """

    span: Span
    n_tokens: int
    header_span: Span | None = None


class SectionDivider:
    """Divides one section, or a group of tiny ones."""

    def __init__(
        self,
        text: str,
        blocks: Sequence[Block],
        *,
        page_starts: Sequence[int],
        limit: SizeLimit,
        target: int,
        overlap: int,
    ) -> None:
        """Take a section and the sizes.

        Args:
            text: The document's text.
            blocks: Of the section, at least one; each ends where the next starts.
            page_starts: Of the whole document, ascending; empty where pages have no meaning.
            limit: What no chunk may exceed.
            target: Size in tokens above which text is divided.
            overlap: Most tokens to repeat from the chunk before.
        """
        self._text = text
        self._blocks = blocks
        self._block_starts = [block.start for block in blocks]
        self._short_headers: dict[int, bool] = {}
        self._floors = list(_ends_of_not_repeated(blocks))
        self._page_starts = page_starts
        self._limit = limit
        self._target = target
        self._overlap = overlap

    def pieces(self) -> list[Piece]:
        """Return the pieces of all blocks; a page border always parts two pieces."""
        pieces: list[Piece] = []
        rank = RANK_BLOCK
        for block in self._blocks:
            for part, part_rank in self._parts_by_page(block, rank):
                pieces += self._cut(part, part_rank)
            rank = self._rank_after(block)
        return pieces

    def divide(self, pieces: Sequence[Piece]) -> list[Draft]:
        """Return the drafts of pieces that follow each other, in order."""
        drafts: list[Draft] = []
        previous: Sequence[Piece] = ()
        for run, size in self._runs(pieces):
            span = trim_span(self._text, run[0].start, run[-1].end)
            if span[0] < span[1]:
                drafts.append(self._draft(run, size, span, previous))
                previous = run
        return drafts

    def _rank_after(self, block: Block) -> int:
        """Return the rank of the border behind a block; what introduces the next stays with it."""
        if block.kind == "heading":
            return RANK_AFTER_HEADING
        text = self._text[max(block.start, block.end - _LONGEST_TITLE) : block.end].strip()
        is_title = block.end - block.start < _LONGEST_TITLE and "\n" not in text
        if text.endswith((":", "：")) or (is_title and text[-1:].isalnum()):
            return RANK_PART
        return RANK_BLOCK

    def _parts_by_page(self, block: Block, rank: int) -> Iterator[tuple[Block, int]]:
        first = bisect.bisect_left(self._page_starts, block.start)
        last = bisect.bisect_left(self._page_starts, block.end)
        inside = self._page_starts[first:last]
        if not inside:
            yield block, RANK_PAGE if self._is_blank_before(block.start) else rank
            return
        starts = sorted({block.start, *inside})
        for start, end in zip(starts, [*starts[1:], block.end], strict=True):
            header_end = min(max(block.header_end, start), end)
            on_border = start in inside or self._is_blank_before(start)
            part_rank = RANK_PAGE if on_border else rank
            yield replace(block, start=start, end=end, header_end=header_end), part_rank

    def _is_blank_before(self, position: int) -> bool:
        """Return whether only white space lies between the start of the page and `position`."""
        page = bisect.bisect_right(self._page_starts, position) - 1
        if page < 0:
            return False
        start = self._page_starts[page]
        if not self._text[position - 1 : position].isspace():
            return start == position
        before = self._text[start:position]
        return not before or before.isspace()

    def _cut(self, block: Block, rank: int) -> list[Piece]:
        length = block.end - block.start
        if self._page_starts and length > self._target * _MAX_CHARACTERS_PER_TOKEN:
            whole = self._stays_whole
            return cut_at_natural_borders(self._text, block, stays_whole=whole, rank=rank)
        return cut_block(self._text, block, stays_whole=self._stays_whole, rank=rank)

    def _stays_whole(self, text: str, n_tokens: int) -> bool:
        # What is within the target is measured for the embedder later, as part of its run.
        if n_tokens <= self._target:
            return True
        return not self._page_starts and self._limit.fits(text, n_tokens)

    def _runs(self, pieces: Sequence[Piece]) -> Iterator[tuple[Sequence[Piece], Size]]:
        """Yield runs of pieces that fit, cutting further where the borders chosen do not do."""
        runs = choose_borders(pieces, target=self._target, margin=self._target // 4)
        waiting = [pieces[start:end] for start, end in reversed(runs)]
        while waiting:
            run = waiting.pop()
            size = self._measure(run)
            if self._limit.allows(size):
                yield run, size
            elif len(run) > 1:
                half = best_halving(run)
                waiting += [run[half:], run[:half]]
            elif len(finer := self._cut_finer(run[0])) > 1:
                waiting.append(finer)
            else:
                yield run, size

    def _measure(self, run: Sequence[Piece]) -> Size:
        """Return the size of a run with the header that is repeated before it."""
        header = self._header_of(run[0].start)
        text = self._text[header[0] : header[1]] if header else ""
        n_header_tokens = count_tokens(text)
        start, end = trim_span(self._text, run[0].start, run[-1].end)
        text += self._text[start:end]
        if len(run) == 1:
            return self._limit.measure(text, count_tokens(text))
        # Sizes of parts add up to the whole but for one token at each seam.
        n_tokens = sum(piece.size for piece in run) + len(run) + n_header_tokens
        return self._limit.measure(text, n_tokens)

    def _cut_finer(self, piece: Piece) -> list[Piece]:
        block = replace(self._block_at(piece.start), start=piece.start, end=piece.end)
        pieces = cut_at_natural_borders(
            self._text, block, stays_whole=self._limit.fits, rank=piece.rank
        )
        if len(pieces) == 1:
            pieces = cut_between_words(self._text, piece)
        return pieces if len(pieces) > 1 else cut_anywhere(self._text, piece)

    def _draft(
        self, run: Sequence[Piece], size: Size, span: Span, previous: Sequence[Piece]
    ) -> Draft:
        start, end = span
        header = self._header_of(run[0].start)
        if header:
            content = self._text[header[0] : header[1]] + self._text[start:end]
            return Draft(span, count_tokens(content), header)
        budget = min(self._overlap, self._limit.max_tokens - size.tokens)
        for overlap in self._overlaps(run[0].start, previous, budget):
            text = self._text[overlap.start : run[0].start]
            if self._limit.allows(size.plus(self._limit.measure(text, overlap.n_tokens))):
                run = [*previous[len(previous) - overlap.n_pieces :], *run]
                start = trim_span(self._text, overlap.start, end)[0]
                break
        return Draft((start, end), self._count(run, start, end))

    def _count(self, run: Sequence[Piece], start: int, end: int) -> int:
        """Return the tokens between two positions, using the sizes of pieces where they add up."""
        last = run[-1]
        if last.start < end and all(piece.is_seam for piece in run[1:]) and len(run) > 1:
            inner = sum(piece.size for piece in run[1:-1])
            starts_whole = start == run[0].start
            first = run[0].size if starts_whole else count_tokens(self._text[start : run[0].end])
            return first + inner + count_tokens(self._text[last.start : end])
        return count_tokens(self._text[start:end])

    def _header_of(self, start: int) -> Span | None:
        """Return the header rows that belong before a part of a table, if they are not too long."""
        block = self._block_at(start)
        if block.kind != "table" or not block.start < block.header_end <= start:
            return None
        if block.start not in self._short_headers:
            header = self._text[block.start : block.header_end]
            n_tokens = count_tokens(header)
            # Twice, so that at least half of a chunk is left for rows.
            is_short = n_tokens <= self._target // 2 and self._limit.fits(header * 2, 2 * n_tokens)
            self._short_headers[block.start] = is_short
        return (block.start, block.header_end) if self._short_headers[block.start] else None

    def _overlaps(self, start: int, previous: Sequence[Piece], budget: int) -> list[Overlap]:
        """Return what of the run before may be repeated before `start`, best first."""
        index = self._block_index(start)
        block = self._blocks[index]
        if not previous or (block.kind in _NOT_REPEATED and start > block.start):
            return []
        floor = self._floors[index]
        page = bisect.bisect_right(self._page_starts, start) - 1
        find = find_overlaps
        if page >= 0 and self._is_blank_before(start):
            find = find_unfinished
        elif page >= 0:
            floor = max(floor, self._page_starts[page])
        repeatable = [piece for piece in previous if piece.start >= floor]
        # One less, for the space that is trimmed from the start can be part of a token.
        found = find(self._text, repeatable, max_tokens=budget - 1)
        # A chunk that is repeated as a whole would be superfluous.
        whole = trim_span(self._text, previous[0].start, start)[0]
        return [overlap for overlap in found if overlap.start > whole]

    def _block_index(self, position: int) -> int:
        return max(0, bisect.bisect_right(self._block_starts, position) - 1)

    def _block_at(self, position: int) -> Block:
        return self._blocks[self._block_index(position)]


def _ends_of_not_repeated(blocks: Sequence[Block]) -> Iterator[int]:
    """Yield for each block where the last block before it ends that is never repeated."""
    end = blocks[0].start
    for block in blocks:
        yield end
        if block.kind in _NOT_REPEATED:
            end = block.end
