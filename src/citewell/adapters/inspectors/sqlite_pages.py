"""What lies in an SQLite file outside of its rows (https://sqlite.org/fileformat2.html).

Deleted rows are overwritten by zeros, yet bytes stay behind: in the unused middle of a page whose
rows were moved to balance a tree, in pages that no tree uses any more, behind the end of a long
value. Nothing but such places is looked at here.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Bytes = bytes | mmap.mmap

_FILE_HEADER = 100
_TABLE_INNER, _TABLE_LEAF = 5, 13
_INDEX_INNER, _INDEX_LEAF = 2, 10
_INNER = frozenset({_TABLE_INNER, _INDEX_INNER})
_LEAF = frozenset({_TABLE_LEAF, _INDEX_LEAF})
_LOWEST_LETTER = 0x20
_LOCK_BYTE = 1 << 30  # the page that holds this byte is never used


class NotDecodedError(Exception):
    """A file does not have the form that is known."""


@dataclass(frozen=True, slots=True)
class DeadSpace:
    """Bytes that belong to no row.

    Attributes:
        page: From 1.
        tree: Table or index to which the page belongs; "" when it belongs to none.
        content: The bytes, without what a page keeps there for itself.
    """

    page: int
    tree: str
    content: bytes


@dataclass(frozen=True, slots=True)
class _Overflow:
    """A value that goes on in pages of its own: the first of them, and the bytes in all."""

    first: int
    n_bytes: int


class SqlitePages:
    """The pages of a database file that nobody writes to."""

    def __init__(self, data: Bytes) -> None:
        """Take the whole file.

        Raises:
            NotDecodedError: It is no database, or has pages that are not known here.
        """
        if data[:16] != b"SQLite format 3\0":
            raise NotDecodedError("it is not an SQLite file")
        (size,) = struct.unpack_from(">H", data, 16)
        self._data = data
        self._page_bytes = 65_536 if size == 1 else size
        self._usable = self._page_bytes - data[20]
        self.n_pages = len(data) // self._page_bytes
        (largest_root,) = struct.unpack_from(">I", data, 52)
        if largest_root:
            raise NotDecodedError("its pages move by themselves (auto_vacuum)")

    def dead_space(self, trees: Mapping[int, str]) -> Iterator[DeadSpace]:
        """Yield what is not empty of all that belongs to no row.

        Args:
            trees: Name of the table or index by the number of its root page, page 1 included.

        Raises:
            NotDecodedError: A page is not as it should be.
        """
        seen = {_LOCK_BYTE // self._page_bytes + 1}
        for root, name in trees.items():
            for page, content in self._tree(root, seen):
                if any(content):
                    yield DeadSpace(page, name, content)
        yield from self._free_pages(seen)
        for page in range(1, self.n_pages + 1):
            if page not in seen and any(content := self._page(page)):
                yield DeadSpace(page, "", content)

    def _tree(self, root: int, seen: set[int]) -> Iterator[tuple[int, bytes]]:
        waiting = [root]
        while waiting:
            number = waiting.pop()
            page = self._take(number, seen)
            head = _FILE_HEADER if number == 1 else 0
            kind = page[head]
            if kind not in _INNER | _LEAF:
                raise NotDecodedError(f"page {number} is of kind {kind}")
            (n_cells,) = struct.unpack_from(">H", page, head + 3)
            array = head + (12 if kind in _INNER else 8)
            cells = struct.unpack_from(f">{n_cells}H", page, array)
            yield number, self._unused(page, head, array + 2 * n_cells)
            if kind in _INNER:
                waiting += (struct.unpack_from(">I", page, cell)[0] for cell in cells)
                waiting.append(struct.unpack_from(">I", page, head + 8)[0])
            if kind != _TABLE_INNER:
                for cell in cells:
                    overflow = self._overflow(page, cell, kind)
                    if overflow is not None:
                        yield from self._chain(overflow, seen)

    def _unused(self, page: bytes, head: int, array_end: int) -> bytes:
        """Return the middle of a page and the gaps between its cells, joined."""
        first_gap, _, first_cell = struct.unpack_from(">HHH", page, head + 1)
        parts = [_without_old_pointers(page[array_end : first_cell or 65_536])]
        while first_gap:
            following, size = struct.unpack_from(">HH", page, first_gap)
            parts.append(page[first_gap + 4 : first_gap + size])
            if 0 < following <= first_gap:
                raise NotDecodedError("the gaps of a page are not in order")
            first_gap = following
        return b"".join(part for part in parts if any(part))

    def _overflow(self, page: bytes, cell: int, kind: int) -> _Overflow | None:
        position = cell + 4 if kind == _INDEX_INNER else cell
        n_bytes, position = _varint(page, position)
        usable = self._usable
        most = usable - 35 if kind == _TABLE_LEAF else (usable - 12) * 64 // 255 - 23
        if n_bytes <= most:
            return None
        if kind == _TABLE_LEAF:
            _, position = _varint(page, position)
        least = (usable - 12) * 32 // 255 - 23
        local = least + (n_bytes - least) % (usable - 4)
        local = local if local <= most else least
        (first,) = struct.unpack_from(">I", page, position + local)
        return _Overflow(first, n_bytes - local)

    def _chain(self, overflow: _Overflow, seen: set[int]) -> Iterator[tuple[int, bytes]]:
        number, left = overflow.first, overflow.n_bytes
        while number:
            page = self._take(number, seen)
            used = min(left, self._usable - 4)
            left -= used
            yield number, page[4 + used :]
            (number,) = struct.unpack_from(">I", page, 0)

    def _free_pages(self, seen: set[int]) -> Iterator[DeadSpace]:
        (trunk,) = struct.unpack_from(">I", self._data, 32)
        while trunk:
            page = self._take(trunk, seen)
            following, n_leaves = struct.unpack_from(">II", page, 0)
            leaves = struct.unpack_from(f">{n_leaves}I", page, 8)
            contents = [(trunk, page[8 + 4 * n_leaves :])]
            contents += ((leaf, self._take(leaf, seen)) for leaf in leaves)
            for number, content in contents:
                if any(content):
                    yield DeadSpace(number, "", content)
            trunk = following

    def _take(self, number: int, seen: set[int]) -> bytes:
        """Return a page that must not have been met before: a circle would never end."""
        if not 1 <= number <= self.n_pages or number in seen:
            raise NotDecodedError(f"page {number} is missing or used twice")
        seen.add(number)
        return self._page(number)

    def _page(self, number: int) -> bytes:
        start = (number - 1) * self._page_bytes
        return bytes(self._data[start : start + self._page_bytes])


def _without_old_pointers(gap: bytes) -> bytes:
    """Leave out pointers to cells that went: they stand where the array of pointers ended before.

    They are below the size of a page. Text does not start like that: a space alone is 0x20.
    """
    position = 0
    while position + 2 <= len(gap) and gap[position] < _LOWEST_LETTER:
        position += 2
    is_inside = position > 0 and min(gap[position - 1 : position + 1]) >= _LOWEST_LETTER
    return gap[position - 1 :] if is_inside else gap[position:]  # text may begin at either byte


def _varint(page: bytes, position: int) -> tuple[int, int]:
    """Return a number of one to nine bytes, and where it ends."""
    value = 0
    for offset in range(8):
        byte = page[position + offset]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, position + offset + 1
    return value << 8 | page[position + 8], position + 9
