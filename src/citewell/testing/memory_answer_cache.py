"""An answer cache in memory, for tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Lock

from typing_extensions import override

from citewell.ports.answer_cache import AnswerCache, AnswerName, RememberedAnswer, UsedChunk

_Entry = tuple[AnswerName, float, RememberedAnswer]


class MemoryAnswerCache(AnswerCache):
    """Keeps answers until it is closed."""

    def __init__(
        self,
        *,
        max_entries: int = 1_000,
        max_age_s: float = 3_600,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Take the bounds: entries of a reader, seconds, and a clock in seconds."""
        self._max_entries = max_entries
        self._max_age_s = max_age_s
        self._clock = clock
        self._entries: list[_Entry] = []
        self._lock = Lock()

    @override
    def get(self, exact: bytes) -> RememberedAnswer | None:
        found = (entry[2] for entry in self._fresh() if entry[0].exact == exact)
        return next(found, None)

    @override
    def get_alike(self, alike: bytes) -> Sequence[RememberedAnswer]:
        fresh = self._fresh()
        return [r for name, _, r in fresh if name.alike == alike and r.vector is not None]

    @override
    def put(self, name: AnswerName, remembered: RememberedAnswer) -> None:
        if not remembered.used:
            return
        self.remove(name.exact)
        with self._lock:
            self._entries.insert(0, (name, self._clock(), remembered))
            own = [entry for entry in self._entries if entry[0].reader == name.reader]
            for entry in own[self._max_entries :]:
                self._entries.remove(entry)

    @override
    def remove(self, exact: bytes) -> None:
        with self._lock:
            self._entries = [entry for entry in self._entries if entry[0].exact != exact]

    @override
    def forget(self, document_ids: Sequence[str]) -> bool:
        gone = set(document_ids)
        with self._lock:
            self._entries = [
                entry
                for entry in self._entries
                if gone.isdisjoint(chunk.document_id for chunk in entry[2].used)
            ]
        return True

    @override
    def compact(self) -> bool:
        return True

    @override
    def used_chunks(self) -> Sequence[UsedChunk]:
        with self._lock:
            return list({chunk: None for entry in self._entries for chunk in entry[2].used})

    @override
    def close(self) -> None:
        self._entries = []

    def _fresh(self) -> list[_Entry]:
        now = self._clock()
        with self._lock:
            return [e for e in self._entries if now - self._max_age_s <= e[1] <= now]
