"""Erasing from conversations what went from the documents: the store's part of forgetting.

what all answers cite ─► no longer live, or above its reader, or changed? ─► rewrite those
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial

from citewell.conversations.recite import recite
from citewell.conversations.redact import redact_thread
from citewell.conversations.shared_runs import WITHHELD, SharedRuns
from citewell.domain.answer import Citation
from citewell.domain.clearance import Clearance
from citewell.domain.conversation import CitedChunk, KeptTurn, Thread
from citewell.domain.erasure import ErasureWork
from citewell.ingestion.forget import ErasableStore, HasRemains
from citewell.ports.conversation_store import ConversationStore
from citewell.ports.erasure_log import ErasureLog
from citewell.ports.passage_reader import PassageReader


def erase_from_conversations(
    open_store: Callable[[], ConversationStore | None],
    log: ErasureLog,
    reader: PassageReader,
    *,
    has_remains: HasRemains,
) -> ErasableStore:
    """Remove from kept conversations and feedback what rests on text that went.

    That is text which is not live, or whose document is now of a tier that the reader of the answer
    could not read then. What is only hidden for now stays in the file, unseen. Former names of
    documents give way to those of now.

    Args:
        open_store: Opens the conversations; None when there are none.
        log: Knows which chunks are live.
        reader: Reads them.
        has_remains: Tells whether the file holds something between its rows.
    """

    def erase(work: ErasureWork) -> bool:
        store = open_store()
        if store is None:
            return True
        with closing(store):
            forget_stale(store, log, reader, touched=work.document_ids)
            is_empty = store.erase_deleted()
            return store.compact() if has_remains() else is_empty

    return ErasableStore("conversations", erase)


def forget_stale(
    store: ConversationStore,
    log: ErasureLog,
    reader: PassageReader,
    *,
    touched: Sequence[str] = (),
) -> None:
    """Rewrite the conversations that rest on what went, or on documents among `touched`."""
    cited = store.cited()
    live = log.live_tiers_of(sorted({chunk.chunk_id for chunk in cited}))
    changed = frozenset(touched)
    stale = [c for c in cited if is_stale(c, live.get(c.chunk_id)) or c.document_id in changed]
    threads = dict.fromkeys(c.conversation_id for c in stale if c.conversation_id is not None)
    for conversation_id in threads:
        store.rewrite(conversation_id, partial(_rewrite, log=log, reader=reader))
    loose = [c for c in stale if c.conversation_id is None]
    gone = dict.fromkeys(c.answer_id for c in loose if is_stale(c, live.get(c.chunk_id)))
    store.blank(list(gone), comment=WITHHELD)


def forget_words(store: ConversationStore, texts: Sequence[str]) -> None:
    """Remove from all readers' own words what they share with the texts of documents that went."""
    store.rewrite_words(SharedRuns(texts).without)


def is_stale(cited: CitedChunk, tier: str | None) -> bool:
    """Return whether a chunk went, or lies above its reader; `tier` is that of now, if it lives."""
    return tier is None or tier not in cited.tiers


def _rewrite(thread: Thread, *, log: ErasureLog, reader: PassageReader) -> Thread:
    citations = [citation for turn in thread.turns for citation in turn.answer.citations]
    live = log.live_tiers_of(sorted({citation.chunk_id for citation in citations}))
    document_ids = {citation.document_id for citation in citations}
    known = log.known_documents(sorted(document_ids))

    def recheck(turn: KeptTurn, citation: Citation) -> Citation | None:
        if live.get(citation.chunk_id) not in turn.tiers:
            return None
        chunk = reader.find_chunk(Clearance(turn.tiers), citation.chunk_id)
        return citation if chunk is None else recite(citation, chunk)  # None: hidden for now

    return redact_thread(thread, recheck, gone_documents=document_ids.difference(known))
