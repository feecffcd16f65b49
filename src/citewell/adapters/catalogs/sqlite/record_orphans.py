"""Recording what a projection held of nothing that the catalog knows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import insert

from citewell.adapters.catalogs.sqlite.rows import iso_utc
from citewell.adapters.catalogs.sqlite.schema import erasure_texts, erasures

if TYPE_CHECKING:
    from sqlalchemy import Connection


def record_orphans(
    connection: Connection, tier: str, chunk_keys: Sequence[int], *, now: datetime
) -> None:
    """Record that points or vectors of unknown chunks are removed, so that their traces go too.

    Args:
        connection: Of the transaction that asks for their removal.
        tier: Whose index held points of them; "" when only vectors were left.
        chunk_keys: Of the chunks.
        now: The present moment.
    """
    made = connection.execute(
        insert(erasures).values(
            kind="orphaned",
            source_id="",
            document_id="",
            path_hash="",
            generation=0,
            tier=tier,
            at=iso_utc(now),
        )
    )
    (key,) = made.inserted_primary_key or (0,)
    if chunk_keys:
        connection.execute(
            insert(erasure_texts),
            [{"erasure_key": key, "chunk_key": chunk_key} for chunk_key in chunk_keys],
        )
