from __future__ import annotations

from collections.abc import Iterator

import pytest

from citewell.adapters.language_models.anthropic import AnthropicModel
from citewell.adapters.language_models.fallback import FallbackModel
from citewell.adapters.language_models.ollama import OllamaModel
from citewell.adapters.language_models.openai_compatible import OpenAICompatibleModel
from citewell.adapters.language_models.remote import LanguageModelOptions
from citewell.domain.errors import LanguageModelError
from citewell.ports.language_model import LanguageModel
from citewell.testing.language_model_contract import LanguageModelContract
from citewell.testing.language_model_server import LanguageModelServer
from citewell.testing.scripted_model import ScriptedModel


@pytest.fixture(scope="module")
def server() -> Iterator[LanguageModelServer]:
    with LanguageModelServer() as server:
        yield server


class TestScripted(LanguageModelContract):
    @pytest.fixture
    def model(self) -> LanguageModel:
        return ScriptedModel(lambda prompt: prompt.messages[-1].content)


class TestOpenAICompatible(LanguageModelContract):
    @pytest.fixture
    def model(self, server: LanguageModelServer) -> LanguageModel:
        return OpenAICompatibleModel(LanguageModelOptions("served", f"{server.url}/v1"))


class TestOllama(LanguageModelContract):
    @pytest.fixture
    def model(self, server: LanguageModelServer) -> LanguageModel:
        return OllamaModel(LanguageModelOptions("served", server.url))


class TestAnthropic(LanguageModelContract):
    @pytest.fixture
    def model(self, server: LanguageModelServer) -> LanguageModel:
        return AnthropicModel(LanguageModelOptions("served", server.url))


class TestFallbackUnused(LanguageModelContract):
    @pytest.fixture
    def model(self, server: LanguageModelServer) -> LanguageModel:
        first = OllamaModel(LanguageModelOptions("served", server.url))
        return FallbackModel(first, ScriptedModel([]))


class TestFallbackUsed(LanguageModelContract):
    @pytest.fixture
    def model(self, server: LanguageModelServer) -> LanguageModel:
        second = OpenAICompatibleModel(LanguageModelOptions("served", f"{server.url}/v1"))
        return FallbackModel(ScriptedModel(lambda _: LanguageModelError()), second)
