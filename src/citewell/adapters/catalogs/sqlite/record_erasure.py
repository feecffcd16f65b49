"""Recording what goes, in the transaction in which it goes: keys and hashes, never text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, insert, select, update

from citewell.adapters.catalogs.sqlite.batches import batched
from citewell.adapters.catalogs.sqlite.document_values import document_values
from citewell.adapters.catalogs.sqlite.outbox import PENDING_COLUMNS, pending_chunk
from citewell.adapters.catalogs.sqlite.rows import iso_utc
from citewell.adapters.catalogs.sqlite.schema import chunks, documents, erasure_texts, erasures
from citewell.domain.erasure import ErasureKind
from citewell.domain.record import NewVersion
from citewell.ports.embedder import passage_text
from citewell.ports.embedding_cache import text_sha

if TYPE_CHECKING:
    from sqlalchemy import Connection

_DOCUMENTS_AT_ONCE = 50
"""Few enough that the texts of their chunks fit in memory."""
_COMPARED_DOCUMENTS = 100
"""Documents of one title in which equal passages are looked for. Where more of them have the same
title, the cache may forget a text that one of them still has: it is then made again if it comes
back."""

_REPLACED = ("tier", "title", "frontmatter", "tags", "links", "notes")
"""What of a document's row is its text, or says in which index its points are."""

_GONE_COLUMNS = (
    documents.c.key,
    documents.c.id,
    documents.c.source_id,
    documents.c.relative_path,
    documents.c.generation,
    documents.c.tier,
)
_ANY_TEXT = select(erasure_texts.c.key).limit(1)


@dataclass(frozen=True, slots=True)
class _GoneChunk:
    key: int
    document_key: int
    title: str
    n_tokens: int
    text_sha: bytes


class ErasureRecorder:
    """Writes the log of erasures; every method works in its caller's transaction."""

    def __init__(self, *, secret: bytes, now: Callable[[], datetime]) -> None:
        """Take the catalog's secret for hashes of paths, and a clock."""
        self._secret = secret
        self._now = now

    def record(
        self,
        connection: Connection,
        kind: ErasureKind,
        document_keys: Sequence[int],
        *,
        chunk_keys: Sequence[int] | None = None,
        leaves_index: bool = True,
    ) -> None:
        """Record that documents or some of their chunks go; call it before they do.

        Args:
            connection: Of the transaction in which they go.
            kind: What happens to them.
            document_keys: The documents concerned.
            chunk_keys: Chunks whose text goes; None for all chunks of the documents.
            leaves_index: Points go from the index of the tier; False when only names and metadata
                change.
        """
        going = frozenset(document_keys)
        for keys in batched(document_keys, _DOCUMENTS_AT_ONCE):
            query = select(*_GONE_COLUMNS).where(documents.c.key.in_(keys))
            erasure_of = {
                row.key: self._insert(connection, kind, row, tier=row.tier if leaves_index else "")
                for row in connection.execute(query).all()
            }
            gone = list(_gone_chunks(connection, keys, chunk_keys))
            kept = _live_elsewhere(connection, gone, without=going)
            _insert_texts(connection, erasure_of, gone, kept)

    def record_replaced(
        self,
        connection: Connection,
        old: Any,
        version: NewVersion,
        *,
        gone_keys: Sequence[int],
        current_keys: Sequence[int],
    ) -> None:
        """Record what a new version leaves behind, if anything; call it before the switch.

        Args:
            connection: Of the transaction that switches.
            old: The document's row.
            version: The new one.
            gone_keys: Chunks that the new version lacks.
            current_keys: All chunks of the old version.
        """
        new = document_values(version)
        if gone_keys or any(getattr(old, name) != new[name] for name in _REPLACED):
            # The title stands in front of every passage that the embedding cache knows.
            self.record(
                connection,
                "replaced",
                [old.key],
                chunk_keys=current_keys if old.title != version.title else gone_keys,
                leaves_index=bool(gone_keys) or old.tier != version.tier,
            )

    def path_hash(self, relative_path: str) -> str:
        """Return the name of a path in the log, which nobody without the secret can make."""
        keyed = hashlib.blake2b(key=self._secret, digest_size=16, person=b"path")
        keyed.update(relative_path.encode())
        return keyed.hexdigest()

    def _insert(self, connection: Connection, kind: ErasureKind, row: Any, *, tier: str) -> int:
        made = connection.execute(
            insert(erasures).values(
                kind=kind,
                source_id=row.source_id,
                document_id=row.id,
                path_hash=self.path_hash(row.relative_path),
                generation=row.generation,
                tier=tier,
                at=iso_utc(self._now()),
            )
        )
        (key,) = made.inserted_primary_key or (0,)
        return key


