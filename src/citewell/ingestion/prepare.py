"""From converted text to a version that the catalog can switch to; pure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from citewell.domain.chunk import Chunk, SparseVector
from citewell.domain.document import ConvertedDocument, DocumentState
from citewell.domain.errors import InvalidDocumentError
from citewell.domain.prepared import PreparedDocument, WeighedChunk
from citewell.domain.record import NewChunk, NewVersion
from citewell.domain.source import SourceItem
from citewell.lexical.weigh import weigh_chunk

ChunkDocument = Callable[[ConvertedDocument], Sequence[Chunk]]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a document comes from.

    Attributes:
        source_id: Of the source.
        item: As scanned.
        tier: Access level.
        content_sha256: Hex digest of the item's bytes.
        recipe: Converter, chunking and analysis in use.
        parent_key: Key of the archive that holds it, or None.
        member_path: Path inside the archive, or "".
    """

    source_id: str
    item: SourceItem
    tier: str
    content_sha256: str
    recipe: str
    parent_key: int | None = None
    member_path: str = ""

    @property
    def relative_path(self) -> str:
        """Path of the document: for a member, that of the archive and its own."""
        path = self.item.relative_path
        return f"{path}/{self.member_path}" if self.member_path else path


def prepare_document(
    document: ConvertedDocument, relative_path: str, *, chunk_document: ChunkDocument
) -> PreparedDocument:
    """Cut a document and weigh the terms of each chunk.

    Args:
        document: As converted.
        relative_path: Of the document; its file name is the title where there is no other.
        chunk_document: Cuts it.

    Raises:
        InvalidDocumentError: The chunks cannot be indexed (CHU5).
    """
    if not document.text.strip():
        return PreparedDocument(document, ())
    title = title_of(document, relative_path)
    chunks = chunk_document(document)
    _validate(document, chunks)
    return PreparedDocument(document, tuple(_weigh(chunk, title) for chunk in chunks))


def prepare_version(
    document: ConvertedDocument | PreparedDocument, origin: Origin, *, chunk_document: ChunkDocument
) -> tuple[NewVersion, list[SparseVector]]:
    """Return the version, and the lexical vector of each of its chunks.

    Text without a single letter gives a version without chunks, in state `no_text` where the
    document has pages (their text layer is missing), else `empty`.

    Raises:
        InvalidDocumentError: The chunks cannot be indexed (CHU5).
    """
    if isinstance(document, ConvertedDocument):
        path = origin.relative_path
        document = prepare_document(document, path, chunk_document=chunk_document)
    converted, chunks = document.document, document.chunks
    title = title_of(converted, origin.relative_path)
    if not chunks:
        state = DocumentState.NO_TEXT if converted.pages else DocumentState.EMPTY
        told = replace(converted, notes=converted.notes or ("no text was found in it",))
        return version_of(origin, state=state, title=title, document=told), []
    new_chunks = [
        NewChunk(weighed.chunk, digest, weighed.terms.indices)
        for weighed, digest in zip(chunks, _digests(chunks), strict=True)
    ]
    version = version_of(
        origin, state=DocumentState.SEARCHABLE, title=title, document=converted, chunks=new_chunks
    )
    return version, [weighed.terms for weighed in chunks]


def title_of(document: ConvertedDocument, relative_path: str) -> str:
    """Return the title of a document, or the name of its file without the suffix."""
    return document.title or PurePosixPath(relative_path).stem


def version_of(
    origin: Origin,
    *,
    state: DocumentState,
    title: str = "",
    document: ConvertedDocument | None = None,
    chunks: Sequence[NewChunk] = (),
    notes: tuple[str, ...] = (),
) -> NewVersion:
    """Return a version with everything that its origin tells."""
    path = PurePosixPath(origin.relative_path)
    converted = document or ConvertedDocument(text="", syntax="plain", notes=notes)
    return NewVersion(
        source_id=origin.source_id,
        relative_path=origin.relative_path,
        parent_key=origin.parent_key,
        tier=origin.tier,
        title=title or path.stem,
        type=path.suffix.lower().removeprefix("."),
        size_bytes=origin.item.size_bytes,
        modified_ns=origin.item.modified_ns,
        fingerprint=origin.item.fingerprint,
        content_sha256=origin.content_sha256,
        recipe=origin.recipe,
        version=_version(origin),
        state=state,
        n_pages=len(converted.pages) or None,
        frontmatter=converted.frontmatter,
        tags=converted.tags,
        links=converted.links,
        notes=converted.notes,
        chunks=chunks,
    )


def _version(origin: Origin) -> str:
    made_from = "\0".join((origin.content_sha256, origin.recipe, origin.member_path))
    return hashlib.sha256(made_from.encode()).hexdigest()


def _weigh(chunk: Chunk, title: str) -> WeighedChunk:
    vector = weigh_chunk(chunk.content, title=title, heading_path=chunk.heading_path)
    return WeighedChunk(chunk, vector)


def _validate(document: ConvertedDocument, chunks: Sequence[Chunk]) -> None:
    if not chunks:
        raise InvalidDocumentError("the document has text, but chunking gave nothing")
    for chunk in chunks:
        start, end = chunk.span
        if not chunk.content.strip():
            raise InvalidDocumentError(f"chunk {chunk.ordinal} is empty")
        if not chunk.content.endswith(document.text[start:end]):
            raise InvalidDocumentError(f"chunk {chunk.ordinal} does not match its span")


def _digests(chunks: Sequence[WeighedChunk]) -> list[bytes]:
    """Return a hash of heading path, text and occurrence for each chunk.

    The occurrence counts equal chunks from the start, so that inserting text between two of them
    changes neither.
    """
    seen: Counter[bytes] = Counter()
    digests: list[bytes] = []
    for weighed in chunks:
        chunk = weighed.chunk
        plain = hashlib.sha256("\0".join((*chunk.heading_path, "", chunk.content)).encode())
        occurrence = seen[plain.digest()]
        seen[plain.digest()] += 1
        plain.update(occurrence.to_bytes(4, "big"))
        digests.append(plain.digest())
    return digests
