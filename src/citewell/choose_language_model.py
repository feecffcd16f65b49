"""Settings in, the language model out; a composition root of its own beside `bootstrap.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.domain.errors import LanguageModelMissingError

if TYPE_CHECKING:
    from pydantic import SecretStr

    from citewell.ports.language_model import LanguageModel
    from citewell.settings import Settings


def choose_language_model(settings: Settings) -> LanguageModel | None:
    """Return the language model that the settings name, or None: answers are quotes.

    It is not asked yet.

    Raises:
        LanguageModelMissingError: Its address, name or key is not set.
    """
    if settings.llm_provider == "extractive":
        return None
    from citewell.adapters.language_models.openai_compatible import OpenAICompatibleModel
    from citewell.adapters.language_models.remote import LanguageModelOptions

    needed = {"LLM_BASE_URL": settings.llm_base_url, "LLM_MODEL": settings.llm_model}
    if missing := [name for name, value in needed.items() if not value]:
        raise LanguageModelMissingError(
            f"LLM_PROVIDER={settings.llm_provider} needs {' and '.join(missing)}"
        )
    options = LanguageModelOptions(
        model=settings.llm_model or "",
        base_url=settings.llm_base_url or "",
        api_key=_key(settings.llm_api_key),
        timeout_s=settings.llm_timeout_seconds,
    )
    return OpenAICompatibleModel(options)


def _key(key: SecretStr | None) -> str | None:
    return key.get_secret_value() if key else None
