"""Composition root of the answer cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.match_projections import ANSWERS

if TYPE_CHECKING:
    from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
    from citewell.answering.remembering.answer_cache import AnswerMemory
    from citewell.ports.embedder import Embedder
    from citewell.settings import Settings


def open_answer_memory(
    settings: Settings, catalog: SqliteCatalog, *, embedder: Embedder | None, may_write: bool
) -> AnswerMemory | None:
    """Open what remembers answers, or return None where the settings want none.

    Who answers beside a process that writes remembers too: the file may be shared. What was
    remembered before it was switched off is deleted by the next process that writes.

    Args:
        settings: Resolved.
        catalog: From which answers are made.
        embedder: Of the questions, for similar ones; None: equal ones only.
        may_write: Whether this process holds the data folder.

    Raises:
        ConfigurationError: The file is a database of something else.
    """
    from citewell.adapters.caches.sqlite_answer_cache import (
        SqliteAnswerCache,
        discard_foreign_answers,
    )
    from citewell.answering.remembering.answer_cache import AnswerMemory

    path = settings.data_dir / ANSWERS
    if settings.answer_cache_max_entries == 0:
        if may_write:
            discard_foreign_answers(path, None)
        return None
    cache = SqliteAnswerCache(
        path,
        catalog_id=catalog.facts.catalog_id(),
        max_entries=settings.answer_cache_max_entries,
        max_age_s=settings.answer_cache_max_age_hours * 3600,
    )
    return AnswerMemory(
        cache,
        catalog.passages,
        embedder=embedder,
        min_similarity=settings.answer_cache_min_similarity,
        made_with=_made_with(settings),
    )


def _made_with(settings: Settings) -> str:
    """Return the release, and where the models are: behind one name there may be another one."""
    from importlib.metadata import version

    places = (
        (settings.llm_provider, settings.llm_base_url),
        (settings.llm_fallback_provider, settings.llm_fallback_base_url),
    )
    return f"{version('citewell')} {places}"
