"""Settings in, the language model out; a composition root of its own beside `bootstrap.py`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from citewell.domain.errors import LanguageModelMissingError

if TYPE_CHECKING:
    from pydantic import SecretStr

    from citewell.adapters.language_models.find_servers import FoundServer
    from citewell.adapters.language_models.remote import LanguageModelOptions
    from citewell.ports.language_model import LanguageModel
    from citewell.settings import Settings


def choose_language_model(settings: Settings) -> LanguageModel | None:
    """Return the language model that the settings name, or None: answers are quotes.

    It is not asked yet. With LLM_FALLBACK_PROVIDER it has a second one behind it.

    Raises:
        LanguageModelMissingError: An address, name or key is not set.
    """
    if settings.llm_provider == "extractive":
        return None
    first = _make_model(
        settings.llm_provider,
        _options(
            "LLM",
            base_url=settings.llm_base_url,
            model=settings.llm_model,
            key=settings.llm_api_key,
            timeout_s=settings.llm_timeout_seconds,
        ),
    )
    if settings.llm_fallback_provider is None:
        return first
    from citewell.adapters.language_models.fallback import FallbackModel

    second = _make_model(
        settings.llm_fallback_provider,
        _options(
            "LLM_FALLBACK",
            base_url=settings.llm_fallback_base_url,
            model=settings.llm_fallback_model,
            key=settings.llm_fallback_api_key,
            timeout_s=settings.llm_timeout_seconds,
        ),
    )
    return FallbackModel(first, second)


async def can_reach_language_model(settings: Settings) -> bool:
    """Return whether the server of the language model answers, or that of the second one."""
    from citewell.adapters.language_models.reach import reaches

    urls = [settings.llm_base_url, settings.llm_fallback_base_url]
    return any([await reaches(url) for url in urls if url is not None])


def find_model_servers(settings: Settings) -> list[FoundServer]:
    """Return the model servers on this machine, if the settings let one look. Takes 0.5 s."""
    from citewell.adapters.language_models.find_servers import find_servers

    return asyncio.run(find_servers()) if settings.llm_look_for_servers else []


def _make_model(provider: str, options: LanguageModelOptions) -> LanguageModel:
    if provider == "ollama":
        from citewell.adapters.language_models.ollama import OllamaModel

        return OllamaModel(options)
    if provider == "anthropic":
        from citewell.adapters.language_models.anthropic import AnthropicModel

        return AnthropicModel(options)
    from citewell.adapters.language_models.openai_compatible import OpenAICompatibleModel

    return OpenAICompatibleModel(options)


def _options(
    prefix: str,
    *,
    base_url: str | None,
    model: str | None,
    key: SecretStr | None,
    timeout_s: float,
) -> LanguageModelOptions:
    """Return the options of one model; `prefix` begins the names of its settings."""
    from citewell.adapters.language_models.remote import LanguageModelOptions

    needed = {f"{prefix}_BASE_URL": base_url, f"{prefix}_MODEL": model}
    missing = [name for name, value in needed.items() if not value]
    if (base_url or "").startswith("https://") and key is None:
        missing.append(f"{prefix}_API_KEY (any word, if the server at this https address has none)")
    if not base_url or not model or missing:
        raise LanguageModelMissingError(
            f"{prefix}_PROVIDER needs {' and '.join(missing)}, or set LLM_PROVIDER=extractive: "
            "answers are quotes then"
        )
    return LanguageModelOptions(
        model=model,
        base_url=base_url,
        api_key=key.get_secret_value() if key else None,
        timeout_s=timeout_s,
    )
