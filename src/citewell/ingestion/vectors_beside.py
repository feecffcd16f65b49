"""Vectors beside other work: embedded in a thread of their own, kept in the caller's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from citewell.domain.record import PendingVector
from citewell.ingestion.fill_vectors import MadeVectors, VectorFilling

_LAST_BATCH_S = 5.0  # that `close` waits for a batch; what comes later is given up


class VectorsBeside:
    """Makes missing vectors a batch at a time, without ever keeping its caller waiting.

    Embedding yields to everything else on the machine, so a batch may take a minute on a busy one.
    Only the thread that calls it touches catalog, vectors and index.
    """

    def __init__(self, filling: VectorFilling, wake: Callable[[], None]) -> None:
        """Take what makes and keeps vectors, and what is called when a batch is made."""
        self._filling = filling
        self._wake = wake
        self._thread: threading.Thread | None = None
        self._is_made = threading.Event()
        self._outcome: MadeVectors | Exception | None = None
        self._is_unsettled = False

    @property
    def is_running(self) -> bool:
        """Whether a batch is being made, or waits to be kept."""
        return self._thread is not None

    def keep_made(self) -> None:
        """Keep the batch that is made, if one is.

        Raises:
            EmbedderError: The embedder cannot be reached.
        """
        if self._thread is None or not self._is_made.is_set():
            return
        self._thread = None
        outcome, self._outcome = self._outcome, None
        if isinstance(outcome, Exception):
            raise outcome
        if outcome is not None:
            self._filling.keep(outcome)
            self._is_unsettled = True

    def begin(self) -> None:
        """Begin the next batch, unless one is being made or nothing is missing."""
        if self._thread is not None:
            return
        batch = self._filling.next_batch()
        if batch:
            self._is_made.clear()
            self._thread = threading.Thread(
                target=self._embed, args=(batch,), name="vectors", daemon=True
            )
            self._thread.start()
        elif self._is_unsettled:
            self._filling.writer.settle()
            self._is_unsettled = False

    def close(self) -> None:
        """Give up the batch that is being made: it is made again another time."""
        if self._thread is not None:
            self._thread.join(_LAST_BATCH_S)

    def _embed(self, batch: Sequence[PendingVector]) -> None:
        try:
            self._outcome = self._filling.embed(batch)
        except Exception as error:  # noqa: BLE001 - told to the thread that waits for it
            self._outcome = error
        finally:
            self._is_made.set()
            self._wake()