def is_kept() -> ColumnElement[bool]:
    """Return the condition under which a document's text is rightly there, if out of sight."""
    return documents.c.is_live | documents.c.missing_since.is_not(None)


def keep_what_is_live(connection: Connection, chunk_keys: Sequence[int]) -> None:
    """Take the texts of live chunks out of the log: they came back, or stand there twice."""
    if connection.execute(_ANY_TEXT).first() is None:
        return
    for keys in batched(chunk_keys):
        query = _select_chunks().where(chunks.c.key.in_(keys))
        names = [_name(row) for row in connection.execute(query)]
        connection.execute(
            update(erasure_texts).where(erasure_texts.c.text_sha.in_(names)).values(text_sha=None)
        )


def _gone_chunks(
    connection: Connection, document_keys: Sequence[int], chunk_keys: Sequence[int] | None
) -> Iterator[_GoneChunk]:
    of_documents = _select_chunks().where(chunks.c.document_key.in_(document_keys))
    queries = (
        [of_documents]
        if chunk_keys is None
        else [of_documents.where(chunks.c.key.in_(keys)) for keys in batched(chunk_keys)]
    )
    for query in queries:
        for row in connection.execute(query):
            yield _GoneChunk(row.key, row.document_key, row.title, row.n_tokens, _name(row))


def _live_elsewhere(
    connection: Connection, gone: Sequence[_GoneChunk], *, without: Collection[int]
) -> set[bytes]:
    """Return the names of those texts that live documents other than `without` have too.

    The text of a passage starts with its document's title, so only those of the same title can.
    """
    sizes_of: dict[str, set[int]] = {}
    for chunk in gone:
        sizes_of.setdefault(chunk.title, set()).add(chunk.n_tokens)
    live: set[bytes] = set()
    for title, sizes in sizes_of.items():
        namesakes = (
            select(documents.c.key)
            .where(documents.c.title == title, is_kept())
            .order_by(documents.c.key)
        )
        others = (key for key in connection.execute(namesakes).scalars() if key not in without)
        candidates = [key for key, _ in zip(others, range(_COMPARED_DOCUMENTS), strict=False)]
        if candidates:
            query = _select_chunks().where(
                chunks.c.document_key.in_(candidates),
                chunks.c.n_tokens.in_(sizes),
                chunks.c.generation == documents.c.generation,
            )
            live |= {_name(row) for row in connection.execute(query)}
    return live


def _insert_texts(
    connection: Connection,
    erasure_of: dict[int, int],
    gone: Sequence[_GoneChunk],
    kept: Collection[bytes],
) -> None:
    values = [
        {
            "erasure_key": erasure_of[chunk.document_key],
            "chunk_key": chunk.key,
            "text_sha": None if chunk.text_sha in kept else chunk.text_sha,
        }
        for chunk in gone
    ]
    if values:
        connection.execute(insert(erasure_texts), values)


def _select_chunks() -> Any:
    return select(*PENDING_COLUMNS, chunks.c.n_tokens).join(
        documents, documents.c.key == chunks.c.document_key
    )


def _name(row: Any) -> bytes:
    return text_sha(passage_text(pending_chunk(row)).text)
