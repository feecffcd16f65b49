"""Composition root of what is made from the catalog: whether it was made from this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog

VECTORS = "vectors.sqlite3"
"""The file of the vectors, in the data folder."""
ANSWERS = "answers.sqlite3"
"""The file of the answer cache, in the data folder."""
INDEX = "index"
"""The folder of the index, in the data folder."""


def discard_foreign(data_dir: Path, catalog: SqliteCatalog) -> None:
    """Delete what was made from another catalog, and ask for index and vectors anew.

    No other process may have index or vectors open.
    """
    from citewell.adapters.caches.sqlite_answer_cache import discard_foreign_answers
    from citewell.adapters.caches.sqlite_vectors import discard_foreign_vectors
    from citewell.adapters.indexes.edge.layout import discard_foreign_index

    catalog_id = catalog.facts.catalog_id()
    last_key = catalog.facts.last_chunk_key()
    if discard_foreign_index(data_dir / INDEX, catalog_id):
        catalog.pending.request_index()
    if discard_foreign_vectors(data_dir / VECTORS, catalog_id, last_chunk_key=last_key):
        catalog.pending.request_vectors()
    discard_foreign_answers(data_dir / ANSWERS, catalog_id)


def drop_vectors(data_dir: Path, catalog: SqliteCatalog) -> None:
    """Delete the vectors and the dense indexes, and ask for all vectors anew.

    Nothing may have them open.
    """
    from citewell.adapters.indexes.edge.layout import remove_dense_shards
    from citewell.sqlite_file import remove_sqlite

    remove_sqlite(data_dir / VECTORS)
    remove_dense_shards(data_dir / INDEX)
    catalog.pending.request_vectors()
