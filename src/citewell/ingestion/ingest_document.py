"""Journey 1, one document: converted bytes become searchable.

    prepare ─► stage (unseen) ─► index ─► switch (visible at once) ─► clean the index

What shows something comes last: until `switch`, readers have the old version.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from citewell.domain.document import ConvertedDocument, DocumentState, FailedMember
from citewell.domain.errors import (
    CitewellError,
    DocumentError,
    IndexUnavailableError,
    ProtectedDocumentError,
    UnsupportedDocumentError,
)
from citewell.domain.failpoints import reach
from citewell.domain.prepared import PreparedDocument
from citewell.domain.record import Failure, KnownItem, Stage
from citewell.domain.source import SourceItem
from citewell.ingestion.prepare import ChunkDocument, Origin, prepare_version, version_of
from citewell.ingestion.sync_steps import timed_part
from citewell.ingestion.write_index import IndexWriter
from citewell.ports.converter import ConversionResult
from citewell.ports.document_catalog import DocumentCatalog

MAX_ATTEMPTS = 5
"""Tries before a failing document waits for a change or a manual retry."""
_FIRST_RETRY = timedelta(minutes=1)
_RETRY_GROWTH = 4
_SETTLED = {
    UnsupportedDocumentError: DocumentState.UNSUPPORTED,
    ProtectedDocumentError: DocumentState.PROTECTED,
}
"""Errors that trying again cannot mend."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one document.

    Attributes:
        relative_path: Of the document.
        state: Of the document now.
        chunks_written: New chunks.
        chunks_kept: Chunks that the version before had too; their vectors are reused.
        reason: Why it is not searchable, or None.
    """

    relative_path: str
    state: DocumentState
    chunks_written: int = 0
    chunks_kept: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentIngestion:
    """The parts that one document passes through.

    Attributes:
        documents: Where versions are kept.
        writer: Brings the index up to date.
        chunk_document: Cuts documents that the converter did not cut already.
    """

    documents: DocumentCatalog
    writer: IndexWriter
    chunk_document: ChunkDocument

    def ingest_document(
        self, document: ConvertedDocument | PreparedDocument, origin: Origin
    ) -> Outcome:
        """Make a converted document searchable and return what was written.

        Raises:
            InvalidDocumentError: It cannot be indexed; the version before stays.
            IndexUnavailableError: The index cannot be reached; the version before stays.
        """
        with timed_part("chunk"):
            version, vectors = prepare_version(document, origin, chunk_document=self.chunk_document)
        reach("chunked")
        staged = self.documents.stage(version)
        reach("staged")
        with timed_part("index"):
            self.writer.catch_up(dict(zip(staged.chunk_keys, vectors, strict=True)))
        reach("lexical-written")
        self.documents.switch(staged, version)
        reach("committed")
        self.writer.catch_up()
        reach("old-deleted")
        return Outcome(
            version.relative_path,
            version.state,
            chunks_written=len(staged.new_keys),
            chunks_kept=len(staged.chunk_keys) - len(staged.new_keys),
            reason="; ".join(version.notes) or None if not version.chunks else None,
        )

    def ingest_archive(
        self, members: ConversionResult, origin: Origin, *, now: datetime
    ) -> list[Outcome]:
        """Make every member of an archive a document of its own.

        The archive is recorded as unread until all its members are done, so that an interruption
        makes the next sync read it again.
        """
        unread = replace(origin, item=replace(origin.item, fingerprint=""))
        archive = version_of(
            unread,
            state=DocumentState.EMPTY,
            notes=(f"an archive: its {len(members)} members are documents of their own",),
        )
        staged = self.documents.stage(archive)
        self.documents.switch(staged, archive)
        before = self.documents.member_keys(staged.document_key)
        outcomes = [
            self._ingest_member(
                member,
                replace(origin, parent_key=staged.document_key, member_path=member.member_path),
                now=now,
            )
            for member in members
        ]
        present = {outcome.relative_path for outcome in outcomes}
        self.documents.delete([key for path, key in before.items() if path not in present])
        self.documents.touch(staged.document_key, origin.item)
        self.writer.catch_up()
        return outcomes

    def record_failure(
        self, origin: Origin, error: DocumentError, *, stage: Stage, attempts: int, now: datetime
    ) -> Outcome:
        """Record why a document could not be ingested; an older version stays readable."""
        state = next((s for kind, s in _SETTLED.items() if isinstance(error, kind)), None)
        failure = Failure(
            stage=stage,
            type=type(error).__name__,
            reason=str(error),
            attempts=attempts,
            next_retry_at=None if state else _next_retry(attempts, now),
        )
        if state is None:
            exhausted = attempts >= MAX_ATTEMPTS
            state = DocumentState.QUARANTINED if exhausted else DocumentState.FAILED
        self.documents.record_failure(version_of(origin, state=state), failure)
        return Outcome(origin.relative_path, state, reason=failure.reason)

    def _ingest_member(
        self,
        member: ConvertedDocument | PreparedDocument | FailedMember,
        origin: Origin,
        *,
        now: datetime,
    ) -> Outcome:
        if isinstance(member, FailedMember):
            return self._record_failed_member(member, origin)
        try:
            return self.ingest_document(member, origin)
        except IndexUnavailableError:
            raise
        except CitewellError as error:
            failed = error if isinstance(error, DocumentError) else DocumentError(str(error))
            return self.record_failure(origin, failed, stage="chunk", attempts=1, now=now)

    def _record_failed_member(self, member: FailedMember, origin: Origin) -> Outcome:
        failure = Failure(stage="convert", type=member.error_type, reason=member.reason)
        self.documents.record_failure(version_of(origin, state=member.state), failure)
        return Outcome(origin.relative_path, member.state, reason=member.reason)


def attempts_so_far(known: KnownItem | None, item: SourceItem) -> int:
    """Return how often an item has failed before this try; what changed begins anew."""
    if known is None or known.failure is None or known.fingerprint != item.fingerprint:
        return 0
    return known.failure.attempts


def count_chunks(outcomes: Iterable[Outcome]) -> tuple[int, int]:
    """Return how many chunks were written and how many kept."""
    listed = list(outcomes)
    return sum(o.chunks_written for o in listed), sum(o.chunks_kept for o in listed)


def _next_retry(attempts: int, now: datetime) -> str | None:
    if attempts >= MAX_ATTEMPTS:
        return None
    return (now + _FIRST_RETRY * _RETRY_GROWTH ** (attempts - 1)).isoformat()
