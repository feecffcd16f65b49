"""Decoding of LZ4 blocks, in which the index engine keeps its payloads.

The format: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
"""

from __future__ import annotations

_SHORTEST_MATCH = 4


class NotLz4Error(Exception):
    """The bytes are not an LZ4 block."""


def decode_block(data: bytes, *, n_bytes: int) -> tuple[bytes, int]:
    """Return the text of a block and the bytes that the block takes.

    Args:
        data: Starts with the block; what follows it is not read.
        n_bytes: Length of the text.

    Raises:
        NotLz4Error: They are not a block of such a text.
    """
    text = bytearray()
    position = 0
    try:
        while True:
            token = data[position]
            n_literals, position = _length(data, position + 1, token >> 4)
            text += data[position : position + n_literals]
            position += n_literals
            if len(text) >= n_bytes:
                break
            distance = data[position] | data[position + 1] << 8
            n_matched, position = _length(data, position + 2, token & 15)
            _repeat(text, distance, n_matched + _SHORTEST_MATCH)
    except IndexError as error:
        raise NotLz4Error from error
    if len(text) != n_bytes:
        raise NotLz4Error
    return bytes(text), position


def _length(data: bytes, position: int, length: int) -> tuple[int, int]:
    if length == 15:
        while True:
            byte = data[position]
            position += 1
            length += byte
            if byte != 255:
                break
    return length, position


def _repeat(text: bytearray, distance: int, n_bytes: int) -> None:
    if not 0 < distance <= len(text):
        raise NotLz4Error
    for _ in range(n_bytes):
        text.append(text[-distance])
