"""Find how much of the text before a chunk is repeated at its start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from citewell.ingestion.borders import Piece
from citewell.ingestion.pieces import RANK_LINE, RANK_WORD, line_starts, sentence_starts
from citewell.ingestion.tokens import count_tokens

# More characters than a token of prose has; bounds how far back sentences are looked for.
_CHARACTERS_PER_TOKEN = 8


class Overlap(NamedTuple):
    """Text that may be repeated: from `start` to the end of the pieces.

    Attributes:
        start: First character.
        n_tokens: Its size.
        n_pieces: How many pieces it touches; of the first it may take a part only.
    """

    start: int
    n_tokens: int
    n_pieces: int


def find_overlaps(text: str, pieces: Sequence[Piece], *, max_tokens: int) -> list[Overlap]:
    """Return what may be repeated: whole sentences or blocks, the longest first.

    Lines take the place of sentences in text that has none, such as tables in a PDF.

    Args:
        text: The document's text.
        pieces: What may be repeated, in order; the chunk starts where they end.
        max_tokens: Of the repeated text.
    """
    whole: list[Overlap] = []
    lines: list[Overlap] = []
    size = 0
    for index, piece in enumerate(reversed(pieces), start=1):
        if size + piece.size > max_tokens:
            left = max_tokens - size
            whole += [
                Overlap(start, size + n_tokens, index)
                for start, n_tokens in _sentences_at_end(text, piece, left)
            ]
            break
        size += piece.size
        kind = lines if piece.rank in {RANK_LINE, RANK_WORD} else whole
        kind.append(Overlap(piece.start, size, index))
    return (whole or lines)[::-1]


def find_unfinished(text: str, pieces: Sequence[Piece], *, max_tokens: int) -> list[Overlap]:
    """Return the sentence that the end of `pieces` leaves unfinished, if there is one."""
    if not pieces:
        return []
    end = pieces[-1].end
    last = text[pieces[-1].start : end].rstrip()[-1:]
    next_character = text[end : end + 100].lstrip()[:1]
    if not next_character.islower() or not (last.isalnum() or last in ",;-–—"):
        return []
    return find_overlaps(text, pieces, max_tokens=max_tokens)[-1:]


def _sentences_at_end(text: str, piece: Piece, max_tokens: int) -> list[tuple[int, int]]:
    """Return starts of the last sentences (or lines) of a piece with their sizes, last first."""
    first = max(piece.start, piece.end - max_tokens * _CHARACTERS_PER_TOKEN)
    starts = sentence_starts(text, first, piece.end) or line_starts(text, first, piece.end)
    found: list[tuple[int, int]] = []
    size, stop = 0, piece.end
    for start in reversed(starts):
        size += count_tokens(text[start:stop])
        if size > max_tokens:
            break
        found.append((start, size))
        stop = start
    return found
