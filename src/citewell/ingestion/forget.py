"""Erase from every store what was deleted, replaced or moved to another tier.

    the catalog's log ─► index ─► vectors ─► caches ─► catalog ─► recorded as erased

Nobody can read it any more when this starts: what is erased here are the traces in files. Every
step may be repeated, so a crash at any point leaves it to the next call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta

from citewell.domain.erasure import ErasureWork, Store
from citewell.domain.errors import CitewellError
from citewell.ingestion.write_index import IndexWriter
from citewell.ports.answer_cache import AnswerCache
from citewell.ports.embedding_cache import EmbeddingCache
from citewell.ports.erasure_log import ErasureLog
from citewell.ports.index import Index
from citewell.ports.vector_store import VectorStore

HasRemains = Callable[[], bool]
"""Tells whether a store's file holds something between its live rows."""

_BUSY = "something else reads it"
_KEYS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class ErasableStore:
    """A store from which what went can be erased.

    Attributes:
        store: Its name.
        erase: Does it; False when something is in the way and it must be called again later. Raises
            `CitewellError` when the store cannot be reached or written.
    """

    store: Store
    erase: Callable[[ErasureWork], bool]


@dataclass(frozen=True, slots=True)
class ErasureOutcome:
    """What came of an erasure.

    Attributes:
        waiting: Why a store must be tried again, by store; empty when every trace is gone.
    """

    waiting: Mapping[Store, str]


@dataclass(frozen=True, slots=True)
class Erasure:
    """The parts that erase.

    Attributes:
        log: What went.
        projections: The stores besides the catalog.
        catalog: The catalog itself, whose turn is last.
        now: The clock.
        delay: How long `erase_due` lets deletions gather, so that stores are rewritten once for
            many of them.
    """

    log: ErasureLog
    projections: Sequence[ErasableStore]
    catalog: ErasableStore
    now: Callable[[], datetime]
    delay: timedelta = timedelta(minutes=3)

    def erase_due(self) -> ErasureOutcome | None:
        """Erase if something has waited for long enough; else return None, in no time.

        For a live process: call it every half minute while nothing else writes, and every trace is
        gone within `delay`, half a minute and what erasing takes.
        """
        oldest = self.log.oldest_pending()
        if oldest is None or self.now() - oldest < self.delay:
            return None
        return self._erase()

    def erase(self) -> ErasureOutcome | None:
        """Erase all that is to be erased now; None when there is nothing, which is found at once.

        A store that cannot be erased keeps nobody else from it, and is told in the outcome.
        """
        return None if self.log.oldest_pending() is None else self._erase()

    def settle(self) -> ErasureOutcome:
        """Erase as `erase`, and empty the logs of all stores even where nothing is to be erased.

        What a look into the files finds then is no trace that would have gone by itself.
        """
        return self._erase(always=True)

    def _erase(self, *, always: bool = False) -> ErasureOutcome:
        up_to = self.log.work(self.catalog.store).up_to
        waiting = self._erase_each(self.projections, always=always)
        if not waiting:
            self.log.drop_hashes(up_to=up_to)
            waiting = self._erase_each([self.catalog], always=always)
            self.log.wipe()  # of what recording it has written
        return ErasureOutcome(waiting)

    def _erase_each(self, stores: Sequence[ErasableStore], *, always: bool) -> dict[Store, str]:
        waiting: dict[Store, str] = {}
        for store in stores:
            work = self.log.work(store.store)
            if not work.up_to and not always:
                continue
            try:
                if not store.erase(work):
                    waiting[store.store] = _BUSY
                elif work.up_to:
                    self.log.note_erased(store.store, up_to=work.up_to)
            except CitewellError as error:
                waiting[store.store] = str(error)
        return waiting


def erase_from_index(
    open_writer: Callable[[], IndexWriter], open_index: Callable[[], Index]
) -> ErasableStore:
    """Rewrite the indexes of the tiers from which points were removed."""

    def erase(work: ErasureWork) -> bool:
        open_writer().settle()
        for tier in work.tiers:
            open_index().vacuum(tier)
        return True

    return ErasableStore("index", erase)


def erase_from_vectors(
    open_vectors: Callable[[], VectorStore | None], *, has_remains: HasRemains
) -> ErasableStore:
    """Remove the vectors of chunks that went, and what they left behind in the file.

    Args:
        open_vectors: Opens the store, of whatever model; None when there is none.
        has_remains: Tells whether the file holds something between its rows.
    """

    def erase(work: ErasureWork) -> bool:
        vectors = open_vectors()
        if vectors is None:
            return True
        with closing(vectors):
            for start in range(0, len(work.chunk_keys), _KEYS_AT_ONCE):
                vectors.delete(work.chunk_keys[start : start + _KEYS_AT_ONCE])
            is_empty = vectors.erase_deleted()
            return vectors.compact() if has_remains() else is_empty

    return ErasableStore("vectors", erase)


def erase_from_cache(
    open_cache: Callable[[], EmbeddingCache | None], *, has_remains: HasRemains
) -> ErasableStore:
    """Remove the cache's entries of texts that went, and what they left behind in the file.

    Args:
        open_cache: Opens the cache; None when there is none.
        has_remains: Tells whether the file holds something between its rows.
    """

    def erase(work: ErasureWork) -> bool:
        cache = open_cache()
        if cache is None:
            return True
        with closing(cache):
            is_empty = cache.forget(work.text_shas)
            return cache.compact() if has_remains() else is_empty

    return ErasableStore("embedding cache", erase)


def erase_from_answers(
    open_answers: Callable[[], AnswerCache | None],
    log: ErasureLog,
    *,
    has_remains: HasRemains,
) -> ErasableStore:
    """Remove the answers that used documents of which something went, and what they left behind.

    Answers that use a chunk which is not live go too, whatever the log says: an answer may have
    been written while its document was deleted, by a process that ended before it looked.

    Args:
        open_answers: Opens the answer cache; None when there is none.
        log: Knows which chunks are live.
        has_remains: Tells whether the file holds something between its rows.
    """

    def erase(work: ErasureWork) -> bool:
        answers = open_answers()
        if answers is None:
            return True
        with closing(answers):
            used = answers.used_chunks()
            live = log.live_tiers([chunk.chunk_key for chunk in used])
            stale = {chunk.document_id for chunk in used if live.get(chunk.chunk_key) != chunk.tier}
            is_empty = answers.forget(sorted(stale.union(work.document_ids)))
            return answers.compact() if has_remains() else is_empty

    return ErasableStore("answer cache", erase)


def erase_from_catalog(log: ErasureLog, *, has_remains: HasRemains) -> ErasableStore:
    """Remove what lies in the catalog's files beside its rows."""

    def erase(_work: ErasureWork) -> bool:
        is_empty = log.wipe()
        return log.compact() if has_remains() else is_empty

    return ErasableStore("catalog", erase)
