"""Writing and deleting chunks, with their statistics and what the index must follow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, insert, select

from citewell.adapters.catalogs.sqlite import statistics
from citewell.adapters.catalogs.sqlite.batches import batched
from citewell.adapters.catalogs.sqlite.document_values import placement
from citewell.adapters.catalogs.sqlite.outbox import enqueue
from citewell.adapters.catalogs.sqlite.record_erasure import ErasureRecorder
from citewell.adapters.catalogs.sqlite.schema import (
    chunk_terms,
    chunks,
    documents,
    pending_vectors,
)
from citewell.domain.record import NewChunk, NewVersion, StagedVersion

if TYPE_CHECKING:
    from sqlalchemy import Connection


_OF_DOCUMENT = chunks.c.document_key == bindparam("document")
_KEYS_BY_ID = select(chunks.c.id, chunks.c.key).where(_OF_DOCUMENT)
_NEW_KEYS_BY_ID = _KEYS_BY_ID.where(chunks.c.generation == bindparam("generation"))
_KEYS = select(chunks.c.key).where(_OF_DOCUMENT).order_by(chunks.c.key)
_KEYS_OF_GENERATION = _KEYS.where(chunks.c.generation == bindparam("generation"))
_INSERT_CHUNKS = insert(chunks)
_INSERT_TERMS = insert(chunk_terms)


def chunk_keys_by_id(connection: Connection, document_key: int) -> dict[str, int]:
    """Return the keys of all chunks of a document, by id."""
    return {row[0]: row[1] for row in connection.execute(_KEYS_BY_ID, {"document": document_key})}


def keys_of_generation(
    connection: Connection, document_key: int, generation: int | None
) -> list[int]:
    """Return the keys of the chunks of a generation, of all when it is None; ascending."""
    which: dict[str, int] = {"document": document_key}
    if generation is None:
        return list(connection.execute(_KEYS, which).scalars())
    which["generation"] = generation
    return list(connection.execute(_KEYS_OF_GENERATION, which).scalars())


def insert_chunks(
    connection: Connection,
    document_key: int,
    generation: int,
    fresh: Sequence[tuple[str, NewChunk]],
) -> dict[str, int]:
    """Insert chunks and their terms, and return their keys by id."""
    if not fresh:
        return {}
    rows = [
        {
            "id": chunk_id,
            "document_key": document_key,
            "generation": generation,
            "n_tokens": new.chunk.n_tokens,
            "heading_path": list(new.chunk.heading_path),
            "content": new.chunk.content,
            **placement(new),
        }
        for chunk_id, new in fresh
    ]
    connection.execute(_INSERT_CHUNKS, rows)
    made = {"document": document_key, "generation": generation}
    keys = {row[0]: row[1] for row in connection.execute(_NEW_KEYS_BY_ID, made)}
    connection.execute(
        _INSERT_TERMS,
        [
            {"chunk_key": keys[chunk_id], "terms": statistics.pack_terms(new.terms)}
            for chunk_id, new in fresh
        ],
    )
    return keys


_PLACE = """
    UPDATE chunks SET generation = :generation, ordinal = :ordinal,
        span_start = :span_start, span_end = :span_end,
        header_start = :header_start, header_end = :header_end,
        page_start = :page_start, page_end = :page_end,
        paragraph_start = :paragraph_start, paragraph_end = :paragraph_end,
        page_breaks = :page_breaks
    WHERE key = :key
"""


def place_chunks(connection: Connection, staged: StagedVersion, version: NewVersion) -> None:
    """Move kept chunks to their new places and into the new generation."""
    new = set(staged.new_keys)
    rows = [
        {
            "key": key,
            "generation": staged.generation,
            **placement(chunk),
            "page_breaks": json.dumps(chunk.chunk.page_breaks),
        }
        for key, chunk in zip(staged.chunk_keys, version.chunks, strict=True)
        if key not in new
    ]
    if rows:
        connection.exec_driver_sql(_PLACE, rows)


def retier_chunks(
    connection: Connection, document_key: int, chunk_keys: Sequence[int], *, old: str, new: str
) -> None:
    """Move statistics and index points of current chunks from one tier to another."""
    statistics.drop_chunks(connection, old, chunk_keys)
    statistics.add_chunks(connection, new, chunk_keys)
    enqueue(connection, "delete", tier=old, document_key=document_key, chunk_keys=chunk_keys)
    enqueue(
        connection, "upsert_lexical", tier=new, document_key=document_key, chunk_keys=chunk_keys
    )
    waiting = select(pending_vectors.c.chunk_key)
    with_vectors = [
        key
        for keys in batched(chunk_keys)
        for key in connection.execute(
            select(chunks.c.key).where(chunks.c.key.in_(keys), chunks.c.key.not_in(waiting))
        ).scalars()
    ]
    enqueue(
        connection, "upsert_dense", tier=new, document_key=document_key, chunk_keys=with_vectors
    )


def delete_chunks(
    connection: Connection, document_key: int, tier: str, chunk_keys: Sequence[int]
) -> None:
    """Delete chunks of a document, and their points from the index of its tier."""
    enqueue(connection, "delete", tier=tier, document_key=document_key, chunk_keys=chunk_keys)
    for keys in batched(chunk_keys):
        connection.execute(delete(chunks).where(chunks.c.key.in_(keys)))


def delete_other_generations(
    connection: Connection, document_key: int, *, keep: int, recorder: ErasureRecorder
) -> int:
    """Delete staged chunks of a document that never became current, and return how many."""
    tier = connection.execute(
        select(documents.c.tier).where(documents.c.key == document_key)
    ).scalar_one()
    query = select(chunks.c.key).where(
        chunks.c.document_key == document_key, chunks.c.generation != keep
    )
    stale = list(connection.execute(query).scalars())
    if stale:
        recorder.record(connection, "replaced", [document_key], chunk_keys=stale)
        delete_chunks(connection, document_key, tier, stale)
    return len(stale)
