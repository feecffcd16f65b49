"""Reading and converting a few items ahead, and ingesting each as it is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace

from citewell.domain.document import FailedMember
from citewell.domain.errors import (
    CitewellError,
    ConversionError,
    DocumentError,
    InvalidDocumentError,
    NotFoundError,
    UnavailableError,
    UnsupportedDocumentError,
)
from citewell.domain.failpoints import reach
from citewell.domain.record import Stage
from citewell.domain.source import SourceItem
from citewell.ingestion.backlog import Backlog, WaitingItem
from citewell.ingestion.ingest_document import Outcome, attempts_so_far, count_chunks
from citewell.ingestion.prepare import Origin
from citewell.ingestion.read_item import ReadItem, read_item
from citewell.ingestion.sync_parts import Run
from citewell.ports.converter import ConversionResult


@dataclass(frozen=True, slots=True)
class _Conversion:
    """An item that is being converted."""

    waited: WaitingItem
    read: ReadItem
    origin: Origin
    began_s: float


class ConversionWindow:
    """The items of one run that are being converted."""

    def __init__(self, run: Run, backlog: Backlog) -> None:
        """Take the run, and the backlog that is told what failed."""
        self._run = run
        self._backlog = backlog
        self._running: dict[Future[ConversionResult], _Conversion] = {}
        self._gone: set[str] = set()

    def __len__(self) -> int:
        """Return how many items are being converted."""
        return len(self._running)

    @property
    def items(self) -> dict[str, SourceItem]:
        """The items that are being converted, by path."""
        return {c.read.item.relative_path: c.read.item for c in self._running.values()}

    @property
    def has_room(self) -> bool:
        """Whether another item may be read."""
        options = self._run.parts.options
        size = sum(len(conversion.read.data) for conversion in self._running.values())
        return not self._running or (
            len(self._running) < options.max_in_flight and size < options.max_bytes_in_flight
        )

    def drop(self, paths: Iterable[str]) -> None:
        """Forget items that are gone: what is made of their former content must not be shown."""
        self._gone |= self.items.keys() & set(paths)

    def start(self, waited: WaitingItem) -> Iterator[Outcome]:
        """Read an item and begin to convert it; yield its outcome if it cannot be read."""
        item, known, parts = waited.item, waited.known, self._run.parts
        origin = Origin(self._run.source.id, item, self._run.tier(item), "", parts.recipe)
        max_bytes = parts.options.max_file_bytes
        try:
            read = read_item(item, known, self._run.connector, max_bytes=max_bytes)
        except NotFoundError:
            return  # it went since it was looked at; the next look hides it
        except DocumentError as error:
            yield self._fail(waited, origin, error, stage="read")
            return
        except CitewellError:
            raise
        except Exception as error:  # noqa: BLE001 - the border of a document: no other must suffer
            yield self._fail(waited, origin, _unexpected(error, DocumentError), stage="read")
            return
        origin = replace(origin, content_sha256=read.content_sha256)
        if read.is_unchanged(parts.recipe) and known is not None:
            parts.ingestion.documents.touch(known.document_key, item)
            self._run.tally.add(skipped=1)
            return
        future = parts.converter.submit(read.data, relative_path=item.relative_path)
        self._running[future] = _Conversion(waited, read, origin, self._run.steps.now_s())

    def finish_some(self, *, wait_s: float) -> Iterator[Outcome]:
        """Ingest what is converted and yield the outcomes, waiting for one at most `wait_s`.

        Raises:
            IndexUnavailableError: The index cannot be reached.
        """
        done, _ = wait(self._running, timeout=wait_s, return_when=FIRST_COMPLETED)
        for future in done:
            yield from self._finish(future, self._running.pop(future))

    def cancel(self) -> None:
        """Give up what is being converted."""
        for future in self._running:
            future.cancel()
        self._running.clear()

    def _finish(
        self, future: Future[ConversionResult], conversion: _Conversion
    ) -> Sequence[Outcome]:
        waited, origin = conversion.waited, conversion.origin
        if origin.item.relative_path in self._gone:
            self._gone.discard(origin.item.relative_path)
            return []
        stage: Stage = "convert"
        steps = self._run.steps
        steps.add("convert", conversion.began_s)
        try:
            result = future.result()
            reach("converted")
            stage = "chunk"
            with steps.timed("ingest"):
                outcomes = self._ingest(result, origin)
        except DocumentError as error:
            return [self._fail(waited, origin, error, stage=stage)]
        except CitewellError:
            raise
        except Exception as error:  # noqa: BLE001 - the border of a document: no other must suffer
            kind = ConversionError if stage == "convert" else InvalidDocumentError
            return [self._fail(waited, origin, _unexpected(error, kind), stage=stage)]
        self._count(conversion.read, outcomes)
        return outcomes

    def _ingest(self, result: ConversionResult, origin: Origin) -> list[Outcome]:
        first = result[0] if result else None
        ingestion = self._run.parts.ingestion
        if len(result) == 1 and first is not None and not first.member_path:
            if isinstance(first, FailedMember):
                raise UnsupportedDocumentError(first.reason)
            return [ingestion.ingest_document(first, origin)]
        return ingestion.ingest_archive(result, origin, now=self._run.parts.now())

    def _count(self, read: ReadItem, outcomes: Sequence[Outcome]) -> None:
        written, kept = count_chunks(outcomes)
        self._run.tally.add(
            added=read.known is None,
            updated=read.known is not None,
            chunks_written=written,
            embeddings_reused=kept,
        )

    def _fail(
        self, waited: WaitingItem, origin: Origin, error: DocumentError, *, stage: Stage
    ) -> Outcome:
        self._run.tally.add(failed=1)
        self._backlog.failed(waited)
        with suppress(UnavailableError):
            self._run.parts.ingestion.writer.catch_up()
        return self._run.parts.ingestion.record_failure(
            origin,
            error,
            stage=stage,
            attempts=attempts_so_far(waited.known, waited.item) + 1,
            now=self._run.parts.now(),
        )


def _unexpected(error: Exception, kind: type[DocumentError]) -> DocumentError:
    """Return a failure without the text of the error: it could be a document's."""
    return kind(f"an unexpected error: {type(error).__name__}")
