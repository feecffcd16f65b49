from __future__ import annotations

from pathlib import Path

import pytest

from citewell.choose_language_model import choose_language_model
from citewell.domain.errors import LanguageModelMissingError
from citewell.load_settings import load_settings
from citewell.ports.language_model import LanguageModel


def chosen(tmp_path: Path, **environ: str) -> LanguageModel | None:
    return choose_language_model(load_settings(environ=environ, folder=tmp_path))


@pytest.mark.parametrize("provider", ["extractive", "fake"])
def test_quoting_needs_no_model(tmp_path: Path, provider: str) -> None:
    settings = {"LLM_PROVIDER": provider, "LLM_MODEL": "m", "LLM_BASE_URL": "http://127.0.0.1/v1"}
    assert chosen(tmp_path, **settings) is None


def test_a_compatible_server_is_chosen(tmp_path: Path) -> None:
    model = chosen(
        tmp_path,
        LLM_PROVIDER="openai-compatible",
        LLM_MODEL="m",
        LLM_BASE_URL="http://127.0.0.1/v1",
    )
    assert model is not None
    assert model.name == "openai-compatible:m"


def test_what_is_not_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(LanguageModelMissingError, match="needs LLM_BASE_URL and LLM_MODEL"):
        chosen(tmp_path, LLM_PROVIDER="openai-compatible")
    with pytest.raises(LanguageModelMissingError, match=r"needs LLM_MODEL$"):
        chosen(tmp_path, LLM_PROVIDER="openai-compatible", LLM_BASE_URL="http://127.0.0.1/v1")
