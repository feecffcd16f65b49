"""MessagePack without a type left open; nothing in it can be executed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_msgpack: Any = import_module("msgpack")


def pack(value: object) -> bytes:
    """Return plain data (dicts, lists, strings, bytes, numbers) as MessagePack."""
    return _msgpack.packb(value)


def unpack(packed: bytes | bytearray) -> object:
    """Return what `pack` was given; tuples come back as lists.

    Raises:
        ValueError: It is not MessagePack, or nested too deeply.
    """
    try:
        return _msgpack.unpackb(packed, strict_map_key=True)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError("not MessagePack") from error
