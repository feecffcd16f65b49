"""Show that the stores hold nothing but what belongs to a document of the catalog.

rows, keys and names of every store ─┐
├─► what belongs to no document
what lies in the files besides ──────┘
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from citewell.domain.erasure import Finding
from citewell.ports.answer_cache import AnswerCache
from citewell.ports.conversation_store import ConversationStore
from citewell.ports.embedding_cache import EmbeddingCache
from citewell.ports.erasure_log import ErasureLog
from citewell.ports.store_inspector import Inspection, StoreInspector
from citewell.ports.vector_store import VectorStore

STORES = (
    "catalog",
    "index",
    "vectors",
    "embedding cache",
    "answer cache",
    "conversations",
    "data folder",
)
"""What is looked into; the last are files that belong to no store."""


@dataclass(frozen=True, slots=True)
class _Live:
    keys_of_tier: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    text_shas: set[bytes] = field(default_factory=set[bytes])


@dataclass(frozen=True, slots=True)
class StoreVerification:
    """The parts that a look into all stores needs.

    Attributes:
        log: Knows what belongs to a document.
        open_vectors: Opens the store of vectors; None when there is none.
        open_cache: Opens the embedding cache; None when there is none.
        open_answers: Opens the answer cache; None when there is none.
        open_conversations: Opens the conversations; None when there are none.
        inspector: Decodes the files.
    """

    log: ErasureLog
    open_vectors: Callable[[], VectorStore | None]
    open_cache: Callable[[], EmbeddingCache | None]
    open_answers: Callable[[], AnswerCache | None]
    open_conversations: Callable[[], ConversationStore | None]
    inspector: StoreInspector

    def verify(self, texts: Sequence[str] = ()) -> tuple[Finding, ...]:
        """Return what does not belong to any document; empty when all is clean.

        Nothing may write meanwhile, and the index must be up to date and flushed.

        Args:
            texts: Of a document that went; they must not be found anywhere.

        Raises:
            UnavailableError: A store cannot be read.
        """
        live = _Live()
        for chunk in self.log.live_chunks():
            live.keys_of_tier[chunk.tier].add(chunk.chunk_key)
            live.text_shas.add(chunk.text_sha)
        inspection = self.inspector.inspect(texts)
        return (
            *self._in_catalog(),
            *self._in_vectors(live),
            *self._in_cache(live),
            *self._in_answers(live),
            *self._in_conversations(),
            *_in_index(live, inspection),
            *inspection.findings,
        )

    def _in_catalog(self) -> Iterator[Finding]:
        if self.log.oldest_pending() is not None:
            yield Finding("catalog", "erasures", "something is still to be erased: run `rag sync`")
        n_leftovers = self.log.n_leftovers()
        if n_leftovers:
            reason = f"an interrupted sync left {n_leftovers} rows behind: run `rag sync`"
            yield Finding("catalog", "chunks", reason)

    def _in_vectors(self, live: _Live) -> Iterator[Finding]:
        vectors = self.open_vectors()
        if vectors is not None:
            with closing(vectors):
                foreign = set(vectors.keys()).difference(*live.keys_of_tier.values())
            if foreign:
                yield Finding("vectors", "vectors", f"{len(foreign)} belong to no document")

    def _in_cache(self, live: _Live) -> Iterator[Finding]:
        cache = self.open_cache()
        if cache is not None:
            with closing(cache):
                foreign = set(cache.passage_shas()) - live.text_shas
            if foreign:
                reason = (
                    f"{len(foreign)} are of texts that no document has: delete the cache's folder"
                    " if it keeps them, it is filled anew"
                )
                yield Finding("embedding cache", "entries", reason)

    def _in_answers(self, live: _Live) -> Iterator[Finding]:
        answers = self.open_answers()
        if answers is not None:
            with closing(answers):
                foreign = [
                    chunk
                    for chunk in answers.used_chunks()
                    if chunk.chunk_key not in live.keys_of_tier.get(chunk.tier, ())
                ]
            if foreign:
                reason = (
                    f"answers use {len(foreign)} passages that no document of their tier has:"
                    " run `rag sync`"
                )
                yield Finding("answer cache", "entries", reason)

    def _in_conversations(self) -> Iterator[Finding]:
        conversations = self.open_conversations()
        if conversations is not None:
            with closing(conversations):
                cited = conversations.cited()
            live = self.log.live_tiers_of(sorted({chunk.chunk_id for chunk in cited}))
            foreign = [chunk for chunk in cited if live.get(chunk.chunk_id) not in chunk.tiers]
            if foreign:
                reason = (
                    f"answers cite {len(foreign)} passages that no document has, or none that"
                    " their reader could read: run `rag sync`"
                )
                yield Finding("conversations", "answers", reason)


def _in_index(live: _Live, inspection: Inspection) -> Iterator[Finding]:
    for (tier, leg), slots in inspection.slots.items():
        foreign = set(slots) - live.keys_of_tier.get(tier, set())
        if foreign:
            reason = f"{len(foreign)} points belong to no document of this tier"
            yield Finding("index", f"{tier}/{leg}", reason)
