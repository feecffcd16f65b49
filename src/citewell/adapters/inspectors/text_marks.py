"""Finding pieces of given texts among any bytes."""

from __future__ import annotations

import bz2
import json
import lzma
import mmap
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Bytes = bytes | mmap.mmap

_PIECE_BYTES = 24
_STEP_BYTES = 12
"""With pieces of 24 bytes at every twelfth, whatever is left of a text in 35 bytes is found."""
_SHORTEST_BYTES = 12
"""A shorter text, such as a title of one word, says nothing where it is found."""
_PREFIX_BYTES = 8
_WINDOW_BYTES = 1 << 22
_TABLE_BITS = 22
_FACTOR = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio spreads prefixes over the table
_MOST_PACKED = 1 << 22
_MOST_UNPACKED = 1 << 26


class _Unpacker(Protocol):
    def decompress(self, data: bytes, /, max_length: int = ...) -> bytes: ...


_PACKED = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]|BZh[1-9]|\xfd7zXZ\x00")
_UNPACKERS: dict[bytes, Callable[[], _Unpacker]] = {
    b"\x1f": lambda: zlib.decompressobj(wbits=31),
    b"\x78": lambda: zlib.decompressobj(wbits=15),
    b"B": bz2.BZ2Decompressor,
    b"\xfd": lzma.LZMADecompressor,
}


class TextMarks:
    """Pieces of texts by which they are known again."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Take the texts; as they are, and as JSON writes them."""
        self._by_prefix: dict[bytes, set[bytes]] = defaultdict(set)
        for text in texts:
            for form in {text, json.dumps(text)[1:-1]}:
                for piece in _pieces(form.encode("utf-8", "surrogatepass")):
                    self._by_prefix[piece[:_PREFIX_BYTES]].add(piece)

    def __bool__(self) -> bool:
        """Return whether there is anything to find."""
        return bool(self._by_prefix)

    def find(self, data: Bytes) -> int | None:
        """Return where the first piece starts that is among the bytes, or None."""
        if not self._by_prefix:
            return None
        overlap = _PIECE_BYTES - 1
        for start in range(0, len(data), _WINDOW_BYTES):
            window = data[start : start + _WINDOW_BYTES + overlap]
            if not window.strip(b"\0"):  # most of an index file is room for more
                continue
            found = self._find_in(window)
            if found is not None:
                return start + found
        return None

    @cached_property
    def _prefixes(self) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """The first bytes of all pieces in order, and a table that tells what cannot be one."""
        import numpy as np

        known = np.sort(np.frombuffer(b"".join(self._by_prefix), dtype="<u8"))
        table = np.zeros(1 << _TABLE_BITS, dtype=bool)
        table[_slots(known)] = True
        return known, table

    def _find_in(self, window: bytes) -> int | None:
        import numpy as np

        known, table = self._prefixes
        places: list[int] = []
        for alignment in range(min(_PREFIX_BYTES, len(window))):
            count = (len(window) - alignment) // _PREFIX_BYTES
            words = np.frombuffer(window, dtype="<u8", count=count, offset=alignment)
            likely = np.flatnonzero(table[_slots(words)])
            sure = likely[np.isin(words[likely], known)]
            places += (sure * _PREFIX_BYTES + alignment).tolist()
        for place in sorted(places):
            pieces = self._by_prefix[window[place : place + _PREFIX_BYTES]]
            if any(window.startswith(piece, place) for piece in pieces):
                return place
        return None


def _slots(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    import numpy as np

    return (words * np.uint64(_FACTOR)) >> np.uint64(64 - _TABLE_BITS)


def unpacked(data: Bytes) -> Iterator[bytes]:
    """Yield what the compressed streams among the bytes hold: gzip, zlib, bzip2 and xz."""
    for found in _PACKED.finditer(data):
        start = found.start()
        unpacker = _UNPACKERS[data[start : start + 1]]()
        try:
            yield unpacker.decompress(data[start : start + _MOST_PACKED], _MOST_UNPACKED)
        except (zlib.error, OSError, EOFError, lzma.LZMAError):
            continue  # other bytes that look like the start of a stream


def _pieces(text: bytes) -> Iterator[bytes]:
    if _SHORTEST_BYTES <= len(text) < _PIECE_BYTES:
        yield text
    for start in range(0, len(text) - _PIECE_BYTES + 1, _STEP_BYTES):
        yield text[start : start + _PIECE_BYTES]
