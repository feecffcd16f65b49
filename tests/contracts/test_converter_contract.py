from __future__ import annotations

from collections.abc import Iterator

import pytest

from citewell.adapters.converters.sandboxed import SandboxedConverter
from citewell.ports.converter import Converter
from citewell.testing.converter_contract import ConverterContract


@pytest.fixture(scope="module")
def sandboxed() -> Iterator[Converter]:
    converter = SandboxedConverter(workers=2)
    yield converter
    converter.close()


class TestSandboxed(ConverterContract):
    @pytest.fixture
    def converter(self, sandboxed: Converter) -> Converter:
        return sandboxed
