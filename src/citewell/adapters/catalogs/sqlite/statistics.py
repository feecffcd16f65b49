"""Document frequencies per tier, changed in the transaction that changes what is current."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import select

from citewell.adapters.catalogs.sqlite.listed import as_list, listed
from citewell.adapters.catalogs.sqlite.schema import chunk_terms

if TYPE_CHECKING:
    from sqlalchemy import Connection

_TERMS = select(chunk_terms.c.terms).where(chunk_terms.c.chunk_key.in_(listed("keys")))
_ADD_TERMS = """
    INSERT INTO term_frequencies (tier, term, n_chunks) VALUES (?, ?, ?)
    ON CONFLICT (tier, term) DO UPDATE SET n_chunks = n_chunks + excluded.n_chunks
"""
_ADD_CHUNKS = """
    INSERT INTO tier_statistics (tier, n_chunks) VALUES (?, ?)
    ON CONFLICT (tier) DO UPDATE SET n_chunks = n_chunks + excluded.n_chunks
"""
_DROP_TERMS = """
    UPDATE term_frequencies SET n_chunks = n_chunks - ? WHERE tier = ? AND term = ?
"""
_DROP_EMPTY = "DELETE FROM term_frequencies WHERE tier = ? AND term = ? AND n_chunks <= 0"


def add_chunks(connection: Connection, tier: str, chunk_keys: Sequence[int]) -> None:
    """Count chunks that became current in `tier`."""
    if not chunk_keys:
        return
    rows = [(tier, term, n) for term, n in _term_frequencies(connection, chunk_keys)]
    if rows:
        connection.exec_driver_sql(_ADD_TERMS, rows)
    connection.exec_driver_sql(_ADD_CHUNKS, (tier, len(chunk_keys)))


def drop_chunks(connection: Connection, tier: str, chunk_keys: Sequence[int]) -> None:
    """Take out chunks that are no longer current in `tier`; call it before they are deleted."""
    if not chunk_keys:
        return
    frequencies = _term_frequencies(connection, chunk_keys)
    if frequencies:
        connection.exec_driver_sql(_DROP_TERMS, [(n, tier, term) for term, n in frequencies])
        connection.exec_driver_sql(_DROP_EMPTY, [(tier, term) for term, _ in frequencies])
    connection.exec_driver_sql(_ADD_CHUNKS, (tier, -len(chunk_keys)))


def pack_terms(terms: Iterable[int]) -> bytes:
    """Return hashed terms as little-endian uint32."""
    packed = array("I", terms)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _term_frequencies(connection: Connection, chunk_keys: Sequence[int]) -> list[tuple[int, int]]:
    """Return the terms of these chunks, ascending, each with the number of chunks that hold it."""
    import numpy as np

    blobs = connection.execute(_TERMS, {"keys": as_list(chunk_keys)}).scalars()
    packed = np.frombuffer(b"".join(blobs), dtype="<u4")
    terms, counts = np.unique(packed, return_counts=True)
    return list(zip(terms.tolist(), counts.tolist(), strict=True))
