from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import pytest

from citewell.adapters.converters.preparation import Preparation
from citewell.adapters.converters.sandboxed import SandboxedConverter
from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder
from citewell.ingestion.chunk import ChunkOptions
from citewell.ingestion.document_chunker import DocumentChunker
from citewell.ingestion.limits import EmbedderLimit
from citewell.ingestion.prepare import prepare_document
from citewell.ports.converter import Converter
from citewell.testing.converter_contract import ConverterContract, convert, document_of


@pytest.fixture(scope="module")
def sandboxed() -> Iterator[Converter]:
    converter = SandboxedConverter(workers=2)
    yield converter
    converter.close()


@pytest.fixture(scope="module")
def preparing() -> Iterator[Converter]:
    options = {
        "chunks": asdict(ChunkOptions()),
        "provider": "fake",
        "max_tokens": 512,
        "empty_tokens": 0,
    }
    preparation = Preparation("citewell.prepare_in_worker:make_prepare", options)
    converter = SandboxedConverter(workers=2, preparation=preparation)
    yield converter
    converter.close()


class TestSandboxed(ConverterContract):
    @pytest.fixture
    def converter(self, sandboxed: Converter) -> Converter:
        return sandboxed


class TestPreparing(ConverterContract):
    @pytest.fixture
    def converter(self, preparing: Converter) -> Converter:
        return preparing

    def test_documents_come_with_their_chunks(self, converter: Converter) -> None:
        note = b"# Limits\n\nExports stop at 5,000 rows.\n"
        chunker = DocumentChunker(ChunkOptions(), EmbedderLimit.of(FakeLexicalEmbedder()))
        (result,) = convert(converter, note, "products/limits.md")

        expected = prepare_document(
            document_of(result), "products/limits.md", chunk_document=chunker.chunk
        )
        assert result == expected
        assert [c.chunk.heading_path for c in expected.chunks] == [("Limits",)]
