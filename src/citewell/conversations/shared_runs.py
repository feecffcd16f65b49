"""Finding in a reader's words what was taken from texts that must be forgotten."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

WITHHELD = "[no longer available]"
"""What stands in the place of a text that went."""

PIECE_BYTES = 24
STEP_BYTES = 12
"""Whatever 35 bytes of UTF-8 two texts share is found: some six words, or twelve ideographs."""
SHORTEST_BYTES = 12
"""A shorter text, such as a title of one word, says nothing where it is found."""


class SharedRuns:
    """Texts that must be forgotten, ready to be found in others, whatever their case."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Take the texts."""
        folded = {_folded(text.strip()).encode() for text in texts}
        self._texts = sorted(text for text in folded if len(text) >= SHORTEST_BYTES)

    def __bool__(self) -> bool:
        """Return whether there is anything to find."""
        return bool(self._texts)

    def without(self, words: str) -> str:
        """Return the words with `WITHHELD` in the place of every run that a text shares."""
        folded = _folded(words).encode()
        taken = bytearray(len(folded))
        for start, end in self._runs(folded):
            taken[start:end] = b"\1" * (end - start)
        return _replaced(words, taken) if any(taken) else words

    @cached_property
    def _pieces(self) -> dict[bytes, list[tuple[int, int]]]:
        """Where each piece stands: number of the text, and first byte."""
        places: dict[bytes, list[tuple[int, int]]] = defaultdict(list)
        for number, text in enumerate(self._texts):
            for start in range(0, len(text) - PIECE_BYTES + 1, STEP_BYTES):
                places[text[start : start + PIECE_BYTES]].append((number, start))
        return places

    def _runs(self, words: bytes) -> Iterator[tuple[int, int]]:
        for start in range(len(words) - PIECE_BYTES + 1):
            for number, place in self._pieces.get(words[start : start + PIECE_BYTES], ())[:8]:
                yield _widened(words, start, self._texts[number], place)
        for text in self._texts:
            if len(text) < PIECE_BYTES:
                found = words.find(text)
                while found >= 0:
                    yield found, found + len(text)
                    found = words.find(text, found + len(text))


def _folded(text: str) -> str:
    """Return text in lower case and with one kind of space, each character in its place."""
    lowered = (low if len(low := c.lower()) == 1 else c for c in text)
    return "".join(" " if c.isspace() else c for c in lowered)


def _widened(words: bytes, start: int, text: bytes, place: int) -> tuple[int, int]:
    """Return the longest run around a piece that both share."""
    before = 0
    while before < min(start, place) and words[start - before - 1] == text[place - before - 1]:
        before += 1
    end, n_text = start + PIECE_BYTES, place + PIECE_BYTES
    while end < len(words) and n_text < len(text) and words[end] == text[n_text]:
        end, n_text = end + 1, n_text + 1
    return start - before, end


def _replaced(words: str, taken: bytearray) -> str:
    """Put one `WITHHELD` for each run of characters of which a byte is taken."""
    parts: list[str] = []
    offset = 0
    for character in words:
        size = len(_folded(character).encode())
        if not any(taken[offset : offset + size]):
            parts.append(character)
        elif not parts or parts[-1] != WITHHELD:
            parts.append(WITHHELD)
        offset += size
    return "".join(parts)
