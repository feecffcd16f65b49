"""Composition root of what keeps the stores in order: their schema, erasing, verifying.

Nothing that is made here needs to be closed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from citewell.choose_embedder import cache_path
from citewell.match_projections import ANSWERS, INDEX, VECTORS
from citewell.wire_conversations import conversations_path, existing_conversations

if TYPE_CHECKING:
    from pathlib import Path

    from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
    from citewell.domain.erasure import Store
    from citewell.ingestion.forget import Erasure
    from citewell.ingestion.verify_stores import StoreVerification
    from citewell.ingestion.write_index import IndexWriter
    from citewell.ports.answer_cache import AnswerCache
    from citewell.ports.embedding_cache import EmbeddingCache
    from citewell.ports.index import Index
    from citewell.ports.store_inspector import StoreInspector
    from citewell.ports.vector_store import VectorStore
    from citewell.settings import Settings


def migrate_catalog(settings: Settings) -> str:
    """Make the catalog's schema or bring it to the newest revision, and return that.

    Raises:
        DataFolderBusyError: Another process holds the data folder.
        SchemaNotInitializedError: The catalog was written by a newer version.
        UnavailableError: The catalog cannot be opened.
    """
    from citewell.adapters.catalogs.sqlite.connect import SCHEMA_REVISION, upgrade
    from citewell.adapters.data_folders.data_folder import DataFolder

    folder = DataFolder(settings.data_dir, command="rag db init")
    try:
        upgrade(settings.catalog_path)
    finally:
        folder.release()
    return SCHEMA_REVISION


def make_erasure(
    settings: Settings,
    catalog: SqliteCatalog,
    *,
    open_writer: Callable[[], IndexWriter],
    open_index: Callable[[], Index],
) -> Erasure:
    """Return what erases from every store."""
    from citewell.adapters.catalogs.sqlite.catalog import utc_now
    from citewell.conversations.forget_quotes import erase_from_conversations
    from citewell.ingestion.forget import (
        Erasure,
        erase_from_answers,
        erase_from_cache,
        erase_from_catalog,
        erase_from_index,
        erase_from_vectors,
    )

    has_remains = inspector_of(settings).has_remains
    vectors, cache = partial(_open_vectors, settings), partial(_open_cache, settings)
    answers = partial(_open_answers, settings)
    return Erasure(
        log=catalog.erasures,
        projections=(
            erase_from_index(open_writer, open_index),
            erase_from_vectors(vectors, has_remains=partial(has_remains, "vectors")),
            erase_from_cache(cache, has_remains=partial(has_remains, "embedding cache")),
            erase_from_answers(
                answers, catalog.erasures, has_remains=partial(has_remains, "answer cache")
            ),
            erase_from_conversations(
                partial(existing_conversations, settings),
                catalog.erasures,
                catalog.passages,
                has_remains=partial(has_remains, "conversations"),
            ),
        ),
        catalog=erase_from_catalog(catalog.erasures, has_remains=partial(has_remains, "catalog")),
        now=utc_now,
        delay=timedelta(seconds=settings.erase_after_seconds),
    )


def make_verification(settings: Settings, catalog: SqliteCatalog) -> StoreVerification:
    """Return what shows that the stores hold nothing but documents."""
    from citewell.ingestion.verify_stores import StoreVerification

    return StoreVerification(
        log=catalog.erasures,
        open_vectors=partial(_open_vectors, settings),
        open_cache=partial(_open_cache, settings),
        open_answers=partial(_open_answers, settings),
        open_conversations=partial(existing_conversations, settings),
        inspector=inspector_of(settings),
    )


def forget_words_of(settings: Settings, texts: Sequence[str]) -> None:
    """Remove from readers' own words in conversations what they share with texts that went."""
    from contextlib import closing

    from citewell.conversations.forget_quotes import forget_words

    conversations = existing_conversations(settings) if texts else None
    if conversations is not None:
        with closing(conversations):
            forget_words(conversations, texts)


def inspector_of(settings: Settings) -> StoreInspector:
    """Return what looks into the files of a data folder."""
    from citewell.adapters.inspectors.store_files import StoreFiles

    sqlite: dict[Store, Path] = {
        "catalog": settings.catalog_path,
        "vectors": settings.data_dir / VECTORS,
        "embedding cache": cache_path(settings),
        "answer cache": settings.data_dir / ANSWERS,
        "conversations": conversations_path(settings),
    }
    return StoreFiles(
        settings.data_dir, settings.data_dir / INDEX, sqlite, ignored=(settings.backup_dir,)
    )


def _open_vectors(settings: Settings) -> VectorStore | None:
    """Open the vectors of whatever model, also where there is no embedder now."""
    from citewell.adapters.caches.sqlite_vectors import SqliteVectors

    path = settings.data_dir / VECTORS
    return SqliteVectors.as_they_are(path) if path.exists() else None


def _open_cache(settings: Settings) -> EmbeddingCache | None:
    """Open the cache, also where the embedder of now uses none."""
    from citewell.adapters.caches.sqlite_embedding_cache import SqliteEmbeddingCache

    path = cache_path(settings)
    return SqliteEmbeddingCache(path) if path.exists() else None


def _open_answers(settings: Settings) -> AnswerCache | None:
    """Open the answers of whatever catalog, also where they are not used now."""
    from citewell.adapters.caches.sqlite_answer_cache import SqliteAnswerCache

    path = settings.data_dir / ANSWERS
    return SqliteAnswerCache(path, catalog_id=None) if path.exists() else None
