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


@pytest.mark.parametrize("provider", ["openai-compatible", "ollama", "anthropic"])
def test_the_provider_that_is_named_is_chosen(tmp_path: Path, provider: str) -> None:
    url = "http://127.0.0.1:8080"
    model = chosen(tmp_path, LLM_PROVIDER=provider, LLM_MODEL="m", LLM_BASE_URL=url)
    assert model is not None
    assert model.name == f"{provider}:m"


def test_a_second_one_stands_behind_it(tmp_path: Path) -> None:
    model = chosen(
        tmp_path,
        LLM_PROVIDER="ollama",
        LLM_MODEL="m",
        LLM_FALLBACK_PROVIDER="anthropic",
        LLM_FALLBACK_MODEL="n",
        LLM_FALLBACK_API_KEY="k",
    )
    assert model is not None
    assert model.name == "ollama:m or anthropic:n"


@pytest.mark.parametrize(
    ("environ", "missing"),
    [
        (
            {"LLM_PROVIDER": "openai-compatible"},
            "LLM_PROVIDER needs LLM_BASE_URL and LLM_MODEL, or",
        ),
        (
            {"LLM_PROVIDER": "openai-compatible", "LLM_BASE_URL": "http://127.0.0.1/v1"},
            "LLM_PROVIDER needs LLM_MODEL, or",
        ),
        ({"LLM_PROVIDER": "ollama"}, "LLM_PROVIDER needs LLM_MODEL, or"),
        ({"LLM_PROVIDER": "anthropic", "LLM_MODEL": "m"}, "LLM_PROVIDER needs LLM_API_KEY"),
        (
            {
                "LLM_PROVIDER": "openai-compatible",
                "LLM_MODEL": "m",
                "LLM_BASE_URL": "https://models.example/v1",
            },
            "LLM_PROVIDER needs LLM_API_KEY",
        ),
        (
            {
                "LLM_PROVIDER": "ollama",
                "LLM_MODEL": "m",
                "LLM_FALLBACK_PROVIDER": "openai-compatible",
            },
            "LLM_FALLBACK_PROVIDER needs LLM_FALLBACK_BASE_URL and LLM_FALLBACK_MODEL, or",
        ),
    ],
)
def test_what_is_not_set_is_named(tmp_path: Path, environ: dict[str, str], missing: str) -> None:
    with pytest.raises(LanguageModelMissingError) as caught:
        chosen(tmp_path, **environ)
    assert str(caught.value).startswith(missing)
