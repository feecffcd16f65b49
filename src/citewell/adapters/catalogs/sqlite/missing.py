"""Hiding documents whose items are missing, and showing them again; in the caller's transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, update

from citewell.adapters.catalogs.sqlite import statistics
from citewell.adapters.catalogs.sqlite.batches import batched
from citewell.adapters.catalogs.sqlite.listed import as_list, listed
from citewell.adapters.catalogs.sqlite.outbox import enqueue
from citewell.adapters.catalogs.sqlite.schema import chunks, documents, pending_vectors

if TYPE_CHECKING:
    from sqlalchemy import Connection


_ANY_HIDDEN = (
    select(documents.c.key)
    .where(documents.c.key.in_(listed("keys")) | documents.c.parent_key.in_(listed("keys")))
    .where(documents.c.missing_since.is_not(None))
    .limit(1)
)


def hide(
    connection: Connection, document_keys: Sequence[int], *, since: str, held_until: str | None
) -> int:
    """Hide live documents with their members, hold hidden ones, and return how many were hidden.

    Their chunks leave the statistics; index and vectors keep them, as nothing reads them there.
    """
    n_hidden = 0
    for keys in batched(document_keys):
        live = (documents.c.key.in_(keys) | documents.c.parent_key.in_(keys)) & documents.c.is_live
        for tier, chunk_keys in _current_chunks(connection, live).items():
            statistics.drop_chunks(connection, tier, [key for key, _ in chunk_keys])
        n_hidden += connection.execute(
            update(documents)
            .where(live)
            .values(is_live=False, missing_since=since, held_until=held_until)
        ).rowcount
        if held_until is not None:
            connection.execute(
                update(documents)
                .where(_is_hidden(keys), documents.c.held_until.is_(None))
                .values(held_until=held_until)
            )
    return n_hidden


def show(connection: Connection, document_keys: Sequence[int], *, with_members: bool = True) -> int:
    """Show hidden documents as they were, and return how many there were.

    Their index points are asked for again: a repair may have taken them for leftovers.
    """
    n_shown = 0
    for keys in batched(document_keys):
        if not _any_is_hidden(connection, keys):
            continue
        hidden = _is_hidden(keys, with_members=with_members)
        for tier, chunk_keys in _current_chunks(connection, hidden).items():
            statistics.add_chunks(connection, tier, [key for key, _ in chunk_keys])
            request_points(connection, tier, chunk_keys)
        n_shown += connection.execute(
            update(documents)
            .where(hidden)
            .values(is_live=True, missing_since=None, held_until=None)
        ).rowcount
    return n_shown


def request_points(
    connection: Connection, tier: str, chunk_keys: Sequence[tuple[int, int]]
) -> None:
    """Enter chunks, as pairs of their key and their document's, into the outbox of a tier."""
    by_document: dict[int, list[int]] = defaultdict(list)
    for chunk_key, document_key in chunk_keys:
        by_document[document_key].append(chunk_key)
    for document_key, keys in by_document.items():
        request = partial(enqueue, connection, tier=tier, document_key=document_key)
        request("upsert_lexical", chunk_keys=keys)
        request("upsert_dense", chunk_keys=_with_vectors(connection, keys))


def count_items(connection: Connection, source_id: str) -> tuple[int, int]:
    """Return how many items of a source are known, and how many of those are missing."""
    counts = connection.execute(
        select(func.count(), func.count(documents.c.missing_since)).where(
            documents.c.source_id == source_id,
            documents.c.parent_key.is_(None),
            documents.c.is_live | documents.c.missing_since.is_not(None),
        )
    ).one()
    return counts[0], counts[1]


def _is_hidden(keys: Sequence[int], *, with_members: bool = True) -> Any:
    which = documents.c.key.in_(keys)
    if with_members:
        which |= documents.c.parent_key.in_(keys)
    return which & documents.c.missing_since.is_not(None)


def _any_is_hidden(connection: Connection, keys: Sequence[int]) -> bool:
    """Tell it soon: most are not, and each document asks when it gets a version."""
    return connection.execute(_ANY_HIDDEN, {"keys": as_list(keys)}).first() is not None


def _current_chunks(connection: Connection, which: Any) -> dict[str, list[tuple[int, int]]]:
    """Return the current chunks of documents by tier, with the keys of their documents."""
    query = (
        select(documents.c.tier, chunks.c.key, documents.c.key)
        .join(chunks, chunks.c.document_key == documents.c.key)
        .where(which, chunks.c.generation == documents.c.generation)
        .order_by(chunks.c.key)
    )
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for tier, chunk_key, document_key in connection.execute(query):
        found[tier].append((chunk_key, document_key))
    return found


def _with_vectors(connection: Connection, chunk_keys: Sequence[int]) -> list[int]:
    waiting = {
        key
        for keys in batched(chunk_keys)
        for key in connection.execute(
            select(pending_vectors.c.chunk_key).where(pending_vectors.c.chunk_key.in_(keys))
        ).scalars()
    }
    return [key for key in chunk_keys if key not in waiting]
