"""What searches and answers for a server, made once and again when it must be."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from citewell.wire_answers import make_answering

if TYPE_CHECKING:
    from citewell.answering.answer_question import Answering
    from citewell.bootstrap import Citewell
    from citewell.retrieval.search_passages import PassageSearch


class Searches:
    """Gives the parts that answer questions; safe to use from several threads.

    A catalog that came from a backup answers nothing before its sources were looked at, and says
    what it lacks until all of them were: so what it says is asked again as long as it says so.
    """

    def __init__(self, parts: Citewell) -> None:
        """Take the parts of the data folder, which this process holds."""
        self._parts = parts
        self._lock = threading.Lock()
        self._search: PassageSearch | None = None
        self._answering: Answering | None = None

    def search(self) -> PassageSearch:
        """Return what searches.

        Raises:
            SyncRequiredError: The catalog came from a backup, and was not synced since.
            CitewellError: Something that is needed cannot be opened.
        """
        with self._lock:
            return self._current_search()

    def answering(self) -> Answering:
        """Return what answers questions; raises as `search`.

        Raises:
            LanguageModelMissingError: The settings name one without all that it needs.
        """
        with self._lock:
            search, made = self._current_search(), self._answering
            if made is None or made.search is not search:
                made = self._answering = self._make_answering(search)
            return made

    def _current_search(self) -> PassageSearch:
        made = self._search
        if made is None or made.notice is not None:
            embedder = self._parts.embedder.embedder
            made = self._search = self._parts.search_with(embedder, settle=False)
        return made

    def _make_answering(self, search: PassageSearch) -> Answering:
        parts = self._parts
        return make_answering(
            parts.settings,
            search=search,
            reader=parts.catalog.passages,
            embedder=parts.embedder.uncached,
            model=parts.language_model,
            memory=parts.answer_memory,
            tracer=parts.tracer,
        )
