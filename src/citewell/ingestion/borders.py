"""Choose where a run of pieces is cut, so that an edit moves no border but those beside it."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple
from zlib import crc32


class Piece(NamedTuple):
    """Text that stays together.

    Attributes:
        start: First character.
        end: One past its last character; the next piece starts there.
        rank: How good a border its start is; higher is better.
        size: In tokens, at least 0.
        key: Hash of its first characters, in [0, 2**32).
        is_seam: Whether no token crosses its start, so that sizes add up exactly.
    """

    start: int
    end: int
    rank: int
    size: int
    key: int
    is_seam: bool


def text_key(text: str) -> int:
    """Return the hash that orders borders of one rank; the same in every process."""
    return crc32(text.encode("utf-8", "surrogatepass"))


def choose_borders(pieces: Sequence[Piece], *, target: int, margin: int) -> list[tuple[int, int]]:
    """Divide pieces into runs of at most `target` tokens where the margins allow it.

    The best border of the whole run is cut first (highest rank, then smallest hash), then the best
    of each part that is above the target, and so on: the borders are the top of a treap. Whether a
    border is cut depends on the text beside it and on better borders near it, not on its distance
    from the start, so an edit changes the runs beside it only.

    Args:
        pieces: In order of the text.
        target: Parts above this are cut.
        margin: No cut closer than this to either end of a part.

    Returns:
        Half-open ranges of indices into `pieces`, in order, that cover all of them. A run is above
        `target` if no border lies inside its margins.
    """
    if not pieces:
        return []
    positions = [0, *accumulate(piece.size for piece in pieces)]
    cuts = [0, len(pieces)]
    if positions[-1] <= target:
        return [(0, len(pieces))]
    # Going through all borders from best to worst gives the same cuts as recursion from the top:
    # a border that is refused for its part is refused for every smaller part too.
    borders = _distinct_borders(pieces, positions, distance=target * 3 // 4)
    for index in sorted(borders, key=lambda i: (-pieces[i].rank, pieces[i].key, i)):
        place = bisect.bisect_right(cuts, index)
        before, here, after = positions[cuts[place - 1]], positions[index], positions[cuts[place]]
        if after - before > target and here - before >= margin and after - here >= margin:
            cuts.insert(place, index)
    return list(pairwise(cuts))


def _distinct_borders(
    pieces: Sequence[Piece], positions: Sequence[int], *, distance: int
) -> Iterator[int]:
    """Yield the borders that can be told apart; of a run of equal pieces, one per `distance`.

    Equal pieces have equal hashes, so the first of them would be cut as close as margins allow.
    """
    start = 0
    for index in range(1, len(pieces)):
        if pieces[index].key != pieces[index - 1].key:
            start = positions[index]
        elif positions[index] - start < distance:
            continue
        else:
            start = positions[index]
        yield index


def best_halving(pieces: Sequence[Piece]) -> int:
    """Return the index of the piece, not the first, before which a run is best cut in two.

    The best border in the middle half; without one, the border nearest to the middle.
    """
    positions = [0, *accumulate(piece.size for piece in pieces)]
    quarter, middle = positions[-1] / 4, positions[-1] / 2

    def order(index: int) -> tuple[bool, float, int]:
        distance = abs(positions[index] - middle)
        if distance <= quarter:
            return (False, -pieces[index].rank, pieces[index].key)
        return (True, distance, 0)

    return min(range(1, len(pieces)), key=order)
