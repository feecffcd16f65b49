"""Deleting documents with their members, chunks and statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select, update

from citewell.adapters.catalogs.sqlite import statistics
from citewell.adapters.catalogs.sqlite.batches import batched
from citewell.adapters.catalogs.sqlite.outbox import enqueue
from citewell.adapters.catalogs.sqlite.record_erasure import ErasureRecorder
from citewell.adapters.catalogs.sqlite.schema import documents
from citewell.adapters.catalogs.sqlite.write_chunks import delete_chunks, keys_of_generation

if TYPE_CHECKING:
    from sqlalchemy import Connection


def family_of(connection: Connection, document_keys: Sequence[int]) -> Sequence[Any]:
    """Return the documents and their members at every depth."""
    columns = (
        documents.c.key,
        documents.c.tier,
        documents.c.generation,
        documents.c.relative_path,
        documents.c.is_live,
    )
    found: list[Any] = []
    for keys in batched(document_keys):
        found += connection.execute(
            select(*columns).where(documents.c.key.in_(keys) | documents.c.parent_key.in_(keys))
        ).all()
    return sorted(set(found))


def delete_documents(
    connection: Connection, rows: Sequence[Any], *, recorder: ErasureRecorder
) -> int:
    """Delete documents, given as `family_of` returns them, and return how many there were."""
    recorder.record(connection, "deleted", [row.key for row in rows])
    for row in rows:
        if row.is_live:
            current = keys_of_generation(connection, row.key, row.generation)
            statistics.drop_chunks(connection, row.tier, current)
        every = keys_of_generation(connection, row.key, None)
        enqueue(connection, "delete", tier=row.tier, document_key=row.key, chunk_keys=every)
    for keys in batched([row.key for row in rows]):
        connection.execute(delete(documents).where(documents.c.key.in_(keys)))
    return len(rows)


def drop_if_hidden(connection: Connection, document_key: int, *, recorder: ErasureRecorder) -> None:
    """Delete the version and the members of a hidden document: its item is another one now."""
    family = family_of(connection, [document_key])
    query = select(documents.c.tier).where(
        documents.c.key == document_key, documents.c.missing_since.is_not(None)
    )
    tier = connection.execute(query).scalar()
    if tier is None:
        return
    members = [row for row in family if row.key != document_key]
    delete_documents(connection, members, recorder=recorder)
    recorder.record(connection, "replaced", [document_key])
    every = keys_of_generation(connection, document_key, None)
    delete_chunks(connection, document_key, tier, every)
    connection.execute(
        update(documents)
        .where(documents.c.key == document_key)
        .values(missing_since=None, held_until=None)
    )
