"""Which points a shard of Qdrant Edge holds in its files, deleted ones included.

A deleted point is only marked: its vector, terms and payload stay in their slots until the segment
is rewritten. The form of the files was read off version 0.9 of the engine; what does not have it is
reported, never taken for empty.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path

from citewell.adapters.inspectors.lz4_block import NotLz4Error, decode_block
from citewell.adapters.inspectors.sqlite_pages import NotDecodedError

_INSERTED, _DELETED = 1, 3
_BLOCK_BYTES = 128
PAYLOAD_FIELDS = frozenset({"document_key"})
"""What a point may say besides its terms or vector."""


def slots(segment: Path) -> list[int]:
    """Return the chunk key of every slot of a segment, used or not; some may stand there twice.

    Raises:
        NotDecodedError: The files do not have the form that is known.
    """
    log, fixed = segment / "mutable_id_tracker.mappings", segment / "id_tracker.mappings"
    if fixed.exists():
        return _fixed_slots(fixed.read_bytes())
    return _logged_slots(log.read_bytes() if log.exists() else b"")


def payloads(segment: Path) -> Iterator[bytes]:
    """Yield every payload in a segment's files as JSON text, that of freed places included.

    Raises:
        NotDecodedError: The files do not have the form that is known.
    """
    for page in sorted((segment / "payload_storage").glob("page_*.dat")):
        yield from _payloads(page.read_bytes())


def fields(payload: bytes) -> frozenset[str]:
    """Return the names in a payload.

    Raises:
        NotDecodedError: It is not a JSON object.
    """
    try:
        return frozenset(json.loads(payload).keys())
    except (ValueError, AttributeError) as error:
        raise NotDecodedError("a payload is not a JSON object") from error


def _fixed_slots(data: bytes) -> list[int]:
    (n_slots,) = struct.unpack_from("<Q", data)
    if len(data) != 8 + 13 * n_slots:
        raise NotDecodedError("id_tracker.mappings has another form than is known")
    entries = struct.iter_unpack("<BQI", data[8:])
    found = [key for kind, key, _ in entries if kind == 0]
    if len(found) != n_slots:
        raise NotDecodedError("id_tracker.mappings holds keys that are no numbers")
    return found


def _logged_slots(data: bytes) -> list[int]:
    found: list[int] = []
    position = 0
    while position < len(data):
        kind = data[position]
        size = {_INSERTED: 13, _DELETED: 9}.get(kind)
        if size is None or position + size > len(data):
            raise NotDecodedError("mutable_id_tracker.mappings has another form than is known")
        if kind == _INSERTED:
            found.append(struct.unpack_from("<Q", data, position + 1)[0])
        position += size
    return found


def _payloads(page: bytes) -> Iterator[bytes]:
    position = 0
    end = len(page.rstrip(b"\0"))
    while position + 4 < end:
        (n_bytes,) = struct.unpack_from("<I", page, position)
        if n_bytes == 0:
            position += _BLOCK_BYTES
            continue
        largest = n_bytes + n_bytes // 255 + 16  # that a block of so much text can take
        block = page[position + 4 : position + 4 + largest]
        try:
            payload, taken = decode_block(block, n_bytes=n_bytes)
        except NotLz4Error as error:
            raise NotDecodedError("a payload is not compressed as is known") from error
        yield payload
        position += -(-(4 + taken) // _BLOCK_BYTES) * _BLOCK_BYTES
